// Hypothesis: one finished base classifier h = alpha x votes(leaf(x)), on its way into the
// ensemble.
#pragma once

#include <cstdint>
#include <vector>

#include "cuts/cut.hpp"
#include "ensemble/arrays.hpp"

namespace mhb {

struct HypothesisNode {
    Cut cut;
    std::int32_t left = 0;  // an inner node (>= 0) or ~leaf
    std::int32_t right = 0;
    double gain = 0;    // what the cut adds to the edge, share of the total weight
    double weight = 0;  // of the rows that come by, share of the total weight
};

struct Hypothesis {
    double alpha = 0;
    std::vector<HypothesisNode> nodes;
    std::vector<double> leaf_weight;  // share of the total weight
    std::vector<double> votes;        // n_leaves x n_columns; or else
    std::vector<PairVote> pairs;      // n_leaves
};

// Nodes' weights are sums over their leaves; children come after parents.
void set_node_weights(Hypothesis& hypothesis);

}  // namespace mhb
