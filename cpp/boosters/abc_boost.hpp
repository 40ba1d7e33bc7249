// ABC-MART and ABC-LogitBoost: adaptive base class (Li 2009, 2010).
//
// Scores of a row sum to zero, so one class, the base, is minus the sum of the others:
//
//   g = g_k - g_base      h = h_k + h_base + 2 p_k p_base      F_k += step, F_base -= step
//
// and K - 1 trees are grown. Which class is the base is searched: each candidate's trees are grown,
// and those are kept that leave the smallest loss. The base has an empty tree, so that a round has
// as many trees as there are classes. Two classes have but one tree, and nothing to choose.
#pragma once

#include <vector>

#include "boosters/logit_boost.hpp"

namespace mhb {

struct BaseSearch {
    std::size_t n_candidates = 2;  // the classes of the largest loss; 0: all
    std::size_t gap = 5;           // rounds that keep the base, between two that search
    std::size_t warm_up = 0;       // rounds without a base at first
};

class AbcBoost : public LogitBoost {
public:
    AbcBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
             const LogitOptions& options, const BaseSearch& search)
        : LogitBoost(binner, matrix, rows, options), search_(search) {}

private:
    Outcome round(std::uint64_t number, const ShouldStop& should_stop) override;
    [[nodiscard]] std::vector<std::size_t> candidates(std::uint64_t number);
    std::vector<Hypothesis> trees_against(std::size_t base, std::uint64_t number,
                                          const ShouldStop& should_stop);
    Hypothesis empty_tree(std::size_t base);

    BaseSearch search_;
    std::size_t last_base_ = 0;
    State best_;
};

}  // namespace mhb
