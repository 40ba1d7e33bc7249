// Scalar classifiers phi: rows -> {-1, +1}, the label-independent half of a base classifier.
//
// A Term looks at one feature: x >= b, or "x is one of these categories". A Cut is the product of
// the signs of its terms: none is the constant +1, one is a stump's cut, more are a Hamming
// product.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "data/binned_matrix.hpp"

namespace mhb {

struct Term {
    std::uint32_t feature = 0;
    // Numeric: +1 iff bin >= first_right, that is x >= threshold number first_right - 1. With 0,
    // all values are on the + side and the cut can only tell missing from present.
    std::uint32_t first_right = 0;
    // Categorical: one bit a category, set on the + side. Empty for numeric features.
    std::vector<std::uint64_t> right;
    bool missing_right = true;
    bool unseen_right = true;  // categories that training did not see

    [[nodiscard]] bool categorical() const { return !right.empty(); }

    [[nodiscard]] bool goes_right(Bin bin, const FeatureInfo& info) const {
        if (bin < info.value_bins) {
            return categorical() ? ((right[bin / 64] >> (bin % 64)) & 1U) != 0 : bin >= first_right;
        }
        return bin == info.value_bins ? missing_right : unseen_right;
    }
};

// Links of a tree: to a node (>= 0), or to a leaf (~leaf).
inline std::size_t leaf_of(std::int32_t link) {
    const std::int32_t leaf = ~link;
    return static_cast<std::size_t>(leaf);
}

struct Cut {
    std::vector<Term> terms;

    [[nodiscard]] bool constant() const { return terms.empty(); }

    [[nodiscard]] bool goes_right(const BinnedMatrix& matrix, std::size_t row) const {
        bool positive = true;
        for (const Term& term : terms) {
            const Bin bin = matrix.bin(row, term.feature);
            positive = positive == term.goes_right(bin, matrix.feature(term.feature));
        }
        return positive;
    }
};

}  // namespace mhb
