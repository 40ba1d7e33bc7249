// StumpSearch: histograms of all features of a node, for nodes of many rows and few bins.
#include <algorithm>
#include <cmath>

#include "search/stump_search.hpp"

namespace mhb {
namespace {

// One node's histogram is kept up to this size.
constexpr std::size_t kKeptBytes = std::size_t{16} * 1024 * 1024;

// Rows are packed and added to all blocks in tiles that stay in the second-level cache.
constexpr std::size_t kTileBytes = std::size_t{128} * 1024;

// What going through a bin of a kept histogram costs (clear, add or subtract it), in adds of a row.
constexpr double kBinCost = 2;

// What packing a row costs, in adds of it. Below so many adds a row they wait for each other: the
// same bins come again too soon. The smaller of two sides has about this share of the rows.
constexpr double kPackCost = 2;
constexpr double kUncrowded = 8;
constexpr double kSmallerSide = 0.35;

// Each thread adds rows into a histogram of its own where rows are this much dearer than bins.
constexpr double kByRows = 4;

// A histogram that tiles of rows are added to stays in the second-level cache.
constexpr std::size_t kCachedBytes = std::size_t{1024} * 1024;

std::size_t rows_of_tile(const ClassLanes& classes) {
    return std::max<std::size_t>(kTileBytes / (classes.lanes * sizeof(Unit)), 64);
}

}  // namespace

std::size_t StumpSearch::histogram_size(const ClassLanes& classes,
                                        std::span<const std::uint32_t> features) {
    plan_.make(classes, features, pool_.size());
    const std::size_t size = plan_.n_bins() * classes.lanes;
    return !ternary_ && size * sizeof(Unit) <= kKeptBytes ? size : 0;
}

bool StumpSearch::worth_keeping(std::size_t n_rows) const {
    return static_cast<double>(n_rows) * plan_.adds_per_row() >
           kBinCost * static_cast<double>(plan_.n_bins());
}

bool StumpSearch::worth_keeping(std::size_t n_rows, double share, std::size_t n_inner_nodes) const {
    if (share >= 1) {
        return worth_keeping(n_rows);
    }
    const auto nodes = static_cast<double>(n_inner_nodes);
    const double passes = std::log2(nodes + 1) + 1;  // over all rows, if every level is added up
    const double adds = plan_.adds_per_row();
    const double drawn = share * adds;
    const double crowding = drawn < kUncrowded ? 2 : 1;
    const double added_up = passes * (drawn + kPackCost) * crowding;
    const double kept = (1 + kSmallerSide * passes) * (adds + kPackCost);
    const double bins = 2 * nodes * kBinCost * static_cast<double>(plan_.n_bins());
    return static_cast<double>(n_rows) * kept + bins < static_cast<double>(n_rows) * added_up;
}

ClassSums StumpSearch::add_up(const RoundUnits& units, std::span<const RowIndex> rows,
                              std::span<const std::uint32_t> features, NodeHistogram& histogram) {
    plan_.make(units.classes, features, pool_.size());
    const double adds = static_cast<double>(rows.size()) * plan_.adds_per_row();
    const double bins = static_cast<double>(plan_.n_bins()) * static_cast<double>(pool_.size());
    histogram.resize(plan_.n_bins() * units.classes.lanes);
    const bool fits = histogram.size() * sizeof(Unit) <= kCachedBytes;
    ClassSums sums = fits && (pool_.size() == 1 || adds > kByRows * bins)
                         ? add_by_rows(units, rows, histogram)
                         : add_by_blocks(units, rows, histogram);
    fill_backgrounds(units.classes, sums, histogram);
    return sums;
}

void StumpSearch::add_tile(const RoundUnits& units, std::span<const RowIndex> rows, Workspace& work,
                           Unit* histogram, ClassSums& sums) const {
    const ClassLanes& classes = units.classes;
    work.packed.resize(std::max(work.packed.size(), rows.size() * classes.lanes));
    sums.add(sum_some_rows({.kernels = kernels_, .pool = pool_}, units, rows, work.packed.data()));
    for (std::size_t chunk = 0; chunk < classes.n_chunks(); ++chunk) {
        const PackedRows packed{.list = {.rows = rows.data(), .first = 0, .n_rows = rows.size()},
                                .units = work.packed.data() + chunk * kChunkLanes,
                                .stride = classes.lanes,
                                .lanes = classes.chunk_lanes(chunk)};
        for (const SearchBlock& block : plan_.blocks()) {
            accumulate(kernels_, block, packed, histogram + plan_.kept_offset(block, chunk));
        }
    }
}

// Tiles of rows are handed out; each thread has its own histogram, and all are added up.
ClassSums StumpSearch::add_by_rows(const RoundUnits& units, std::span<const RowIndex> rows,
                                   NodeHistogram& histogram) {
    const std::size_t size = histogram.size();
    std::vector<ClassSums> sums(pool_.size());
    const auto own = [&](std::size_t thread) {
        return thread == 0 ? histogram.data() : workspaces_[thread].histogram.data();
    };
    std::fill_n(histogram.data(), size, 0);
    sums[0] = ClassSums(units.classes.lanes);
    const std::size_t grain = rows_of_tile(units.classes);
    parallel_rows(
        pool_, rows.size(), grain, [&](std::size_t begin, std::size_t end, std::size_t thread) {
            Workspace& work = workspaces_[thread];
            if (sums[thread].edge.empty()) {
                sums[thread] = ClassSums(units.classes.lanes);
                work.histogram.resize(std::max(work.histogram.size(), size));
                std::fill_n(work.histogram.data(), size, 0);
            }
            add_tile(units, rows.subspan(begin, end - begin), work, own(thread), sums[thread]);
        });
    for (std::size_t thread = 1; thread < pool_.size(); ++thread) {
        if (!sums[thread].edge.empty()) {
            const Unit* part = own(thread);
            std::transform(part, part + size, histogram.begin(), histogram.begin(), std::plus<>{});
            sums[0].add(sums[thread]);
        }
    }
    return std::move(sums[0]);
}

// All rows are packed, then blocks are handed out.
ClassSums StumpSearch::add_by_blocks(const RoundUnits& units, std::span<const RowIndex> rows,
                                     NodeHistogram& histogram) {
    ClassSums sums = units_.take({.kernels = kernels_, .pool = pool_}, units, rows);
    const std::vector<SearchBlock>& blocks = plan_.blocks();
    pool_.parallel_for(blocks.size(), [&](std::size_t b, std::size_t /*thread*/) {
        for (std::size_t chunk = 0; chunk < units.classes.n_chunks(); ++chunk) {
            Unit* to = histogram.data() + plan_.kept_offset(blocks[b], chunk);
            std::fill_n(to, blocks[b].n_bins() * units.classes.chunk_lanes(chunk), 0);
            accumulate(kernels_, blocks[b], units_.chunk(chunk), to);
        }
    });
    return sums;
}

void StumpSearch::fill_backgrounds(const ClassLanes& classes, const ClassSums& sums,
                                   NodeHistogram& histogram) const {
    for (const SearchBlock& block : plan_.blocks()) {
        for (std::size_t chunk = 0; chunk < classes.n_chunks(); ++chunk) {
            fill_background(block, sums.edge.data() + chunk * kChunkLanes,
                            classes.chunk_lanes(chunk),
                            histogram.data() + plan_.kept_offset(block, chunk));
        }
    }
}

void StumpSearch::subtract(NodeHistogram& whole, const NodeHistogram& part) const {
    kernels_.subtract(whole.data(), part.data(), whole.size(), whole.data());
}

}  // namespace mhb
