// Binner::transform: values -> bins, group by group, in parallel.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "data/binner.hpp"

namespace mhb {
namespace {

constexpr std::size_t kRowBlock = 4096;
// A sparse group's histogram stays within the second-level cache.
constexpr std::uint32_t kSparseGroupBins = 16'384;

FeatureInfo info_of(const FeatureBins& bins) {
    return {.value_bins = static_cast<std::uint32_t>(bins.value_bins()),
            .has_missing = bins.has_missing,
            .categorical = bins.categorical()};
}

std::vector<FeatureGroup> dense_groups(std::span<const FeatureInfo> features) {
    std::vector<FeatureGroup> groups;
    for (std::uint32_t first = 0; first < features.size(); first += kGroupWidth) {
        FeatureGroup group;
        group.first_feature = first;
        group.n_features =
            std::min(kGroupWidth, static_cast<std::uint32_t>(features.size()) - first);
        group.offset.push_back(0);
        for (std::uint32_t j = first; j < first + group.n_features; ++j) {
            group.offset.push_back(group.offset.back() + features[j].n_bins());
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

template <class Stored>
bool write_dense(const Binner& binner, const RawMatrix& raw, const FeatureGroup& group,
                 Stored* bins) {
    std::vector<double> values(kRowBlock);
    unsigned largest = 0;
    for (std::size_t begin = 0; begin < raw.n_rows(); begin += kRowBlock) {
        const std::size_t end = std::min(begin + kRowBlock, raw.n_rows());
        for (std::uint32_t column = 0; column < group.n_features; ++column) {
            const std::size_t feature = group.first_feature + column;
            const FeatureBins& feature_bins = binner.features()[feature];
            raw.read_column(feature, begin, end, values.data());
            for (std::size_t i = 0; i < end - begin; ++i) {
                const Bin bin = feature_bins.bin(values[i]);
                largest = std::max<unsigned>(largest, bin);
                bins[(begin + i) * group.n_features + column] = static_cast<Stored>(bin);
            }
        }
    }
    return largest <= std::numeric_limits<Stored>::max();
}

void fill_dense(const Binner& binner, const RawMatrix& raw, FeatureGroup& group) {
    std::uint32_t most_bins = 0;
    for (std::uint32_t column = 0; column < group.n_features; ++column) {
        most_bins = std::max(most_bins, group.offset[column + 1] - group.offset[column]);
    }
    const std::size_t size = raw.n_rows() * group.n_features;
    if (most_bins <= 256) {
        group.narrow.resize(size);
        if (write_dense(binner, raw, group, group.narrow.data())) {
            return;
        }
        group.narrow = {};  // a missing or unseen value needs a bin beyond 255
    }
    group.storage = Storage::Wide;
    group.wide.resize(size);
    write_dense(binner, raw, group, group.wide.data());
}

// Sparse groups reserve bins for missing and unseen values of every feature.
std::vector<FeatureGroup> sparse_groups(std::span<const FeatureInfo> features) {
    std::vector<FeatureGroup> groups;
    for (std::uint32_t j = 0; j < features.size(); ++j) {
        const std::uint32_t width = features[j].value_bins + 2;
        if (groups.empty() || groups.back().n_bins() + width > kSparseGroupBins) {
            FeatureGroup group;
            group.first_feature = j;
            group.storage = Storage::Sparse;
            group.offset.push_back(0);
            groups.push_back(std::move(group));
        }
        groups.back().offset.push_back(groups.back().n_bins() + width);
        ++groups.back().n_features;
    }
    return groups;
}

// Calls visit(row, histogram bin) for every stored value whose bin is not the zero's.
template <class Visit>
void for_each_entry(const Binner& binner, const RawMatrix& raw, const FeatureGroup& group,
                    const Visit& visit) {
    const CompressedView& view = raw.compressed();
    for (std::uint32_t column = 0; column < group.n_features; ++column) {
        const std::size_t feature = group.first_feature + column;
        const FeatureBins& bins = binner.features()[feature];
        for (auto i = static_cast<std::size_t>(view.indptr[feature]);
             i < static_cast<std::size_t>(view.indptr[feature + 1]); ++i) {
            const std::uint32_t entry = group.offset[column] + bins.bin(view.data[i]);
            if (entry != group.zero_bin[column]) {
                visit(static_cast<std::size_t>(view.indices[i]), entry);
            }
        }
    }
}

void fill_sparse(const Binner& binner, const RawMatrix& raw, FeatureGroup& group) {
    for (std::uint32_t column = 0; column < group.n_features; ++column) {
        const FeatureBins& bins = binner.features()[group.first_feature + column];
        group.zero_bin.push_back(group.offset[column] + bins.bin(0.0));
    }
    group.row_begin.assign(raw.n_rows() + 1, 0);
    for_each_entry(binner, raw, group,
                   [&](std::size_t row, std::uint32_t /*entry*/) { ++group.row_begin[row + 1]; });
    for (std::size_t row = 0; row < raw.n_rows(); ++row) {
        group.row_begin[row + 1] += group.row_begin[row];
    }
    group.entries.resize(group.row_begin.back());
    std::vector<std::uint64_t> next(group.row_begin.begin(), group.row_begin.end() - 1);
    for_each_entry(binner, raw, group, [&](std::size_t row, std::uint32_t entry) {
        group.entries[next[row]++] = entry;  // features come in rising order, so entries do
    });
}

}  // namespace

BinnedMatrix Binner::transform(const RawMatrix& raw, ThreadPool& pool) const {
    if (raw.n_features() != features_.size()) {
        throw std::invalid_argument("Binner: fitted on " + std::to_string(features_.size()) +
                                    " features, given " + std::to_string(raw.n_features()));
    }
    std::vector<FeatureInfo> infos;
    infos.reserve(features_.size());
    for (const FeatureBins& bins : features_) {
        infos.push_back(info_of(bins));
    }
    const bool sparse = raw.layout() == Layout::SparseColumns;
    std::vector<FeatureGroup> groups = sparse ? sparse_groups(infos) : dense_groups(infos);
    pool.parallel_for(groups.size(), [&](std::size_t g, std::size_t /*thread*/) {
        if (sparse) {
            fill_sparse(*this, raw, groups[g]);
        } else {
            fill_dense(*this, raw, groups[g]);
        }
    });
    return {raw.n_rows(), std::move(infos), std::move(groups)};
}

}  // namespace mhb
