// AOSO-LogitBoost: adaptive one against one (Sun, Reid & Zhou 2012).
//
// One tree a round. A node moves two classes, r up and s down: r has the largest gradient in the
// node, s is the class against which a step gains most.
//
//   G_r - G_s, Q = H_r + H_s + 2 sum p_r p_s        step (G_r - G_s) / Q, gain (G_r - G_s)^2 / Q
//
// So the lanes are the node's own: each node is added up anew, from lanes of its pair.
#pragma once

#include <vector>

#include "boosters/logit_boost.hpp"

namespace mhb {

class AosoBoost : public LogitBoost, private NodeLanes {
public:
    AosoBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
              const LogitOptions& options);

private:
    struct Pair {
        std::size_t plus = 0;
        std::size_t minus = 0;
    };

    Outcome round(std::uint64_t number, const ShouldStop& should_stop) override;
    void prepare(std::span<const RowIndex> rows) override;
    void fill_rows();
    [[nodiscard]] std::size_t steepest(const Unit* sums) const;
    // `products`: sums of p_r p_k over the rows, r the class that goes up.
    [[nodiscard]] std::size_t opponent(const Unit* sums, const float* products,
                                       std::size_t plus) const;
    void add_products(std::size_t row, std::size_t plus, float* products) const;
    [[nodiscard]] AlignedVector<Unit> sum_leaves(std::size_t n_leaves);
    [[nodiscard]] std::vector<Pair> pairs_of_leaves(std::size_t n_leaves);
    [[nodiscard]] std::vector<PairVote> votes(const std::vector<Pair>& pairs);

    double unit_ = 1;
    RoundUnits all_;  // all classes
    AlignedVector<Weight> all_lanes_;
    std::size_t width_;       // of a row of probabilities
    AlignedVector<float> p_;  // n_rows x width_
};

}  // namespace mhb
