// The growing tree: cuts and who hangs where. Votes are cast later, on all rows and classes.
#pragma once

#include <cstdint>
#include <vector>

#include "cuts/cut.hpp"

namespace mhb {

// Children are inner nodes (>= 0) or leaves (~leaf, negative).
struct TreeNode {
    Cut cut;
    std::int32_t left = 0;
    std::int32_t right = 0;
    UnitSum edge = 0;  // of the cut on the node's rows, with its own votes
    double gain = 0;   // what the cut adds to the edge of the best constant vote, or its gain
};

struct Tree {
    std::vector<TreeNode> nodes;  // in the order they were cut; the root first; none: one leaf
    std::size_t n_leaves = 1;
    // A leaf whose best cut was the constant counts as a node of the paper: it corrects the vote
    // that it would inherit, so it votes for itself. One flag a leaf.
    std::vector<bool> corrected = {false};
};

}  // namespace mhb
