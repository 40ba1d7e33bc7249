// Rival: what the other boosters of single-label problems share: rounds in slices of time, the
// growing ensemble, evaluations. A round of theirs may append several trees.
//
// A class says what a row's lanes are and by what rule its cuts are compared
// (search/gain_rule.hpp); the grower, the search and the ensemble are AdaBoost.MH's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "boosters/evaluation.hpp"
#include "learners/tree_grower.hpp"

namespace mhb {

// The right class of each row, and what the row weighs.
struct LabelledRows {
    std::size_t n_columns = 0;
    std::size_t n_classes = 0;  // two where there is one column
    std::vector<std::uint32_t> label;
    std::vector<double> weight;
    double total_weight = 0;

    LabelledRows(const Targets& targets, std::vector<double> row_weights);

    [[nodiscard]] std::size_t n_rows() const { return label.size(); }
};

class Rival {
public:
    Rival(const Binner& binner, const BinnedMatrix& matrix, LabelledRows rows,
          const Options& options, VoteStorage storage);
    virtual ~Rival() = default;
    Rival(const Rival&) = delete;
    Rival& operator=(const Rival&) = delete;

    void add_evaluation(const BinnedMatrix& matrix, Targets targets,
                        std::vector<double> row_weights, Metric metric);

    // As AdaBoostMH::run.
    std::size_t run(std::size_t n_rounds, double seconds, const ShouldStop& should_stop);

    [[nodiscard]] bool finished() const { return !stop_reason_.empty(); }
    [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
    [[nodiscard]] const Ensemble& ensemble() const { return ensemble_; }
    [[nodiscard]] std::size_t n_rounds() const { return losses_.size(); }
    // One a round; edges are nan where the method has none.
    [[nodiscard]] const std::vector<double>& edges() const { return edges_; }
    [[nodiscard]] const std::vector<double>& losses() const { return losses_; }
    [[nodiscard]] const Evaluation& evaluation(std::size_t i) const { return *evaluations_.at(i); }

protected:
    // Trees of one round and what the loss is then.
    struct Outcome {
        std::vector<Hypothesis> trees;
        double edge = 0;
        double loss = 0;
        std::string stop_reason;  // empty: there is more to learn
    };
    // Boosts once. No trees: nothing was gained, and nothing may have changed. May throw
    // Interrupted before anything has changed.
    virtual Outcome round(std::uint64_t number, const ShouldStop& should_stop) = 0;

    // A tree of all rows.
    [[nodiscard]] Tree grow(std::uint64_t draw, const ShouldStop& should_stop);

    // The parts of a hypothesis that do not depend on the method; gains are divided by `unit`.
    [[nodiscard]] Hypothesis describe(const Tree& tree, double alpha, double unit) const;

    [[nodiscard]] double effective_rows() const {
        return options_.effective_rows > 0 ? options_.effective_rows
                                           : static_cast<double>(rows_.n_rows());
    }

    const BinnedMatrix& matrix_;
    Options options_;
    const Kernels& kernels_;
    ThreadPool pool_;
    LabelledRows rows_;
    TreeGrower grower_;
    RoundUnits units_;
    std::vector<std::uint32_t> leaf_of_row_;

private:
    void finish_round(Outcome outcome);

    const Binner& binner_;
    Ensemble ensemble_;
    std::vector<std::unique_ptr<Evaluation>> evaluations_;
    std::vector<double> edges_;
    std::vector<double> losses_;
    std::string stop_reason_;
};

}  // namespace mhb
