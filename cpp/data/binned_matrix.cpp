#include "data/binned_matrix.hpp"

#include <algorithm>

namespace mhb {

BinnedMatrix::BinnedMatrix(std::size_t n_rows, std::vector<FeatureInfo> features,
                           std::vector<DenseColumn> columns, std::vector<SparseGroup> groups)
    : n_rows_(n_rows),
      features_(std::move(features)),
      columns_(std::move(columns)),
      groups_(std::move(groups)),
      places_(features_.size()) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        places_[j].storage = columns_[j].wide.empty() ? Storage::Narrow : Storage::Wide;
    }
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
        for (std::uint32_t k = 0; k < groups_[g].features.size(); ++k) {
            places_[groups_[g].features[k]] = {.storage = Storage::Sparse, .group = g, .column = k};
        }
    }
}

Bin BinnedMatrix::bin(std::size_t row, std::size_t feature) const {
    const Place& place = places_[feature];
    switch (place.storage) {
        case Storage::Narrow: return columns_[feature].narrow[row];
        case Storage::Wide: return columns_[feature].wide[row];
        case Storage::Sparse: break;
    }
    const SparseGroup& group = groups_[place.group];
    const std::uint32_t begin = group.offset[place.column];
    const std::uint32_t end = group.offset[place.column + 1];
    const auto first = group.entries.begin() + static_cast<std::ptrdiff_t>(group.row_begin[row]);
    const auto last = group.entries.begin() + static_cast<std::ptrdiff_t>(group.row_begin[row + 1]);
    const auto entry = std::lower_bound(first, last, begin);
    const bool stored = entry != last && *entry < end;
    return static_cast<Bin>((stored ? *entry : group.background[place.column]) - begin);
}

std::size_t BinnedMatrix::n_bytes() const {
    std::size_t total = 0;
    for (const DenseColumn& column : columns_) {
        total += column.narrow.size() + 2 * column.wide.size();
    }
    for (const SparseGroup& group : groups_) {
        total += 4 * group.entries.size() + 8 * group.row_begin.size();
    }
    return total;
}

}  // namespace mhb
