#include "boosters/abc_boost.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "boosters/row_sums.hpp"

namespace mhb {

Rival::Outcome AbcBoost::round(std::uint64_t number, const ShouldStop& should_stop) {
    if (rows_.n_columns == 1 || number < search_.warm_up) {
        return LogitBoost::round(number, should_stop);
    }
    std::vector<Hypothesis> best_trees;
    for (const std::size_t base : candidates(number)) {
        std::vector<Hypothesis> trees = trees_against(base, number, should_stop);
        step_to(next_);
        if (best_trees.empty() || next_.loss < best_.loss) {
            best_trees = std::move(trees);
            std::swap(best_, next_);
            last_base_ = base;
        }
    }
    std::swap(now_, best_);
    return finish(std::move(best_trees));
}

// Classes by falling loss; of equals the first comes first.
std::vector<std::size_t> AbcBoost::candidates(std::uint64_t number) {
    if ((number - search_.warm_up) % (search_.gap + 1) != 0) {
        return {last_base_};
    }
    const std::vector<double> loss =
        sum_over_leaves(pool_, rows_.label, rows_.n_classes, 1,
                        [&](std::size_t /*term*/, std::size_t row) { return row_loss(now_, row); });
    std::vector<std::size_t> classes(rows_.n_classes);
    std::iota(classes.begin(), classes.end(), std::size_t{0});
    std::ranges::sort(classes, {}, [&](std::size_t k) { return std::pair(-loss[k], k); });
    if (search_.n_candidates > 0 && search_.n_candidates < classes.size()) {
        classes.resize(search_.n_candidates);
    }
    return classes;
}

std::vector<Hypothesis> AbcBoost::trees_against(std::size_t base, std::uint64_t number,
                                                const ShouldStop& should_stop) {
    base_ = base;
    const std::size_t n = rows_.n_rows();
    const auto of_base = step_.begin() + static_cast<std::ptrdiff_t>(base * n);
    std::vector<double> sum(n, 0.0);
    std::vector<Hypothesis> trees;
    for (std::size_t column = 0; column < rows_.n_columns; ++column) {
        if (column == base) {
            trees.push_back(empty_tree(base));
            continue;
        }
        trees.push_back(class_tree(column, number * rows_.n_columns + column, should_stop));
        for (std::size_t row = 0; row < n; ++row) {
            sum[row] -= step_[column * n + row];
        }
    }
    std::ranges::copy(sum, of_base);
    return trees;
}

Hypothesis AbcBoost::empty_tree(std::size_t base) {
    std::ranges::fill(leaf_of_row_, 0U);
    Hypothesis hypothesis = describe(Tree{}, alpha(), 1.0);
    hypothesis.pairs.push_back({.plus = static_cast<std::uint32_t>(base), .value = 0.0});
    return hypothesis;
}

}  // namespace mhb
