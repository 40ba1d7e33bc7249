// Ensemble: the flat model that predicts. Trees are only ever appended; what is there never
// changes.
//
//   trees   node_begin, leaf_begin, alpha                     one a round
//   nodes   term_begin .. term_end, left, right (~leaf)        all trees' nodes one after the other
//   terms   feature, threshold | category set, sides
//   votes   one bit a class and leaf, or one of the other kinds; see arrays.hpp
//
// Scores add up round by round in double, the same way for raw values, bins and stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "data/binner.hpp"
#include "ensemble/arrays.hpp"
#include "ensemble/fast_trees.hpp"
#include "ensemble/hypothesis.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

// The features that some trees look at, and where a row of their values has each of them.
struct UsedFeatures {
    std::vector<std::uint32_t> features;
    std::vector<std::int32_t> slot;  // one a feature; -1 where it is not used

    explicit UsedFeatures(std::size_t n_features) : slot(n_features, -1) {}

    void add(std::span<const FlatTerm> terms) {
        for (const FlatTerm& term : terms) {
            if (slot[term.feature] < 0) {
                slot[term.feature] = static_cast<std::int32_t>(features.size());
                features.push_back(term.feature);
            }
        }
    }
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
    // The same for one row, given as n_features values: no set-up, no threads.
    void add_row_scores(const double* values, std::size_t end, double* scores) const;
    // leaves (n_rows x (end - begin)): the leaf of each row in each tree.
    void apply(const RawMatrix& raw, std::size_t begin, std::size_t end,
               std::span<std::int32_t> leaves, ThreadPool& pool) const;

    // leaf_of_row: the leaf of each row of the matrix in one tree.
    void find_leaves(std::size_t round, const BinnedMatrix& matrix, ThreadPool& pool,
                     std::uint32_t* leaf_of_row) const;
    // scores[l] += alpha x vote
    void add_votes(std::size_t round, std::uint32_t leaf, double* scores) const;
    // The votes of one leaf: -1, 0, +1, or any number.
    [[nodiscard]] std::vector<double> votes_of(std::size_t round, std::uint32_t leaf) const;
    // Per feature: sum of alpha x gain over the nodes that use it.
    [[nodiscard]] std::vector<double> gains() const;

private:
    void check() const;
    void add_fast_tree(std::size_t round);
    void add_votes(std::size_t round, std::span<const std::uint32_t> leaves, double* scores) const;
    [[nodiscard]] std::span<const FlatTerm> terms_of(std::size_t begin, std::size_t end) const;
    template <class ValueOf>
    [[nodiscard]] std::uint32_t walk(std::size_t round, const ValueOf& goes_right) const;
    void find_leaves(std::size_t round, const double* values, std::size_t width,
                     std::span<const std::int32_t> slot, std::size_t n_rows,
                     std::uint32_t* leaves) const;
    template <class Visit>
    void visit_leaves(const RawMatrix& raw, std::size_t begin, std::size_t end, ThreadPool& pool,
                      const Visit& visit) const;

    EnsembleArrays arrays_;
    FastTrees fast_;     // the same trees, for batches
    UsedFeatures used_;  // by all trees
    const Kernels* kernels_ = &active_kernels();
};

}  // namespace mhb
