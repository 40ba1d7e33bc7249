#include "boosters/rival.hpp"

#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/denormals.hpp"

namespace mhb {

LabelledRows::LabelledRows(const Targets& targets, std::vector<double> row_weights)
    : n_columns(targets.n_columns()),
      n_classes(n_columns == 1 ? 2 : n_columns),
      label(targets.n_rows()),
      weight(std::move(row_weights)),
      total_weight(std::accumulate(weight.begin(), weight.end(), 0.0)) {
    if (weight.size() != label.size() || !(total_weight > 0) || !std::isfinite(total_weight)) {
        throw std::invalid_argument("booster: rows want one weight each, of a positive sum");
    }
    for (std::size_t row = 0; row < label.size(); ++row) {
        const auto positives = targets.positives(row);
        if (targets.n_tasks() != 1 || (n_columns > 1 && positives.size() != 1)) {
            throw std::invalid_argument("booster: a row wants exactly one class");
        }
        label[row] = n_columns == 1 ? static_cast<std::uint32_t>(positives.size())
                                    : static_cast<std::uint32_t>(positives[0]);
    }
}

Rival::Rival(const Binner& binner, const BinnedMatrix& matrix, LabelledRows rows,
             const Options& options, VoteStorage storage)
    : matrix_(matrix),
      options_(options),
      kernels_(active_kernels()),
      pool_(options.n_threads, Denormals::Flush),
      rows_(std::move(rows)),
      grower_(matrix, kernels_, pool_, options),
      leaf_of_row_(matrix.n_rows()),
      binner_(binner),
      ensemble_(matrix.n_features(), rows_.n_columns, storage) {
    if (rows_.n_rows() != matrix.n_rows()) {
        throw std::invalid_argument("booster: " + std::to_string(matrix.n_rows()) +
                                    " rows, but labels for " + std::to_string(rows_.n_rows()));
    }
    units_.n_rows = matrix.n_rows();
    units_.scale = 1.0F;
    units_.row_mass.resize(matrix.n_rows());
}

void Rival::add_evaluation(const BinnedMatrix& matrix, Targets targets,
                           std::vector<double> row_weights, Metric metric) {
    if (targets.n_columns() != rows_.n_columns) {
        throw std::invalid_argument("evaluation: " + std::to_string(targets.n_columns()) +
                                    " columns, training has " + std::to_string(rows_.n_columns));
    }
    evaluations_.push_back(
        std::make_unique<Evaluation>(matrix, std::move(targets), std::move(row_weights), metric));
}

std::size_t Rival::run(std::size_t n_rounds, double seconds, const ShouldStop& should_stop) {
    const FlushDenormals flush;
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const std::size_t before = this->n_rounds();
    try {
        while (this->n_rounds() - before < n_rounds && !finished() && !should_stop()) {
            finish_round(round(this->n_rounds(), should_stop));
            if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) {
                break;
            }
        }
    } catch (const Interrupted&) {
        return this->n_rounds() - before;
    }
    return this->n_rounds() - before;
}

void Rival::finish_round(Outcome outcome) {
    stop_reason_ = std::move(outcome.stop_reason);
    if (outcome.trees.empty()) {
        return;
    }
    const std::size_t first = ensemble_.n_rounds();
    for (const Hypothesis& tree : outcome.trees) {
        ensemble_.append(tree, binner_);
    }
    edges_.push_back(outcome.edge);
    losses_.push_back(outcome.loss);
    for (const auto& evaluation : evaluations_) {
        evaluation->score(ensemble_, first, ensemble_.n_rounds(), pool_);
    }
}

Tree Rival::grow(std::uint64_t draw, const ShouldStop& should_stop) {
    grower_.rows().resize(rows_.n_rows());
    std::iota(grower_.rows().begin(), grower_.rows().end(), RowIndex{0});
    return grower_.grow(units_, draw, should_stop, leaf_of_row_);
}

Hypothesis Rival::describe(const Tree& tree, double alpha, double unit) const {
    Hypothesis hypothesis;
    hypothesis.alpha = alpha;
    hypothesis.leaf_weight.assign(tree.n_leaves, 0.0);
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        hypothesis.leaf_weight[leaf_of_row_[row]] += rows_.weight[row] / rows_.total_weight;
    }
    for (const TreeNode& node : tree.nodes) {
        hypothesis.nodes.push_back({.cut = node.cut,
                                    .left = node.left,
                                    .right = node.right,
                                    .gain = node.gain / (unit * rows_.total_weight)});
    }
    set_node_weights(hypothesis);
    return hypothesis;
}

}  // namespace mhb
