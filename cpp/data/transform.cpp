// Binner::transform: values -> bins. Features are binned one by one, in parallel; those with a
// background are then gathered into groups.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "data/binner.hpp"

namespace mhb {
namespace {

constexpr std::size_t kRowBlock = 4096;

// A group's histogram stays within the second-level cache.
constexpr std::uint32_t kGroupBins = 8'192;

// A stored entry costs about as much as three rows of a column, and a row of a group about as much
// as two: what is stored sparse must be rare, and have company.
constexpr double kBackgroundShare = 0.7;
constexpr std::size_t kFewestInGroup = 4;

FeatureInfo info_of(const FeatureBins& bins) {
    return {.value_bins = static_cast<std::uint32_t>(bins.value_bins()),
            .has_missing = bins.has_missing,
            .categorical = bins.categorical()};
}

// ------------------------------------------------------------------------------------ columns

template <class Stored>
bool write_column(const FeatureBins& bins, const RawMatrix& raw, std::size_t feature,
                  AlignedVector<Stored>& column) {
    column.resize(raw.n_rows());
    std::vector<double> values(std::min(kRowBlock, raw.n_rows()));
    unsigned largest = 0;
    for (std::size_t begin = 0; begin < raw.n_rows(); begin += kRowBlock) {
        const std::size_t end = std::min(begin + kRowBlock, raw.n_rows());
        raw.read_column(feature, begin, end, values.data());
        for (std::size_t i = 0; i < end - begin; ++i) {
            const Bin bin = bins.bin(values[i]);
            largest = std::max<unsigned>(largest, bin);
            column[begin + i] = static_cast<Stored>(bin);
        }
    }
    return largest <= std::numeric_limits<Stored>::max();
}

DenseColumn dense_column(const FeatureBins& bins, const RawMatrix& raw, std::size_t feature) {
    DenseColumn column;
    const std::size_t n_bins = bins.value_bins() + (bins.has_missing ? 1 : 0);
    if (n_bins <= 256 && write_column(bins, raw, feature, column.narrow)) {
        return column;
    }
    column.narrow = {};  // a missing or unseen value needs a bin beyond 255
    write_column(bins, raw, feature, column.wide);
    return column;
}

// ------------------------------------------------------------------------------------ groups

// The bin that most rows of a column share, or kNone.
constexpr std::uint32_t kNone = ~std::uint32_t{0};

std::uint32_t background_of(const DenseColumn& column) {
    if (column.narrow.empty()) {
        return kNone;
    }
    std::vector<std::size_t> count(256, 0);
    for (const std::uint8_t bin : column.narrow) {
        ++count[bin];
    }
    const auto most = std::ranges::max_element(count);
    const double share = static_cast<double>(*most) / static_cast<double>(column.narrow.size());
    return share >= kBackgroundShare ? static_cast<std::uint32_t>(most - count.begin()) : kNone;
}

// Cuts features into groups whose histograms are small. Groups reserve bins for missing and unseen
// values of every feature.
std::vector<SparseGroup> plan_groups(std::span<const FeatureInfo> infos,
                                     std::span<const std::uint32_t> backgrounds) {
    std::vector<SparseGroup> groups;
    for (std::uint32_t j = 0; j < infos.size(); ++j) {
        if (backgrounds[j] == kNone) {
            continue;
        }
        const std::uint32_t width = infos[j].value_bins + 2;
        if (groups.empty() || groups.back().n_bins() + width > kGroupBins) {
            groups.emplace_back().offset.push_back(0);
        }
        SparseGroup& group = groups.back();
        group.features.push_back(j);
        group.background.push_back(group.n_bins() + backgrounds[j]);
        group.offset.push_back(group.n_bins() + width);
    }
    return groups;
}

// Fills a group; visit_all(visit) calls visit(row, histogram bin) for every stored value, feature
// by feature, so that a row's entries come in rising order.
template <class VisitAll>
void fill_group(SparseGroup& group, std::size_t n_rows, const VisitAll& visit_all) {
    group.row_begin.assign(n_rows + 1, 0);
    visit_all([&](std::size_t row, std::uint32_t /*entry*/) { ++group.row_begin[row + 1]; });
    for (std::size_t row = 0; row < n_rows; ++row) {
        group.row_begin[row + 1] += group.row_begin[row];
    }
    group.entries.resize(group.row_begin.back());
    std::vector<std::uint64_t> next(group.row_begin.begin(), group.row_begin.end() - 1);
    visit_all([&](std::size_t row, std::uint32_t entry) { group.entries[next[row]++] = entry; });
}

void fill_from_columns(SparseGroup& group, std::size_t n_rows, std::vector<DenseColumn>& columns) {
    fill_group(group, n_rows, [&](const auto& visit) {
        for (std::size_t k = 0; k < group.features.size(); ++k) {
            const std::uint8_t* bins = columns[group.features[k]].narrow.data();
            for (std::size_t row = 0; row < n_rows; ++row) {
                const std::uint32_t entry = group.offset[k] + bins[row];
                if (entry != group.background[k]) {
                    visit(row, entry);
                }
            }
        }
    });
    for (const std::uint32_t feature : group.features) {
        columns[feature] = {};
    }
}

void fill_from_values(SparseGroup& group, const Binner& binner, const RawMatrix& raw) {
    const CompressedView& view = raw.compressed();
    fill_group(group, raw.n_rows(), [&](const auto& visit) {
        for (std::size_t k = 0; k < group.features.size(); ++k) {
            const std::size_t feature = group.features[k];
            const FeatureBins& bins = binner.features()[feature];
            for (auto i = static_cast<std::size_t>(view.indptr[feature]);
                 i < static_cast<std::size_t>(view.indptr[feature + 1]); ++i) {
                const std::uint32_t entry = group.offset[k] + bins.bin(view.data[i]);
                if (entry != group.background[k]) {
                    visit(static_cast<std::size_t>(view.indices[i]), entry);
                }
            }
        }
    });
}

BinnedMatrix transform_dense(const Binner& binner, const RawMatrix& raw,
                             std::vector<FeatureInfo> infos, ThreadPool& pool) {
    std::vector<DenseColumn> columns(infos.size());
    std::vector<std::uint32_t> backgrounds(infos.size());
    pool.parallel_for(infos.size(), [&](std::size_t j, std::size_t /*thread*/) {
        columns[j] = dense_column(binner.features()[j], raw, j);
        backgrounds[j] = background_of(columns[j]);
    });
    std::vector<SparseGroup> groups = plan_groups(infos, backgrounds);
    std::erase_if(groups, [](const SparseGroup& g) { return g.features.size() < kFewestInGroup; });
    pool.parallel_for(groups.size(), [&](std::size_t g, std::size_t /*thread*/) {
        fill_from_columns(groups[g], raw.n_rows(), columns);
    });
    return {raw.n_rows(), std::move(infos), std::move(columns), std::move(groups)};
}

BinnedMatrix transform_sparse(const Binner& binner, const RawMatrix& raw,
                              std::vector<FeatureInfo> infos, ThreadPool& pool) {
    std::vector<std::uint32_t> backgrounds(infos.size());
    for (std::size_t j = 0; j < infos.size(); ++j) {
        backgrounds[j] = binner.features()[j].bin(0.0);
    }
    std::vector<SparseGroup> groups = plan_groups(infos, backgrounds);
    pool.parallel_for(groups.size(), [&](std::size_t g, std::size_t /*thread*/) {
        fill_from_values(groups[g], binner, raw);
    });
    return {raw.n_rows(), std::move(infos), {}, std::move(groups)};
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
    return raw.layout() == Layout::SparseColumns
               ? transform_sparse(*this, raw, std::move(infos), pool)
               : transform_dense(*this, raw, std::move(infos), pool);
}

}  // namespace mhb
