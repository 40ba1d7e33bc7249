// BinnedMatrix: the rows as small integers, immutable, laid out for the histogram loop.
//
// A dense feature is a column, so that a few of them can be added side by side while a row's
// weights stay in registers:
//
//   feature 0   b b b b b ...      one byte a row, or two where the feature needs more than 256
//   bins feature 1   b b b b b ...
//
// Where most rows of a feature share a bin, the background (the zeros of a sparse matrix, the paper
// around a digit), only the other rows are stored, for some such features together, row after row:
//
//   group       row 0: 17 260      row 1: 3      row 2: -        histogram bins of the group
//
// The background is never added up: its sum is the node's total minus the feature's other bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/types.hpp"

namespace mhb {

struct FeatureInfo {
    std::uint32_t value_bins = 1;  // bins of values or categories
    bool has_missing = false;      // in training: then bin `value_bins` holds the missing values
    bool categorical = false;

    [[nodiscard]] std::uint32_t n_bins() const { return value_bins + (has_missing ? 1U : 0U); }
};

enum class Storage : std::uint8_t { Narrow, Wide, Sparse };

// The bins of one feature, a number a row; one of the two is empty.
struct DenseColumn {
    AlignedVector<std::uint8_t> narrow;
    AlignedVector<std::uint16_t> wide;
};

struct SparseGroup {
    std::vector<std::uint32_t> features;  // rising
    // First histogram bin of each feature of the group, and the end: features.size() + 1 numbers.
    std::vector<std::uint32_t> offset;
    std::vector<std::uint32_t> background;  // per feature: histogram bin that is not stored
    std::vector<std::uint64_t> row_begin;   // n_rows + 1, into entries
    AlignedVector<std::uint32_t> entries;   // histogram bins, rising in each row

    [[nodiscard]] std::uint32_t n_bins() const { return offset.back(); }
};

class BinnedMatrix {
public:
    // columns[j] is empty where feature j is in one of the groups.
    BinnedMatrix(std::size_t n_rows, std::vector<FeatureInfo> features,
                 std::vector<DenseColumn> columns, std::vector<SparseGroup> groups);

    // Where a feature's bins are: its own column, or a place in a group.
    struct Place {
        Storage storage = Storage::Narrow;
        std::uint32_t group = 0;
        std::uint32_t column = 0;  // within the group
    };

    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
    [[nodiscard]] std::size_t n_features() const { return features_.size(); }
    [[nodiscard]] const FeatureInfo& feature(std::size_t j) const { return features_[j]; }
    [[nodiscard]] const Place& place(std::size_t j) const { return places_[j]; }
    [[nodiscard]] const DenseColumn& column(std::size_t j) const { return columns_[j]; }
    [[nodiscard]] std::size_t n_groups() const { return groups_.size(); }
    [[nodiscard]] const SparseGroup& group(std::size_t g) const { return groups_[g]; }
    [[nodiscard]] Bin bin(std::size_t row, std::size_t feature) const;
    [[nodiscard]] std::size_t n_bytes() const;

private:
    std::size_t n_rows_;
    std::vector<FeatureInfo> features_;
    std::vector<DenseColumn> columns_;
    std::vector<SparseGroup> groups_;
    std::vector<Place> places_;
};

}  // namespace mhb
