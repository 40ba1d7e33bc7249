// LogitBoost and its kin: Newton steps on the logistic loss of K classes.
//
//   scores F ──softmax──> p ──> g = [right] - p, h = p (1 - p) ──units──> trees, leaf sums
//      ^                                                                       │
//      └──────────────────────── F += rate x c G / H <─────────────────────────┘
//
// MART and LogitBoost grow a tree for each class from the same p; they differ in what a cut's
// gradients are divided by, rows or curvatures. VT-LogitBoost grows one tree, whose leaves hold a
// step for each class. See abc_boost.hpp and aoso_boost.hpp for those that eliminate a class and
// those that move two classes a leaf.
//
// Where there is one score column f, the two classes' scores are -f and f; else f = F / 2. So
// softmax(2 f) are the probabilities, as everywhere in this house.
#pragma once

#include <vector>

#include "boosters/rival.hpp"

namespace mhb {

enum class LogitMethod : std::uint8_t { Mart, LogitBoost, VectorTree, Aoso };

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

protected:
    // The scores and what follows from them: n_classes x n_rows each, but for the last two.
    struct State {
        std::vector<double> scores;
        std::vector<double> probability;
        std::vector<double> wrong;  // 1 - p of the right class, one a row
        double loss = 0;            // mean over rows
    };
    static constexpr std::size_t kNoBase = static_cast<std::size_t>(-1);

    Outcome round(std::uint64_t number, const ShouldStop& should_stop) override;
    // A tree for one class, against the base if there is one. Its steps are remembered.
    Hypothesis class_tree(std::size_t column, std::uint64_t draw, const ShouldStop& should_stop);
    void remember(std::size_t column, const std::vector<double>& step);
    // Where the remembered steps lead to.
    void step_to(State& next);
    // What a round tells, once `now_` is where its trees lead to.
    [[nodiscard]] Outcome finish(std::vector<Hypothesis> trees) const;

    [[nodiscard]] double row_loss(const State& state, std::size_t row) const;
    [[nodiscard]] double alpha() const { return alpha_; }
    [[nodiscard]] double largest_step() const { return largest_step_; }

    [[nodiscard]] double class_gradient(std::size_t k, std::size_t row) const {
        return rows_.weight[row] * (rows_.label[row] == k ? now_.wrong[row] : -probability(k, row));
    }
    [[nodiscard]] double class_curvature(std::size_t k, std::size_t row) const {
        const double p = probability(k, row);
        return rows_.weight[row] * p * (rows_.label[row] == k ? now_.wrong[row] : 1.0 - p);
    }
    [[nodiscard]] double probability(std::size_t k, std::size_t row) const {
        return now_.probability[k * rows_.n_rows() + row];
    }

    // Lanes of all classes: chunks of gradients, then as many curvatures.
    [[nodiscard]] std::size_t n_vector_lanes() const;
    [[nodiscard]] std::size_t half_chunk() const;
    [[nodiscard]] std::size_t gradient_lane(std::size_t column) const {
        return column / half_chunk() * 2 * half_chunk() + column % half_chunk();
    }
    // The largest unit that serves all classes.
    [[nodiscard]] double unit_of_classes();
    void fill_vector_units(double unit, RoundUnits& units, AlignedVector<Weight>& lanes);

    State now_;
    State next_;
    std::vector<double> step_;     // n_columns x n_rows: of the round, not yet in the scores
    AlignedVector<Weight> lanes_;  // that the search sees
    std::size_t base_ = kNoBase;   // the class that is minus the sum of the others

private:
    Hypothesis vector_tree(std::uint64_t draw, const ShouldStop& should_stop);

    [[nodiscard]] double gradient(std::size_t k, std::size_t row) const {
        const double own = class_gradient(k, row);
        return base_ == kNoBase ? own : own - class_gradient(base_, row);
    }
    [[nodiscard]] double curvature(std::size_t k, std::size_t row) const {
        const double own = class_curvature(k, row);
        return base_ == kNoBase
                   ? own
                   : own + class_curvature(base_, row) +
                         2 * rows_.weight[row] * probability(k, row) * probability(base_, row);
    }
    // The class of a score column.
    [[nodiscard]] std::size_t class_of(std::size_t column) const {
        return rows_.n_columns == 1 ? 1 : column;
    }
    [[nodiscard]] double unit_of_class(std::size_t k);
    void fill_class_units(std::size_t k, double unit);
    // Newton's steps of one class in each leaf.
    [[nodiscard]] std::vector<double> steps(std::size_t k, std::size_t n_leaves);
    void set_probabilities(State& state);

    LogitMethod method_;
    double largest_step_;
    double factor_;       // c
    double alpha_;        // of all trees
    double weight_unit_;  // units in a weight of 1
};

}  // namespace mhb
