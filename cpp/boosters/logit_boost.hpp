// LogitBoost and its kin: Newton steps on the logistic loss of K classes.
//
//   scores F ──softmax──> p ──> g = [right] - p, h = p (1 - p) ──units──> trees, leaf sums
//      ^                                                                       │
//      └──────────────────────── F += rate x c G / H <─────────────────────────┘
//
// MART and LogitBoost grow a tree for each class from the same p; they differ in what a cut's
// gradients are divided by, rows or curvatures. VT-LogitBoost grows one tree, whose leaves hold a
// step for each class.
//
// Where there is one score column f, the two classes' scores are -f and f; else f = F / 2. So
// softmax(2 f) are the probabilities, as everywhere in this house.
#pragma once

#include <vector>

#include "boosters/rival.hpp"

namespace mhb {

enum class LogitMethod : std::uint8_t { Mart, LogitBoost, VectorTree };

struct LogitOptions {
    LogitMethod method = LogitMethod::LogitBoost;
    double least_weight = 0;  // of a leaf of a tree for one class
    double largest_step = 50;
    Options common;
};

class LogitBoost : public Rival {
public:
    LogitBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
               const LogitOptions& options);

private:
    Outcome round(std::uint64_t number, const ShouldStop& should_stop) override;
    Hypothesis vector_tree(std::uint64_t number, const ShouldStop& should_stop);
    Hypothesis class_tree(std::size_t column, std::uint64_t number, const ShouldStop& should_stop);

    [[nodiscard]] double gradient(std::size_t k, std::size_t row) const {
        return rows_.weight[row] *
               (rows_.label[row] == k ? wrong_[row] : -probability_[k * rows_.n_rows() + row]);
    }
    [[nodiscard]] double curvature(std::size_t k, std::size_t row) const {
        const double p = probability_[k * rows_.n_rows() + row];
        return rows_.weight[row] * p * (rows_.label[row] == k ? wrong_[row] : 1.0 - p);
    }
    // The class of a score column.
    [[nodiscard]] std::size_t class_of(std::size_t column) const {
        return rows_.n_columns == 1 ? 1 : column;
    }
    [[nodiscard]] double unit_of_class(std::size_t k);
    void fill_vector_units(double unit);
    void fill_class_units(std::size_t k, double unit);
    // Newton's steps of one class in each leaf.
    [[nodiscard]] std::vector<double> steps(std::size_t k, std::size_t n_leaves);
    void remember(std::size_t column, const std::vector<double>& step);
    void move();
    [[nodiscard]] double set_probabilities();

    LogitMethod method_;
    double largest_step_;
    double factor_;               // c
    double alpha_;                // of all trees
    double weight_unit_;          // units in a weight of 1
    std::vector<double> scores_;  // n_classes x n_rows, as all that follows
    std::vector<double> probability_;
    std::vector<double> wrong_;      // n_rows: 1 - p of the right class
    std::vector<double> step_;       // n_columns x n_rows: of the round, not yet in the scores
    std::vector<std::size_t> lane_;  // of each column's gradient; its curvature is half a chunk on
    AlignedVector<Weight> lanes_;
};

}  // namespace mhb
