#include "boosters/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace mhb {
namespace {

constexpr std::size_t kRowGrain = 1024;

using Scores = std::span<const double>;

// One task's part of a row: its scores and which of its columns are positive (relative to the
// task).
struct TaskRow {
    Scores scores;
    std::span<const std::int32_t> positives;
    std::int32_t first_column;

    [[nodiscard]] bool positive(std::size_t column) const {
        return std::ranges::binary_search(positives,
                                          first_column + static_cast<std::int32_t>(column));
    }
};

double wrong(const TaskRow& task) {
    if (task.scores.size() == 1) {
        return (task.scores[0] > 0) == task.positive(0) ? 0.0 : 1.0;
    }
    const auto top = std::ranges::max_element(task.scores) - task.scores.begin();
    return task.positive(static_cast<std::size_t>(top)) ? 0.0 : 1.0;
}

double log_loss(const TaskRow& task) {
    const auto log_one_plus_exp = [](double x) {
        return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
    };
    if (task.scores.size() == 1) {
        return log_one_plus_exp(task.positive(0) ? -2 * task.scores[0] : 2 * task.scores[0]);
    }
    const double top = *std::ranges::max_element(task.scores);
    double sum = 0;
    double right = 0;
    for (std::size_t l = 0; l < task.scores.size(); ++l) {
        sum += std::exp(2 * (task.scores[l] - top));
        right = task.positive(l) ? task.scores[l] : right;
    }
    return std::log(sum) - 2 * (right - top);
}

double exponential_loss(const TaskRow& task) {
    double sum = 0;
    for (std::size_t l = 0; l < task.scores.size(); ++l) {
        sum += std::exp(task.positive(l) ? -task.scores[l] : task.scores[l]);
    }
    return sum / static_cast<double>(task.scores.size());
}

double task_loss(const TaskRow& task, Metric metric) {
    switch (metric) {
        case Metric::Error: return wrong(task);
        case Metric::LogLoss: return log_loss(task);
        case Metric::Exponential: break;
    }
    return exponential_loss(task);
}

}  // namespace

Evaluation::Evaluation(const BinnedMatrix& matrix, Targets targets, std::vector<double> row_weights,
                       Metric metric)
    : matrix_(matrix),
      targets_(std::move(targets)),
      row_weights_(std::move(row_weights)),
      metric_(metric) {
    if (targets_.n_rows() != matrix.n_rows() || row_weights_.size() != matrix.n_rows()) {
        throw std::invalid_argument("evaluation: " + std::to_string(matrix.n_rows()) +
                                    " rows, but targets for " + std::to_string(targets_.n_rows()) +
                                    " and weights for " + std::to_string(row_weights_.size()));
    }
    total_weight_ = std::accumulate(row_weights_.begin(), row_weights_.end(), 0.0);
    if (!(total_weight_ > 0) || !std::isfinite(total_weight_)) {
        throw std::invalid_argument("evaluation: the weights' sum must be positive and finite");
    }
    scores_.assign(matrix.n_rows() * targets_.n_columns(), 0.0);
}

double Evaluation::row_loss(std::size_t row) const {
    const auto offsets = targets_.task_offsets();
    const Scores scores(scores_.data() + row * targets_.n_columns(), targets_.n_columns());
    double sum = 0;
    for (std::size_t task = 0; task < targets_.n_tasks(); ++task) {
        const auto first = static_cast<std::size_t>(offsets[task]);
        const auto width = static_cast<std::size_t>(offsets[task + 1]) - first;
        sum += task_loss({.scores = scores.subspan(first, width),
                          .positives = targets_.positives(row),
                          .first_column = offsets[task]},
                         metric_);
    }
    return sum / static_cast<double>(targets_.n_tasks());
}

void Evaluation::add(const Ensemble& ensemble, std::size_t tree, ThreadPool& pool) {
    ensemble.find_leaves(tree, matrix_, pool, leaf_of_row_.data());
    parallel_rows(pool, matrix_.n_rows(), kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t row = begin; row < end; ++row) {
                          ensemble.add_votes(tree, leaf_of_row_[row],
                                             scores_.data() + row * targets_.n_columns());
                      }
                  });
}

void Evaluation::score(const Ensemble& ensemble, std::size_t begin, std::size_t end,
                       ThreadPool& pool) {
    const std::size_t n_rows = matrix_.n_rows();
    leaf_of_row_.resize(n_rows);
    for (std::size_t tree = begin; tree < end; ++tree) {
        add(ensemble, tree, pool);
    }
    std::vector<double> piece((n_rows + kRowGrain - 1) / kRowGrain, 0.0);
    parallel_rows(pool, n_rows, kRowGrain,
                  [&](std::size_t first, std::size_t last, std::size_t /*thread*/) {
                      double sum = 0;
                      for (std::size_t row = first; row < last; ++row) {
                          sum += row_weights_[row] * row_loss(row);
                      }
                      piece[first / kRowGrain] = sum;
                  });
    history_.push_back(std::accumulate(piece.begin(), piece.end(), 0.0) / total_weight_);
}

}  // namespace mhb
