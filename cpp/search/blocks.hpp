// Blocks of features that are searched together: their histogram is small enough for the cache,
// and a row's units are read once for all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/binned_matrix.hpp"
#include "search/round_units.hpp"

namespace mhb {

struct SearchBlock {
    Storage storage = Storage::Narrow;
    std::vector<std::uint32_t> features;
    std::vector<const std::uint8_t*> narrow;  // the features' bins, as they are stored
    std::vector<const std::uint16_t*> wide;
    const SparseGroup* group = nullptr;
    std::vector<std::uint32_t> column;      // sparse: of each feature in the group
    std::vector<std::uint32_t> first_bin;   // of each feature in the block's histogram; and the end
    std::vector<std::uint32_t> first_edge;  // of each feature among the block's edges; and the end
    std::size_t kept_at = 0;                // first bin of the block in a node's whole histogram

    [[nodiscard]] std::size_t n_bins() const { return first_bin.back(); }
};

// All blocks of a search, and where each begins in a histogram of them all.
//
//   whole histogram   chunk 0: block 0, block 1 ...   chunk 1: block 0, block 1 ...
class BlockPlan {
public:
    explicit BlockPlan(const BinnedMatrix& matrix) : matrix_(matrix) {}

    // Does nothing if it was asked for the same before.
    void make(const ClassLanes& classes, std::span<const std::uint32_t> features,
              std::size_t n_threads);

    [[nodiscard]] const std::vector<SearchBlock>& blocks() const { return blocks_; }
    [[nodiscard]] std::size_t n_bins() const { return n_bins_; }
    // Histogram cells that a row is added to, on average.
    [[nodiscard]] double adds_per_row() const { return adds_per_row_; }
    [[nodiscard]] std::size_t kept_offset(const SearchBlock& block, std::size_t chunk) const {
        return n_bins_ * chunk * kChunkLanes + block.kept_at * classes_.chunk_lanes(chunk);
    }

private:
    SearchBlock& block_for(std::uint32_t feature, std::size_t most_features);
    void append(SearchBlock& block, std::uint32_t feature);
    void lay_out();

    const BinnedMatrix& matrix_;
    ClassLanes classes_;
    std::vector<std::uint32_t> features_;
    std::vector<SearchBlock> blocks_;
    std::size_t n_bins_ = 0;
    double adds_per_row_ = 0;
};

// histogram += the rows; the background of a sparse block stays out.
void accumulate(const Kernels& kernels, const SearchBlock& block, const PackedRows& rows,
                Unit* histogram);

// The background was never added to: it is the node's total minus the feature's other bins.
void fill_background(const SearchBlock& block, const Unit* total, std::size_t lanes,
                     Unit* histogram);

}  // namespace mhb
