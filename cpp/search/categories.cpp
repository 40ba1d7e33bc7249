#include "search/categories.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mhb {
namespace {

UnitSum size_of(UnitSum value) { return value < 0 ? -value : value; }

// Classwise edges R_l - L_l of a split of the categories.
std::vector<UnitSum> classwise_edges(const CategoryTable& table, const std::vector<bool>& right) {
    std::vector<UnitSum> edges(table.n_columns, 0);
    for (std::size_t c = 0; c < table.n_categories; ++c) {
        const auto row = table.row(c);
        for (std::size_t l = 0; l < table.n_columns; ++l) {
            edges[l] += right[c] ? row[l] : -row[l];
        }
    }
    return edges;
}

UnitSum norm(const std::vector<UnitSum>& edges) {
    UnitSum sum = 0;
    for (const UnitSum edge : edges) {
        sum += size_of(edge);
    }
    return sum;
}

// With only category c on the + side, R_l - L_l = 2 G_c[l] - T_l.
SubsetCut one_against_rest(const CategoryTable& table) {
    const std::vector<UnitSum> total =
        classwise_edges(table, std::vector<bool>(table.n_categories, true));
    UnitSum best_edge = -1;
    std::size_t best = 0;
    for (std::size_t c = 0; c < table.n_categories; ++c) {
        UnitSum edge = 0;
        for (std::size_t l = 0; l < table.n_columns; ++l) {
            edge += size_of(2 * table.row(c)[l] - total[l]);
        }
        if (edge > best_edge) {
            best_edge = edge;
            best = c;
        }
    }
    std::vector<bool> right(table.n_categories, false);
    right[best] = true;
    return {.right = std::move(right), .edge = best_edge};
}

void normalise(std::vector<double>& vector) {
    double largest = 0;
    for (const double value : vector) {
        largest = std::max(largest, std::abs(value));
    }
    if (largest > 0) {
        for (double& value : vector) {
            value /= largest;
        }
    }
}

// Where the categories lie along the table's first singular vector (power iteration).
std::vector<double> leading_positions(const CategoryTable& table) {
    constexpr int kIterations = 20;
    std::size_t start = 0;
    UnitSum largest = -1;
    for (std::size_t c = 0; c < table.n_categories; ++c) {
        UnitSum size = 0;
        for (const UnitSum value : table.row(c)) {
            size += size_of(value);
        }
        if (size > largest) {
            largest = size;
            start = c;
        }
    }
    std::vector<double> direction(table.row(start).begin(), table.row(start).end());
    normalise(direction);
    std::vector<double> positions(table.n_categories);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        std::vector<double> next(table.n_columns, 0.0);
        for (std::size_t c = 0; c < table.n_categories; ++c) {
            const auto row = table.row(c);
            double position = 0;
            for (std::size_t l = 0; l < table.n_columns; ++l) {
                position += static_cast<double>(row[l]) * direction[l];
            }
            positions[c] = position;
            for (std::size_t l = 0; l < table.n_columns; ++l) {
                next[l] += static_cast<double>(row[l]) * position;
            }
        }
        normalise(next);
        direction = std::move(next);
    }
    return positions;
}

// The best prefix of the categories in the order of their positions; empty rows stay on the - side.
SubsetCut best_along(const CategoryTable& table, const std::vector<double>& positions) {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < table.n_categories; ++c) {
        if (std::ranges::any_of(table.row(c), [](UnitSum value) { return value != 0; })) {
            order.push_back(c);
        }
    }
    std::ranges::sort(order, {}, [&](std::size_t c) { return std::pair(positions[c], c); });
    std::vector<bool> right(table.n_categories, false);
    for (const std::size_t c : order) {
        right[c] = true;
    }
    std::vector<UnitSum> edges = classwise_edges(table, right);
    SubsetCut best;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        right[order[i]] = false;
        for (std::size_t l = 0; l < table.n_columns; ++l) {
            edges[l] -= 2 * table.row(order[i])[l];
        }
        if (const UnitSum edge = norm(edges); edge > best.edge) {
            best = {.right = right, .edge = edge};
        }
    }
    return best;
}

SubsetCut climb(const CategoryTable& table, SubsetCut best) {
    while (best.edge >= 0) {
        const std::vector<UnitSum> edges = classwise_edges(table, best.right);
        std::vector<bool> right(table.n_categories, false);
        for (std::size_t c = 0; c < table.n_categories; ++c) {
            UnitSum agreement = 0;
            for (std::size_t l = 0; l < table.n_columns; ++l) {
                agreement += edges[l] > 0 ? table.row(c)[l] : -table.row(c)[l];
            }
            right[c] = agreement > 0;
        }
        const UnitSum edge = norm(classwise_edges(table, right));
        if (edge <= best.edge) {
            break;
        }
        best = {.right = std::move(right), .edge = edge};
    }
    return best;
}

}  // namespace

SubsetCut best_subset(const CategoryTable& table) {
    const SubsetCut from_one = climb(table, one_against_rest(table));
    const SubsetCut from_vector = climb(table, best_along(table, leading_positions(table)));
    return from_vector.edge > from_one.edge ? from_vector : from_one;
}

Term subset_term(std::uint32_t feature, const FeatureInfo& info, const std::vector<bool>& right) {
    Term term;
    term.feature = feature;
    term.right.assign((info.value_bins + 63) / 64, 0);
    for (std::uint32_t c = 0; c < info.value_bins; ++c) {
        if (right[c]) {
            term.right[c / 64] |= std::uint64_t{1} << (c % 64);
        }
    }
    term.missing_right = info.has_missing && right[info.value_bins];
    return term;
}

}  // namespace mhb
