// SignedWeights: the n x K matrix g = w y of AdaBoost.MH, with total |g| = 1.
//
//   g[i,l] > 0   label l holds for row i, and this much depends on it
//   g[i,l] < 0   it does not hold
//
// float32, each row padded with zeros to whole vectors. The exponential loss multiplies g after
// every round; the logistic loss keeps the initial weights and a margin beside it.
#pragma once

#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/threads.hpp"
#include "data/targets.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

// What a scheme says: w[i,l] = row_positive[i] * column_positive[l] for positive labels, and the
// same with the negative ones for the others.
struct WeightScheme {
    std::span<const double> row_positive;
    std::span<const double> row_negative;
    std::span<const double> column_positive;
    std::span<const double> column_negative;
};

// Sums of units over the rows of each leaf.
struct LeafSums {
    std::vector<Unit> edge;       // G[leaf, l]: n_leaves x lanes
    std::vector<Unit> magnitude;  // A[leaf, l]: the same; empty where votes are discrete
    std::vector<UnitSum> mass;    // sum of A over the classes: n_leaves
};

// Some classes' weights, copied out so that the search reads them without the others.
struct SampledClasses {
    std::span<const std::uint32_t> classes;
    std::size_t lanes;
    Weight* weights;  // n_rows x lanes
};

class SignedWeights {
public:
    SignedWeights(const Targets& targets, const WeightScheme& scheme);
    SignedWeights(const Targets& targets, std::span<const double> matrix);  // n x K, row by row

    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
    [[nodiscard]] std::size_t n_columns() const { return n_columns_; }
    [[nodiscard]] std::size_t lanes() const { return lanes_; }
    [[nodiscard]] float weight(std::size_t row, std::size_t column) const {
        return weights_[row * lanes_ + column] * scale_ / kUnits;
    }

    // Begins to boost the logistic loss: remembers the initial weights.
    void start_logistic();

    [[nodiscard]] const Weight* data() const { return weights_.data(); }
    [[nodiscard]] float scale() const { return scale_; }

    // Each row's sum of |unit|.
    void row_masses(ThreadPool& pool, const Kernels& kernels, std::uint32_t* row_mass) const;

    void sample(ThreadPool& pool, const SampledClasses& sample) const;

    [[nodiscard]] LeafSums leaf_sums(ThreadPool& pool, const Kernels& kernels,
                                     const std::vector<std::uint32_t>& leaf_of_row,
                                     std::size_t n_leaves) const;

    // Exponential loss: g *= factor. Returns the sum of |g| after. In the same pass `row_mass`
    // becomes what `row_masses` would make of it, and the sample is taken, unless they are null.
    double update(ThreadPool& pool, const Kernels& kernels, const UpdateTables& tables,
                  std::uint32_t* row_mass, const SampledClasses* sample);

    // Logistic loss: margins += step x sign; g follows. Returns the training loss.
    double update_logistic(ThreadPool& pool, const Kernels& kernels,
                           const std::vector<std::uint32_t>& leaf_of_row,
                           const AlignedVector<float>& step);

private:
    template <class WeightOf>
    void set_initial(const Targets& targets, const WeightOf& weight_of);
    [[nodiscard]] WeightRows rows(std::size_t begin, std::size_t end) const;
    void sample_rows(const SampledClasses& sample, std::size_t begin, std::size_t end) const;

    std::size_t n_rows_;
    std::size_t n_columns_;
    std::size_t lanes_;
    float scale_ = kUnits;  // units per weight
    AlignedVector<Weight> weights_;
    AlignedVector<Weight> base_;    // logistic: initial weights
    AlignedVector<float> margins_;  // logistic: f y
};

}  // namespace mhb
