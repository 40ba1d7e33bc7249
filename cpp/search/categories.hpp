// The best subset cut of a categorical feature, by alternating between sides and votes.
//
// The table holds, for each category c, the class sums G_c over the node's rows. Given votes v, c
// goes to the side of the sign of sum_l v_l G_c[l]; given the sides, v_l is the sign of the
// classwise edge. Neither step lowers the edge; whole numbers, so the climb ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "cuts/cut.hpp"

namespace mhb {

// n_rows categories x n_columns classes; the last row is the missing values' where there are any.
struct CategoryTable {
    std::size_t n_categories = 0;
    std::size_t n_columns = 0;
    std::vector<UnitSum> sums;

    void reset(std::size_t categories, std::size_t columns) {
        n_categories = categories;
        n_columns = columns;
        sums.assign(categories * columns, 0);
    }
    [[nodiscard]] std::span<const UnitSum> row(std::size_t category) const {
        return {sums.data() + category * n_columns, n_columns};
    }
};

struct SubsetCut {
    std::vector<bool> right;  // per row of the table: on the + side
    UnitSum edge = -1;
};

SubsetCut best_subset(const CategoryTable& table);

// The term of a subset: `right` has one entry a category, and one for the missing values if there
// were any.
Term subset_term(std::uint32_t feature, const FeatureInfo& info, const std::vector<bool>& right);

}  // namespace mhb
