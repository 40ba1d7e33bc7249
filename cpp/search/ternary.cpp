#include "search/ternary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mhb {

TernaryVotes cast_ternary(std::span<const UnitSum> edge, std::span<const UnitSum> mass) {
    const std::size_t n = edge.size();
    std::vector<double> right(n);
    std::vector<double> wrong(n);
    std::vector<std::size_t> order;
    double total = 0;
    for (std::size_t l = 0; l < n; ++l) {
        const auto size = static_cast<double>(edge[l] < 0 ? -edge[l] : edge[l]);
        right[l] = (static_cast<double>(mass[l]) + size) / 2;
        wrong[l] = (static_cast<double>(mass[l]) - size) / 2;
        total += static_cast<double>(mass[l]);
        if (mass[l] > 0) {
            order.push_back(l);
        }
    }
    std::ranges::sort(order, {}, [&](std::size_t l) { return std::pair(wrong[l] / right[l], l); });

    TernaryVotes best{.votes = std::vector<std::int8_t>(n, 0), .edge = 0, .energy = total};
    // Where any class has an edge, at least one votes, even if rounding hides what it gains.
    const bool any_edge = std::ranges::any_of(edge, [](UnitSum gamma) { return gamma != 0; });
    if (any_edge) {
        best.energy = std::numeric_limits<double>::infinity();
    }
    double sum_right = 0;
    double sum_wrong = 0;
    std::size_t n_voters = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        sum_right += right[order[i]];
        sum_wrong += wrong[order[i]];
        const double energy =
            (total - sum_right - sum_wrong) + 2 * std::sqrt(sum_right * sum_wrong);
        if (energy < best.energy) {
            best.energy = energy;
            n_voters = i + 1;
        }
    }
    for (std::size_t i = 0; i < n_voters; ++i) {
        const UnitSum gamma = edge[order[i]];
        best.votes[order[i]] = gamma > 0 ? 1 : -1;
        best.edge += gamma > 0 ? gamma : -gamma;
    }
    return best;
}

}  // namespace mhb
