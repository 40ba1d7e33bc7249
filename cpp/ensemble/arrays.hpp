// What an ensemble is made of, as plain arrays: what a model file holds.
//
//   trees   node_begin, leaf_begin, alpha                     one a round
//   nodes   term_begin .. term_end, left, right (~leaf)        all trees' nodes one after the other
//   terms   feature, threshold | category set, sides
//   votes   one bit a class and leaf; a second plane where votes abstain; doubles where they are
//           real; one double a leaf, for one class and perhaps against another, where they are
//           pairs
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mhb {

enum class VoteStorage : std::uint8_t { Signs, SignsAndSilence, Reals, Pairs };

inline constexpr std::uint32_t kNobody = 0xFFFFFFFF;

// +value on one class, -value on another if there is one.
struct PairVote {
    std::uint32_t plus = 0;
    std::uint32_t minus = kNobody;
    double value = 0;
};

struct FlatTerm {
    double threshold = 0;  // +1 iff x >= threshold
    std::uint32_t feature = 0;
    std::uint32_t first_right = 0;  // the same threshold as a bin
    std::uint32_t set_begin = 0;    // categorical: the + side's bits, words of 64 categories
    std::uint32_t set_words = 0;    // 0: numeric
    std::uint8_t missing_right = 0;
    std::uint8_t unseen_right = 0;
};

struct FlatNode {
    std::uint32_t term_begin = 0;
    std::uint32_t term_end = 0;
    std::int32_t left = 0;  // within the tree
    std::int32_t right = 0;
};

struct EnsembleArrays {
    std::size_t n_features = 0;
    std::size_t n_columns = 0;
    VoteStorage storage = VoteStorage::Signs;
    std::vector<double> alpha;
    std::vector<std::uint64_t> node_begin = {0};  // n_rounds + 1
    std::vector<std::uint64_t> leaf_begin = {0};  // n_rounds + 1
    std::vector<FlatNode> nodes;
    std::vector<FlatTerm> terms;
    std::vector<std::uint64_t> category_words;
    std::vector<std::uint64_t> positive;  // n_leaves x words of 64 classes
    std::vector<std::uint64_t> voted;     // the same, where votes abstain
    std::vector<double> real_votes;       // n_leaves x n_columns, where votes are real
    std::vector<PairVote> pairs;          // n_leaves, where votes are pairs
    std::vector<double> node_gain;
    std::vector<double> node_weight;
    std::vector<double> leaf_weight;

    [[nodiscard]] std::size_t vote_words() const { return (n_columns + 63) / 64; }
};

}  // namespace mhb
