// AdaBoostMH: the paper's Figure 1, a round at a time.
//
//   weights ──units──> tree of cuts ──leaf sums──> votes, edge, alpha ──> hypothesis
//      ^                                                                     │
//      └──────────────── g *= exp(-alpha v y) / Z <──────────────────────────┘
//
// Cost of a round: the search (see StumpSearch), and two passes over the n x K weights. It owns the
// weights, the growing ensemble and the evaluations' scores; the matrices stay with the caller.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "boosters/evaluation.hpp"
#include "learners/tree_grower.hpp"
#include "learners/votes.hpp"
#include "weights/signed_weights.hpp"

namespace mhb {

class AdaBoostMH {
public:
    AdaBoostMH(const Binner& binner, const BinnedMatrix& matrix, SignedWeights weights,
               const Options& options);

    void add_evaluation(const BinnedMatrix& matrix, Targets targets,
                        std::vector<double> row_weights, Metric metric);

    // Boosts until n_rounds are done, `seconds` have passed (one round at least), or nothing is
    // left to gain. Returns the rounds done. When should_stop says so, the unfinished round is
    // dropped.
    std::size_t run(std::size_t n_rounds, double seconds, const ShouldStop& should_stop);

    // Brings a new booster to where it was after these rounds, bit for bit. Throws Interrupted.
    void replay(const Ensemble& ensemble, const ShouldStop& should_stop);

    [[nodiscard]] bool finished() const { return !stop_reason_.empty(); }
    [[nodiscard]] const std::string& stop_reason() const { return stop_reason_; }
    [[nodiscard]] const Ensemble& ensemble() const { return ensemble_; }
    [[nodiscard]] const std::vector<double>& edges() const { return edges_; }
    [[nodiscard]] const std::vector<double>& losses() const { return losses_; }
    [[nodiscard]] const Evaluation& evaluation(std::size_t i) const { return *evaluations_.at(i); }

private:
    bool round(const ShouldStop& should_stop);
    bool boost(std::uint64_t draw, const ShouldStop& should_stop);
    void draw_units(std::uint64_t draw);
    SampledClasses draw_classes(std::uint64_t draw);
    void scale_sample();
    void draw_rows(std::uint64_t draw);
    void take_heavy_rows(std::uint32_t lightest);
    [[nodiscard]] LeafSums sum_leaves(const Tree& tree);
    [[nodiscard]] double effective_rows() const {
        return options_.effective_rows > 0 ? options_.effective_rows
                                           : static_cast<double>(weights_.n_rows());
    }
    [[nodiscard]] bool samples_classes() const {
        return options_.class_sample > 0 && options_.class_sample < weights_.n_columns();
    }
    void reweight(std::uint64_t number, const Votes& votes, const VoteSummary& summary,
                  const LeafSums& sums, double alpha);
    void finish_round(std::size_t number, const VoteSummary& summary);
    [[nodiscard]] Hypothesis describe(const Tree& tree, const Votes& votes, const LeafSums& sums,
                                      const VoteSummary& summary, double alpha) const;

    const Binner& binner_;
    const BinnedMatrix& matrix_;
    Options options_;
    const Kernels& kernels_;
    ThreadPool pool_;
    SignedWeights weights_;
    TreeGrower grower_;
    Ensemble ensemble_;
    std::vector<std::unique_ptr<Evaluation>> evaluations_;

    RoundUnits units_;
    std::vector<std::uint32_t> classes_;  // that the search looks at, if not at all
    bool units_are_fresh_ = false;        // masses, or the sample: set by the last update already
    std::vector<std::uint32_t> leaf_of_row_;
    double log_scale_ = 0;  // log of the product of all normalisers so far
    std::vector<double> edges_;
    std::vector<double> losses_;
    std::string stop_reason_;
};

}  // namespace mhb
