#include "search/blocks.hpp"

#include <algorithm>

namespace mhb {
namespace {

// A few features' histograms stay near the first-level cache, next to the rows that stream through.
constexpr std::size_t kBlockBytes = std::size_t{66} * 1024;
constexpr std::size_t kMostSideBySide = 8;

// Bins that a feature takes in a dense block's histogram. The one that stays empty keeps the
// popular bins of neighbouring features (all the zeros, say) out of each other's cache sets.
std::size_t histogram_bins(const FeatureInfo& info) { return info.n_bins() + 1; }

}  // namespace

void BlockPlan::make(const ClassLanes& classes, std::span<const std::uint32_t> features,
                     std::size_t n_threads) {
    if (classes == classes_ && std::ranges::equal(features, features_)) {
        return;
    }
    classes_ = classes;
    features_.assign(features.begin(), features.end());
    blocks_.clear();
    // With several threads, enough blocks for all of them; but neighbouring adds want company.
    const std::size_t most_features =
        n_threads == 1 ? kMostSideBySide
                       : std::clamp<std::size_t>(features.size() / n_threads, 2, kMostSideBySide);
    for (const std::uint32_t feature : features) {
        append(block_for(feature, most_features), feature);
    }
    lay_out();
}

// The block that takes the feature: an open one, or a new one. A sparse group is one block whatever
// is searched in it: its loop walks rows, not features.
SearchBlock& BlockPlan::block_for(std::uint32_t feature, std::size_t most_features) {
    const BinnedMatrix::Place& place = matrix_.place(feature);
    const bool sparse = place.storage == Storage::Sparse;
    const SparseGroup* group = sparse ? &matrix_.group(place.group) : nullptr;
    const auto last = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const SearchBlock& b) {
        return b.storage == place.storage && b.group == group;
    });
    if (last != blocks_.rend()) {
        const std::size_t n_bins = last->n_bins() + histogram_bins(matrix_.feature(feature));
        const std::size_t bytes = n_bins * classes_.chunk_lanes(0) * sizeof(Unit);
        if (sparse || last->features.empty() ||
            (last->features.size() < most_features && bytes <= kBlockBytes)) {
            return *last;
        }
    }
    SearchBlock& block = blocks_.emplace_back();
    block.storage = place.storage;
    block.group = group;
    block.first_bin = {0};
    block.first_edge = {0};
    return block;
}

void BlockPlan::append(SearchBlock& block, std::uint32_t feature) {
    const FeatureInfo& info = matrix_.feature(feature);
    block.features.push_back(feature);
    const std::size_t n_bins = histogram_bins(info);
    switch (block.storage) {
        case Storage::Narrow: block.narrow.push_back(matrix_.column(feature).narrow.data()); break;
        case Storage::Wide: block.wide.push_back(matrix_.column(feature).wide.data()); break;
        case Storage::Sparse: block.column.push_back(matrix_.place(feature).column); break;
    }
    if (block.storage == Storage::Sparse) {
        block.first_bin.back() = block.group->offset[block.column.back()];
        block.first_bin.push_back(block.group->n_bins());
    } else {
        block.first_bin.push_back(static_cast<std::uint32_t>(block.n_bins() + n_bins));
    }
    const std::size_t n_edges = (n_bins + kEdgePad - 1) / kEdgePad * kEdgePad;
    block.first_edge.push_back(static_cast<std::uint32_t>(block.first_edge.back() + n_edges));
}

void BlockPlan::lay_out() {
    n_bins_ = 0;
    adds_per_row_ = 0;
    for (SearchBlock& block : blocks_) {
        block.kept_at = n_bins_;
        n_bins_ += block.n_bins();
        adds_per_row_ += block.group == nullptr
                             ? static_cast<double>(block.features.size())
                             : static_cast<double>(block.group->entries.size()) /
                                   static_cast<double>(std::max<std::size_t>(matrix_.n_rows(), 1));
    }
}

namespace {

// The kernels add 8, 4, 2 or 1 columns side by side.
template <class Stored, class Kernel>
void accumulate_dense(Kernel kernel, const std::vector<const Stored*>& bins,
                      const std::vector<std::uint32_t>& first_bin, const PackedRows& rows,
                      Unit* histogram) {
    std::size_t done = 0;
    for (std::size_t width = kMostSideBySide; width > 0; width /= 2) {
        for (; done + width <= bins.size(); done += width) {
            kernel(rows,
                   {.bins = bins.data() + done,
                    .first_bin = first_bin.data() + done,
                    .n_columns = width},
                   histogram);
        }
    }
}

}  // namespace

void accumulate(const Kernels& kernels, const SearchBlock& block, const PackedRows& rows,
                Unit* histogram) {
    switch (block.storage) {
        case Storage::Narrow:
            accumulate_dense(kernels.accumulate_narrow, block.narrow, block.first_bin, rows,
                             histogram);
            break;
        case Storage::Wide:
            accumulate_dense(kernels.accumulate_wide, block.wide, block.first_bin, rows, histogram);
            break;
        case Storage::Sparse:
            kernels.accumulate_sparse(rows,
                                      {.row_begin = block.group->row_begin.data(),
                                       .entries = block.group->entries.data()},
                                      histogram);
            break;
    }
}

void fill_background(const SearchBlock& block, const Unit* total, std::size_t lanes,
                     Unit* histogram) {
    for (const std::uint32_t column : block.column) {
        const SparseGroup& group = *block.group;
        Unit* background = histogram + group.background[column] * lanes;
        std::copy_n(total, lanes, background);
        for (std::uint32_t bin = group.offset[column]; bin < group.offset[column + 1]; ++bin) {
            if (bin != group.background[column]) {
                for (std::size_t l = 0; l < lanes; ++l) {
                    background[l] -= histogram[bin * lanes + l];
                }
            }
        }
    }
}

}  // namespace mhb
