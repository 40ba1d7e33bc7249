#include "data/binned_matrix.hpp"

#include <algorithm>

namespace mhb {

BinnedMatrix::BinnedMatrix(std::size_t n_rows, std::vector<FeatureInfo> features,
                           std::vector<FeatureGroup> groups)
    : n_rows_(n_rows), features_(std::move(features)), groups_(std::move(groups)) {
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
        group_of_.insert(group_of_.end(), groups_[g].n_features, g);
    }
}

Bin BinnedMatrix::bin(std::size_t row, std::size_t feature) const {
    const FeatureGroup& group = group_of(feature);
    const std::size_t column = feature - group.first_feature;
    switch (group.storage) {
        case Storage::Narrow: return group.narrow[row * group.n_features + column];
        case Storage::Wide: return group.wide[row * group.n_features + column];
        case Storage::Sparse: break;
    }
    const std::uint32_t begin = group.offset[column];
    const std::uint32_t end = group.offset[column + 1];
    const auto first = group.entries.begin() + static_cast<std::ptrdiff_t>(group.row_begin[row]);
    const auto last = group.entries.begin() + static_cast<std::ptrdiff_t>(group.row_begin[row + 1]);
    const auto entry = std::lower_bound(first, last, begin);
    const bool stored = entry != last && *entry < end;
    return static_cast<Bin>((stored ? *entry : group.zero_bin[column]) - begin);
}

std::size_t BinnedMatrix::n_bytes() const {
    std::size_t total = 0;
    for (const FeatureGroup& group : groups_) {
        total += group.narrow.size() + 2 * group.wide.size() + 4 * group.entries.size() +
                 8 * group.row_begin.size();
    }
    return total;
}

}  // namespace mhb
