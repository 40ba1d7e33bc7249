// What a learner is told. One struct, from the binding to the last loop.
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/gain_rule.hpp"

namespace mhb {

enum class VoteKind : std::uint8_t { Discrete, Ternary, Real };
enum class LeafVotes : std::uint8_t { Factorized, Leafwise };
enum class Loss : std::uint8_t { Exponential, Logistic };

struct Options {
    std::size_t n_inner_nodes = 1;  // N of the paper; 1 is a stump
    std::size_t n_terms = 1;        // factors of a cut; more than 1 is a Hamming product
    VoteKind votes = VoteKind::Discrete;
    LeafVotes leaf_votes = LeafVotes::Factorized;
    Loss loss = Loss::Exponential;
    double learning_rate = 1.0;
    std::size_t node_features = 0;  // drawn per node; 0: all
    std::size_t tree_features = 0;  // drawn per tree; 0: all
    double subsample = 1.0;         // rows per tree
    double weight_trimming = 0.0;   // share of the weight that the lightest left-out rows may hold
    std::size_t class_sample = 0;   // classes that the search sees per tree; 0: all
    double effective_rows = 0;      // n in the smoothing of alphas and votes; 0: the number of rows
    bool keep_histograms = true;    // where that is faster; else every node is added up
    GainRule gain = {};             // how the search compares cuts
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;

    // Does a round draw anything at random?
    [[nodiscard]] bool randomised() const {
        return node_features > 0 || tree_features > 0 || subsample < 1.0 || class_sample > 0;
    }
};

}  // namespace mhb
