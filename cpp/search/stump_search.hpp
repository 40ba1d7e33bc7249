// StumpSearch: the best single-feature cut of a set of rows, exhaustively (the paper's Figure 7).
//
//   for each block of features:  histogram += units of each row     n x features vector adds
//                                scan it: edge(b) = sum_l |T_l - 2 L_l|
//
// A histogram of everything is kept where rows are many and bins are few: then the larger of two
// siblings is the parent minus the smaller one. Elsewhere each block is added up and scanned while
// it is in the cache. The choice looks at sizes only, so results never depend on the machine, and
// sums of whole numbers do not depend on the choice either. Ties go to the candidate that comes
// first in the documented order.
#pragma once

#include <vector>

#include "search/blocks.hpp"
#include "search/categories.hpp"
#include "search/cut_search.hpp"
#include "search/gain_rule.hpp"

namespace mhb {

class StumpSearch : public CutSearch {
public:
    StumpSearch(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool, bool ternary,
                const GainRule& gain);

    FoundCut search(const CutQuery& query) override;

    // Units that a histogram of these features takes, or 0 where none is worth keeping: it would
    // be too large, or adding up all the rows is not dearer than going through it.
    [[nodiscard]] std::size_t histogram_size(const ClassLanes& classes,
                                             std::span<const std::uint32_t> features);
    [[nodiscard]] bool worth_keeping(std::size_t n_rows) const;
    // The same for a tree whose nodes draw this share of the features: what is kept is of them all.
    [[nodiscard]] bool worth_keeping(std::size_t n_rows, double share,
                                     std::size_t n_inner_nodes) const;

    // The histogram of these rows, and their sums on the way.
    ClassSums add_up(const RoundUnits& units, std::span<const RowIndex> rows,
                     std::span<const std::uint32_t> features, NodeHistogram& histogram);

    // whole -= part
    void subtract(NodeHistogram& whole, const NodeHistogram& part) const;

private:
    // The best cut of one feature; without an edge where another of its block has a larger one.
    struct Candidate {
        UnitSum edge = -1;
        double gain = -1;  // instead of an edge, where a rule of gains compares
        Term term;
    };
    struct ChunkOfFeature {
        std::size_t feature;  // of the block
        std::size_t chunk;
    };
    // What one thread needs; grows to the largest block and stays.
    struct Workspace {
        AlignedVector<Unit> packed;
        AlignedVector<Unit> histogram;
        AlignedVector<Unit> missing_right;  // edges, see SearchBlock::first_edge
        AlignedVector<Unit> missing_left;
        std::vector<LargestEdges> largest;  // one a feature
        std::vector<CategoryTable> tables;  // one a feature, empty if it is numeric
        // Where a rule of gains compares: values of cuts, see SearchBlock::first_edge.
        std::vector<double> right_values;
        std::vector<double> left_values;
        std::vector<double> missing_values;  // of the missing values alone, one a feature
        std::vector<AlignedVector<Unit>> category_bins;  // one a feature, chunk by chunk
    };

    void add_tile(const RoundUnits& units, std::span<const RowIndex> rows, Workspace& work,
                  Unit* histogram, ClassSums& sums) const;
    ClassSums add_by_rows(const RoundUnits& units, std::span<const RowIndex> rows,
                          NodeHistogram& histogram);
    ClassSums add_by_blocks(const RoundUnits& units, std::span<const RowIndex> rows,
                            NodeHistogram& histogram);
    void fill_backgrounds(const ClassLanes& classes, const ClassSums& sums,
                          NodeHistogram& histogram) const;

    void plan(const CutQuery& query);
    void search_block(const CutQuery& query, const SearchBlock& block, Workspace& work);
    [[nodiscard]] const Unit* block_histogram(const CutQuery& query, const SearchBlock& block,
                                              std::size_t chunk, Workspace& work) const;
    [[nodiscard]] bool left_out(std::uint32_t feature) const {
        return !left_out_.empty() && left_out_[feature] != 0;
    }
    void scan_block(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
                    const Unit* histogram, Workspace& work) const;
    [[nodiscard]] Term best_threshold(const SearchBlock& block, std::size_t k,
                                      const Workspace& work) const;
    void choose_in_block(const SearchBlock& block, const Workspace& work);
    void search_block_by_gain(const CutQuery& query, const SearchBlock& block, Workspace& work);
    double value_thresholds(const CutQuery& query, const SearchBlock& block, ChunkOfFeature at,
                            const Unit* bins, Workspace& work) const;
    [[nodiscard]] Candidate best_threshold_by_gain(const SearchBlock& block, std::size_t k,
                                                   const Workspace& work) const;
    [[nodiscard]] Candidate best_subset_by_gain(const CutQuery& query, std::uint32_t feature,
                                                const AlignedVector<Unit>& bins) const;
    [[nodiscard]] FoundCut choose_by_gain(const CutQuery& query) const;
    [[nodiscard]] FoundCut choose_by_edge(const CutQuery& query) const;
    [[nodiscard]] FoundCut choose_by_energy(const CutQuery& query);

    const BinnedMatrix& matrix_;
    const Kernels& kernels_;
    ThreadPool& pool_;
    bool ternary_;
    GainRule gain_;
    BlockPlan plan_;
    NodeUnits units_;  // of a node that is added up by blocks
    std::vector<Workspace> workspaces_;
    std::vector<Candidate> candidates_;   // one a feature
    std::vector<std::uint8_t> left_out_;  // of the histogram's features; or empty
};

}  // namespace mhb
