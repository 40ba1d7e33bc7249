// StumpSearch: the best single-feature cut, the constant included, exhaustively (the paper's
// appendix B).
//
//   rows ──accumulate──> histogram of a block of features ──scan──> edge of every cut ──> best
//
// Cost: one add of a class vector per (row, feature) and one per (feature, bin). A block's
// histogram fits the cache and is thrown away, unless the asker keeps it to subtract it later.
// Blocks are independent tasks of the thread pool.
#pragma once

#include <vector>

#include "base/threads.hpp"
#include "search/categories.hpp"
#include "search/cut_search.hpp"

namespace mhb {

// Neighbouring features of one group whose histograms are built together.
struct SearchBlock {
    const FeatureGroup* group = nullptr;
    std::vector<std::uint32_t> features;
    std::vector<std::uint32_t> column;     // of each feature in the group
    std::vector<std::uint32_t> first_bin;  // of each feature in the block's histogram; and the end
    std::size_t kept_at = 0;               // first bin of the block in a NodeHistogram

    [[nodiscard]] std::size_t n_bins() const { return first_bin.back(); }
};

class StumpSearch : public CutSearch {
public:
    StumpSearch(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool, bool ternary);

    FoundCut search(const CutQuery& query) override;
    [[nodiscard]] std::size_t histogram_size(
        const UnitMatrix& units, std::span<const std::uint32_t> features) const override;

private:
    // The best cut of one feature.
    struct Candidate {
        UnitSum edge = -1;
        Term term;
    };
    // What one thread needs; grows to the largest block and stays.
    struct Workspace {
        AlignedVector<Unit> histogram;
        std::vector<Unit> missing_right;  // edges, indexed like the block's bins
        std::vector<Unit> missing_left;
        std::vector<Unit> only_missing;  // one a feature
    };

    void plan_blocks(const UnitMatrix& units, std::span<const std::uint32_t> features);
    void search_block(const CutQuery& query, const SearchBlock& block, Workspace& work);
    Unit* fill(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
               Workspace& work) const;
    void scan_block(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
                    const Unit* histogram, Workspace& work) const;
    [[nodiscard]] Candidate best_threshold(const SearchBlock& block, std::size_t k,
                                           const Workspace& work) const;
    [[nodiscard]] FoundCut choose_by_edge(const CutQuery& query) const;
    [[nodiscard]] FoundCut choose_by_energy(const CutQuery& query);

    const BinnedMatrix& matrix_;
    const Kernels& kernels_;
    ThreadPool& pool_;
    bool ternary_;
    std::vector<Workspace> workspaces_;
    std::vector<SearchBlock> blocks_;
    std::vector<std::uint32_t> planned_features_;
    std::size_t planned_lanes_ = 0;
    std::vector<Candidate> candidates_;  // one a feature of the matrix
};

}  // namespace mhb
