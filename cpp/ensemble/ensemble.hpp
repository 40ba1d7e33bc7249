// Ensemble: the flat model that predicts. Trees are only ever appended; what is there never
// changes.
//
//   trees   node_begin, leaf_begin, alpha                     one a round
//   nodes   term_begin .. term_end, left, right (~leaf)        all trees' nodes one after the other
//   terms   feature, threshold | category set, sides
//   votes   one bit a class and leaf; a second plane where votes abstain; doubles where they are
//   real
//
// Scores add up round by round in double, the same way for raw values, bins and stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "data/binner.hpp"
#include "ensemble/hypothesis.hpp"

namespace mhb {

enum class VoteStorage : std::uint8_t { Signs, SignsAndSilence, Reals };

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

// Everything an ensemble is made of, as plain arrays: what a model file holds.
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
    std::vector<double> node_gain;
    std::vector<double> node_weight;
    std::vector<double> leaf_weight;

    [[nodiscard]] std::size_t vote_words() const { return (n_columns + 63) / 64; }
};

class Ensemble {
public:
    Ensemble(std::size_t n_features, std::size_t n_columns, VoteStorage storage);
    // Checks every index before anything is predicted; throws std::invalid_argument.
    explicit Ensemble(EnsembleArrays arrays);

    void append(const Hypothesis& hypothesis, const Binner& binner);
    [[nodiscard]] Ensemble truncated(std::size_t n_rounds) const;

    [[nodiscard]] const EnsembleArrays& arrays() const { return arrays_; }
    [[nodiscard]] std::size_t n_rounds() const { return arrays_.alpha.size(); }
    [[nodiscard]] std::size_t n_features() const { return arrays_.n_features; }
    [[nodiscard]] std::size_t n_columns() const { return arrays_.n_columns; }
    [[nodiscard]] std::size_t n_leaves(std::size_t round) const {
        return arrays_.leaf_begin[round + 1] - arrays_.leaf_begin[round];
    }

    // scores (n_rows x n_columns) += sum of h of rounds begin .. end.
    void add_scores(const RawMatrix& raw, std::size_t begin, std::size_t end,
                    std::span<double> scores, ThreadPool& pool) const;
    // leaves (n_rows x (end - begin)): the leaf of each row in each tree.
    void apply(const RawMatrix& raw, std::size_t begin, std::size_t end,
               std::span<std::int32_t> leaves, ThreadPool& pool) const;

    [[nodiscard]] std::uint32_t leaf_of(std::size_t round, const BinnedMatrix& matrix,
                                        std::size_t row) const;
    // scores[l] += alpha x vote
    void add_votes(std::size_t round, std::uint32_t leaf, double* scores) const;
    // The votes of one leaf: -1, 0, +1, or any number.
    [[nodiscard]] std::vector<double> votes_of(std::size_t round, std::uint32_t leaf) const;
    // Per feature: sum of alpha x gain over the nodes that use it.
    [[nodiscard]] std::vector<double> gains() const;

private:
    void check() const;
    template <class ValueOf>
    [[nodiscard]] std::uint32_t walk(std::size_t round, const ValueOf& goes_right) const;
    template <class Visit>
    void visit_leaves(const RawMatrix& raw, std::size_t begin, std::size_t end, ThreadPool& pool,
                      const Visit& visit) const;

    EnsembleArrays arrays_;
};

}  // namespace mhb
