// Evaluation: a set of rows kept out of training, scored after every round.
#pragma once

#include <vector>

#include "base/threads.hpp"
#include "data/targets.hpp"
#include "ensemble/ensemble.hpp"

namespace mhb {

enum class Metric : std::uint8_t {
    Error,       // share of wrong decisions, mean over tasks: one-error, or Hamming loss
    LogLoss,     // of p = sigmoid(2 f) or softmax(2 f), mean over tasks
    Exponential  // exp(-f y), mean over columns
};

class Evaluation {
public:
    // The matrix is kept by reference and must outlive this.
    Evaluation(const BinnedMatrix& matrix, Targets targets, std::vector<double> row_weights,
               Metric metric);

    // Adds the ensemble's trees begin .. end to the scores and the metric to the history.
    void score(const Ensemble& ensemble, std::size_t begin, std::size_t end, ThreadPool& pool);

    [[nodiscard]] const std::vector<double>& history() const { return history_; }

private:
    void add(const Ensemble& ensemble, std::size_t tree, ThreadPool& pool);
    [[nodiscard]] double row_loss(std::size_t row) const;

    const BinnedMatrix& matrix_;
    Targets targets_;
    std::vector<double> row_weights_;
    double total_weight_ = 0;
    Metric metric_;
    std::vector<double> scores_;  // n_rows x n_columns
    std::vector<std::uint32_t> leaf_of_row_;
    std::vector<double> history_;
};

}  // namespace mhb
