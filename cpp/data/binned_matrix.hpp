// BinnedMatrix: the rows as small integers, immutable, laid out for the histogram loop.
//
// Features are cut into groups of neighbours. A dense group is row-major, so that a row's weights
// can stay in registers while all the features of the group are added:
//
//   group 0: features 0..15        group 1: features 16..31
//   row 0    b b b b ... b         row 0    b b b b ... b      one byte a bin, or two where a
//   row 1    b b b b ... b         row 1    b b b b ... b      group needs more than 256
//
// A sparse group stores, row after row, the histogram bins of the values that are not zero; the
// zero's bin is never stored: its sum is the node's total minus the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "base/types.hpp"

namespace mhb {

inline constexpr std::uint32_t kGroupWidth = 16;

struct FeatureInfo {
    std::uint32_t value_bins = 1;  // bins of values or categories
    bool has_missing = false;      // in training: then bin `value_bins` holds the missing values
    bool categorical = false;

    [[nodiscard]] std::uint32_t n_bins() const { return value_bins + (has_missing ? 1U : 0U); }
};

enum class Storage : std::uint8_t { Narrow, Wide, Sparse };

struct FeatureGroup {
    std::uint32_t first_feature = 0;
    std::uint32_t n_features = 0;
    Storage storage = Storage::Narrow;
    // First histogram bin of each feature of the group, and the end: n_features + 1 numbers.
    std::vector<std::uint32_t> offset;

    AlignedVector<std::uint8_t> narrow;  // n_rows x n_features
    AlignedVector<std::uint16_t> wide;   // n_rows x n_features

    std::vector<std::uint64_t> row_begin;  // n_rows + 1, into entries
    AlignedVector<std::uint32_t> entries;  // histogram bins, rising in each row
    std::vector<std::uint32_t> zero_bin;   // per feature: histogram bin of the value zero

    [[nodiscard]] std::uint32_t n_bins() const { return offset.back(); }
};

class BinnedMatrix {
public:
    BinnedMatrix(std::size_t n_rows, std::vector<FeatureInfo> features,
                 std::vector<FeatureGroup> groups);

    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
    [[nodiscard]] std::size_t n_features() const { return features_.size(); }
    [[nodiscard]] const FeatureInfo& feature(std::size_t j) const { return features_[j]; }
    [[nodiscard]] const std::vector<FeatureGroup>& groups() const { return groups_; }
    [[nodiscard]] const FeatureGroup& group_of(std::size_t j) const {
        return groups_[group_of_[j]];
    }
    [[nodiscard]] Bin bin(std::size_t row, std::size_t feature) const;
    [[nodiscard]] std::size_t n_bytes() const;

private:
    std::size_t n_rows_;
    std::vector<FeatureInfo> features_;
    std::vector<FeatureGroup> groups_;
    std::vector<std::uint32_t> group_of_;
};

}  // namespace mhb
