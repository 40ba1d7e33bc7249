#include "boosters/logit_boost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "boosters/row_sums.hpp"

namespace mhb {
namespace {

// Below this sum of losses, there is nothing left to learn.
constexpr double kNoLoss = 2e-14;
constexpr const char* kSeparated = "the training loss is zero";

Options options_of(const LogitOptions& options, const LabelledRows& rows) {
    Options common = options.common;
    const bool vectors = options.method == LogitMethod::VectorTree;
    common.gain.criterion = vectors ? Criterion::Newton : Criterion::Scalar;
    common.gain.first_order = options.method == LogitMethod::Mart;
    // Sums of units round; the weight of a few rows must not fall below itself.
    common.gain.least_weight = static_cast<Unit>(
        std::min(options.least_weight * unit_for(rows.total_weight) * (1 - 1e-6), 0x1p30));
    return common;
}

}  // namespace

LogitBoost::LogitBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
                       const LogitOptions& options)
    : Rival(binner, matrix, rows, options_of(options, rows),
            options.method == LogitMethod::VectorTree ? VoteStorage::Reals : VoteStorage::Pairs),
      method_(options.method),
      largest_step_(options.largest_step),
      alpha_(options.common.learning_rate * (rows_.n_columns == 1 ? 1.0 : 0.5)),
      weight_unit_(unit_for(rows_.total_weight)) {
    const auto n_classes = static_cast<double>(rows_.n_classes);
    factor_ = method_ == LogitMethod::VectorTree ? 1.0 : (n_classes - 1) / n_classes;
    const std::size_t n_lanes = method_ == LogitMethod::VectorTree ? n_vector_lanes() : 4;
    units_.classes = ClassLanes(n_lanes);
    lanes_.assign(n_lanes * rows_.n_rows(), 0.0F);
    units_.weights = lanes_.data();
    step_.resize(rows_.n_columns * rows_.n_rows());
    now_.scores.assign(rows_.n_classes * rows_.n_rows(), 0.0);
    set_probabilities(now_);
}

Rival::Outcome LogitBoost::round(std::uint64_t number, const ShouldStop& should_stop) {
    base_ = kNoBase;
    std::vector<Hypothesis> trees;
    if (method_ == LogitMethod::VectorTree) {
        trees.push_back(vector_tree(number, should_stop));
    } else {
        for (std::size_t column = 0; column < rows_.n_columns; ++column) {
            trees.push_back(class_tree(column, number * rows_.n_columns + column, should_stop));
        }
    }
    step_to(next_);
    std::swap(now_, next_);
    return finish(std::move(trees));
}

Rival::Outcome LogitBoost::finish(std::vector<Hypothesis> trees) const {
    Outcome outcome;
    outcome.trees = std::move(trees);
    outcome.edge = std::numeric_limits<double>::quiet_NaN();
    outcome.loss = now_.loss;
    if (!(outcome.loss * rows_.total_weight > kNoLoss)) {
        outcome.stop_reason = kSeparated;
    }
    return outcome;
}

// ------------------------------------------------------------------------------------ units

std::size_t LogitBoost::half_chunk() const {
    return rows_.n_columns <= 4 ? 4 : (rows_.n_columns <= 8 ? 8 : kChunkLanes / 2);
}

std::size_t LogitBoost::n_vector_lanes() const {
    return (rows_.n_columns + half_chunk() - 1) / half_chunk() * 2 * half_chunk();
}

// A curvature is never larger than its gradient, but against a base it can be.
double LogitBoost::unit_of_class(std::size_t k) {
    const double gradients = sum_over_rows(
        pool_, rows_.n_rows(), [&](std::size_t row) { return std::abs(gradient(k, row)); });
    if (base_ == kNoBase) {
        return unit_for(gradients);
    }
    const double curvatures =
        sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) { return curvature(k, row); });
    return unit_for(std::max(gradients, curvatures));
}

double LogitBoost::unit_of_classes() {
    double unit = unit_of_class(class_of(0));
    for (std::size_t column = 1; column < rows_.n_columns; ++column) {
        unit = std::min(unit, unit_of_class(class_of(column)));
    }
    return unit;
}

// One unit for all classes: their gains are added up.
void LogitBoost::fill_vector_units(double unit, RoundUnits& units, AlignedVector<Weight>& lanes) {
    const std::size_t n_lanes = units.classes.lanes;
    const std::size_t half = half_chunk();
    parallel_rows(pool_, rows_.n_rows(), 256,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t column = 0; column < rows_.n_columns; ++column) {
                          const std::size_t k = class_of(column);
                          float* lane = lanes.data() + gradient_lane(column);
                          for (std::size_t row = begin; row < end; ++row) {
                              lane[row * n_lanes] = static_cast<float>(gradient(k, row) * unit);
                              lane[row * n_lanes + half] =
                                  static_cast<float>(curvature(k, row) * unit);
                          }
                      }
                      for (std::size_t row = begin; row < end; ++row) {
                          const double size = rows_.weight[row] * now_.wrong[row] * unit;
                          units.row_mass[row] = static_cast<std::uint32_t>(std::ceil(size));
                      }
                  });
}

void LogitBoost::fill_class_units(std::size_t k, double unit) {
    parallel_rows(pool_, rows_.n_rows(), kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t row = begin; row < end; ++row) {
                          const double g = gradient(k, row) * unit;
                          float* lane = lanes_.data() + row * 4;
                          lane[0] = static_cast<float>(g);
                          lane[1] = static_cast<float>(curvature(k, row) * unit);
                          lane[2] = static_cast<float>(rows_.weight[row] * weight_unit_);
                          units_.row_mass[row] = static_cast<std::uint32_t>(std::abs(g));
                      }
                  });
}

// ------------------------------------------------------------------------------------ trees

Hypothesis LogitBoost::vector_tree(std::uint64_t draw, const ShouldStop& should_stop) {
    const double unit = unit_of_classes();
    fill_vector_units(unit, units_, lanes_);
    const Tree tree = grow(draw, should_stop);
    Hypothesis hypothesis = describe(tree, alpha_, unit);
    hypothesis.votes.resize(tree.n_leaves * rows_.n_columns);
    for (std::size_t column = 0; column < rows_.n_columns; ++column) {
        const std::vector<double> step = steps(class_of(column), tree.n_leaves);
        for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
            hypothesis.votes[leaf * rows_.n_columns + column] = step[leaf];
        }
        remember(column, step);
    }
    return hypothesis;
}

Hypothesis LogitBoost::class_tree(std::size_t column, std::uint64_t draw,
                                  const ShouldStop& should_stop) {
    const std::size_t k = class_of(column);
    const double unit = unit_of_class(k);
    fill_class_units(k, unit);
    const Tree tree = grow(draw, should_stop);
    const std::vector<double> step = steps(k, tree.n_leaves);
    const bool first_order = method_ == LogitMethod::Mart;
    Hypothesis hypothesis = describe(tree, alpha_, first_order ? unit * unit / weight_unit_ : unit);
    for (const double value : step) {
        hypothesis.pairs.push_back({.plus = static_cast<std::uint32_t>(column),
                                    .minus = static_cast<std::uint32_t>(base_),
                                    .value = value});
    }
    remember(column, step);
    return hypothesis;
}

std::vector<double> LogitBoost::steps(std::size_t k, std::size_t n_leaves) {
    const std::vector<double> sums =
        sum_over_leaves(pool_, leaf_of_row_, n_leaves, 2, [&](std::size_t term, std::size_t row) {
            return term == 0 ? gradient(k, row) : curvature(k, row);
        });
    // With a base, no score is left over: the factor made up for one too many.
    const double factor = base_ == kNoBase ? factor_ : 1.0;
    std::vector<double> step(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        const double g = sums[2 * leaf];
        const double h = sums[2 * leaf + 1];
        step[leaf] = h > 0 ? std::clamp(factor * g / h, -largest_step_, largest_step_) : 0.0;
    }
    return step;
}

// ------------------------------------------------------------------------------------ scores

void LogitBoost::remember(std::size_t column, const std::vector<double>& step) {
    const std::size_t n = rows_.n_rows();
    parallel_rows(pool_, n, kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t row = begin; row < end; ++row) {
                          step_[column * n + row] = step[leaf_of_row_[row]];
                      }
                  });
}

void LogitBoost::step_to(State& next) {
    const std::size_t n = rows_.n_rows();
    const double rate = options_.learning_rate;
    next.scores.resize(now_.scores.size());
    parallel_rows(pool_, n, kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t column = 0; column < rows_.n_columns; ++column) {
                          const std::size_t first = class_of(column) * n;
                          for (std::size_t row = begin; row < end; ++row) {
                              next.scores[first + row] =
                                  now_.scores[first + row] + rate * step_[column * n + row];
                          }
                      }
                      for (std::size_t row = begin; rows_.n_columns == 1 && row < end; ++row) {
                          next.scores[row] = -next.scores[n + row];
                      }
                  });
    set_probabilities(next);
}

void LogitBoost::set_probabilities(State& state) {
    const std::size_t n = rows_.n_rows();
    state.probability.resize(state.scores.size());
    state.wrong.resize(n);
    parallel_rows(pool_, n, kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      kernels_.softmax({.scores = state.scores.data() + begin,
                                        .label = rows_.label.data() + begin,
                                        .stride = n,
                                        .n_classes = rows_.n_classes,
                                        .n_rows = end - begin},
                                       {.probabilities = state.probability.data() + begin,
                                        .wrong = state.wrong.data() + begin});
                  });
    const double sum =
        sum_over_rows(pool_, n, [&](std::size_t row) { return row_loss(state, row); });
    state.loss = sum / rows_.total_weight;
}

double LogitBoost::row_loss(const State& state, std::size_t row) const {
    const double right = state.probability[rows_.label[row] * rows_.n_rows() + row];
    return rows_.weight[row] * (right < 0.5 ? -std::log(right) : -std::log1p(-state.wrong[row]));
}

}  // namespace mhb
