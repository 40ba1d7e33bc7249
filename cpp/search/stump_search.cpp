#include "search/stump_search.hpp"

#include <algorithm>

#include "search/ternary.hpp"

namespace mhb {
namespace {

// A block's histogram stays within the second-level cache, next to the rows that stream through.
constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

// Less work than this is done faster alone than handed out (class vectors added, about 50 us).
constexpr std::size_t kParallelWork = 100'000;

// Histograms are kept for subtraction up to this size of one node's.
constexpr std::size_t kKeptBytes = std::size_t{8} * 1024 * 1024;

// Bins that a feature takes in a dense block's histogram. The one that stays empty keeps the
// popular bins of neighbouring features (all the zeros, say) out of each other's cache sets.
std::size_t histogram_bins(const FeatureGroup& group, std::uint32_t column) {
    return group.offset[column + 1] - group.offset[column] + 1;
}

}  // namespace

StumpSearch::StumpSearch(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool,
                         bool ternary)
    : matrix_(matrix),
      kernels_(kernels),
      pool_(pool),
      ternary_(ternary),
      workspaces_(pool.size()),
      candidates_(matrix.n_features()) {}

// ------------------------------------------------------------------------------------ blocks

// Cuts the searched features into blocks: within one group, and small enough for the cache. A
// sparse group is one block whatever is searched in it: its loop walks rows, not features.
void StumpSearch::plan_blocks(const UnitMatrix& units, std::span<const std::uint32_t> features) {
    if (planned_lanes_ == units.lanes && std::ranges::equal(features, planned_features_)) {
        return;
    }
    planned_lanes_ = units.lanes;
    planned_features_.assign(features.begin(), features.end());
    const std::size_t bytes_per_bin = std::min(units.lanes, kChunkLanes) * sizeof(Unit);
    // With several threads, enough blocks for all of them; but neighbouring adds want company.
    const std::size_t most_features =
        pool_.size() == 1 ? kGroupWidth
                          : std::max<std::size_t>(4, features.size() / (4 * pool_.size()));
    blocks_.clear();
    for (const std::uint32_t feature : features) {
        const FeatureGroup& group = matrix_.group_of(feature);
        const std::uint32_t column = feature - group.first_feature;
        const bool sparse = group.storage == Storage::Sparse;
        const std::size_t n_bins = histogram_bins(group, column);
        const bool fits =
            !blocks_.empty() && blocks_.back().group == &group &&
            (sparse || (blocks_.back().features.size() < most_features &&
                        (blocks_.back().n_bins() + n_bins) * bytes_per_bin <= kBlockBytes));
        if (!fits) {
            blocks_.push_back({.group = &group, .features = {}, .column = {}, .first_bin = {0}});
        }
        SearchBlock& block = blocks_.back();
        block.features.push_back(feature);
        block.column.push_back(column);
        if (sparse) {
            block.first_bin.back() = group.offset[column];
            block.first_bin.push_back(group.n_bins());
        } else {
            block.first_bin.push_back(static_cast<std::uint32_t>(block.n_bins() + n_bins));
        }
    }
    std::size_t kept_at = 0;
    for (SearchBlock& block : blocks_) {
        block.kept_at = kept_at;
        kept_at += block.n_bins();
    }
}

std::size_t StumpSearch::histogram_size(const UnitMatrix& units,
                                        std::span<const std::uint32_t> features) const {
    if (units.n_chunks() > 1) {
        return 0;
    }
    std::size_t n_bins = 0;
    for (const std::uint32_t feature : features) {
        const FeatureGroup& group = matrix_.group_of(feature);
        if (group.storage == Storage::Sparse) {
            return 0;
        }
        n_bins += histogram_bins(group, feature - group.first_feature);
    }
    const std::size_t size = n_bins * units.lanes;
    return size * sizeof(Unit) <= kKeptBytes ? size : 0;
}

// ------------------------------------------------------------------------------------ histograms

// The block's histogram for one chunk of classes: subtracted from the parent's where that is at
// hand, else added up from the rows, into the asker's keeping or into scratch.
Unit* StumpSearch::fill(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
                        Workspace& work) const {
    const UnitRows rows = query.units->rows(query.rows, chunk);
    const std::size_t size = block.n_bins() * rows.lanes;
    Unit* histogram = nullptr;
    if (query.histogram != nullptr) {
        histogram = query.histogram->data() + block.kept_at * rows.lanes;
        if (query.sibling != nullptr) {
            kernels_.subtract(histogram, query.sibling->data() + block.kept_at * rows.lanes, size,
                              histogram);
            return histogram;
        }
    } else {
        work.histogram.resize(std::max(work.histogram.size(), size));
        histogram = work.histogram.data();
    }
    std::fill_n(histogram, size, 0);
    const FeatureGroup& group = *block.group;
    switch (group.storage) {
        case Storage::Narrow:
            kernels_.accumulate_narrow(rows,
                                       {.bins = group.narrow.data(),
                                        .width = group.n_features,
                                        .column = block.column.data(),
                                        .first_bin = block.first_bin.data(),
                                        .n_columns = block.column.size()},
                                       histogram);
            break;
        case Storage::Wide:
            kernels_.accumulate_wide(rows,
                                     {.bins = group.wide.data(),
                                      .width = group.n_features,
                                      .column = block.column.data(),
                                      .first_bin = block.first_bin.data(),
                                      .n_columns = block.column.size()},
                                     histogram);
            break;
        case Storage::Sparse:
            kernels_.accumulate_sparse(
                rows, {.row_begin = group.row_begin.data(), .entries = group.entries.data()},
                histogram);
            break;
    }
    return histogram;
}

namespace {

// The zero's bin was never added to: it is the node's total minus the feature's other bins.
void fill_zero_bin(const FeatureGroup& group, std::uint32_t column, const Unit* total,
                   std::size_t lanes, Unit* histogram) {
    Unit* zero = histogram + group.zero_bin[column] * lanes;
    std::copy_n(total, lanes, zero);
    for (std::uint32_t bin = group.offset[column]; bin < group.offset[column + 1]; ++bin) {
        if (bin != group.zero_bin[column]) {
            for (std::size_t l = 0; l < lanes; ++l) {
                zero[l] -= histogram[bin * lanes + l];
            }
        }
    }
}

void copy_to_table(const Unit* bins, std::size_t lanes, std::size_t first_class,
                   CategoryTable& table) {
    const std::size_t n = std::min(lanes, table.n_columns - first_class);
    for (std::size_t c = 0; c < table.n_categories; ++c) {
        std::copy_n(
            bins + c * lanes, n,
            table.sums.begin() + static_cast<std::ptrdiff_t>(c * table.n_columns + first_class));
    }
}

}  // namespace

// ------------------------------------------------------------------------------------ scanning

void StumpSearch::scan_block(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
                             const Unit* histogram, Workspace& work) const {
    const std::size_t lanes = query.units->chunk_lanes(chunk);
    const Unit* total = query.sums->edge.data() + chunk * kChunkLanes;
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const FeatureInfo& info = matrix_.feature(block.features[k]);
        if (info.categorical) {
            continue;
        }
        const std::uint32_t first = block.first_bin[k];
        const Unit* bins = histogram + first * lanes;
        kernels_.scan({.histogram = bins,
                       .missing = info.has_missing ? bins + info.value_bins * lanes : nullptr,
                       .total = total,
                       .n_value_bins = info.value_bins,
                       .lanes = lanes,
                       .add = chunk > 0},
                      {.missing_right = work.missing_right.data() + first,
                       .missing_left = work.missing_left.data() + first,
                       .only_missing = work.only_missing.data() + k});
    }
}

// Candidates in the documented order: missing alone; then thresholds, missing right before left.
StumpSearch::Candidate StumpSearch::best_threshold(const SearchBlock& block, std::size_t k,
                                                   const Workspace& work) const {
    const FeatureInfo& info = matrix_.feature(block.features[k]);
    Candidate best;
    best.term.feature = block.features[k];
    if (info.has_missing) {
        best.edge = work.only_missing[k];
        best.term.missing_right = false;
    }
    const Unit* right = work.missing_right.data() + block.first_bin[k];
    const Unit* left = work.missing_left.data() + block.first_bin[k];
    for (std::uint32_t bin = 0; bin + 1 < info.value_bins; ++bin) {
        if (right[bin] > best.edge) {
            best.edge = right[bin];
            best.term.first_right = bin + 1;
            best.term.missing_right = true;
        }
        if (info.has_missing && left[bin] > best.edge) {
            best.edge = left[bin];
            best.term.first_right = bin + 1;
            best.term.missing_right = false;
        }
    }
    return best;
}

namespace {

Term subset_term(std::uint32_t feature, const FeatureInfo& info, const std::vector<bool>& right) {
    Term term;
    term.feature = feature;
    term.right.assign((info.value_bins + 63) / 64, 0);
    for (std::uint32_t c = 0; c < info.value_bins; ++c) {
        if (right[c]) {
            term.right[c / 64] |= std::uint64_t{1} << (c % 64);
        }
    }
    term.missing_right = info.has_missing && right[info.value_bins];
    return term;
}

}  // namespace

void StumpSearch::search_block(const CutQuery& query, const SearchBlock& block, Workspace& work) {
    const UnitMatrix& units = *query.units;
    work.missing_right.resize(std::max(work.missing_right.size(), block.n_bins()));
    work.missing_left.resize(std::max(work.missing_left.size(), block.n_bins()));
    work.only_missing.resize(std::max(work.only_missing.size(), block.features.size()));
    std::vector<CategoryTable> tables(block.features.size());
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const FeatureInfo& info = matrix_.feature(block.features[k]);
        if (info.categorical) {
            tables[k].reset(info.n_bins(), units.n_columns);
        }
    }
    for (std::size_t chunk = 0; chunk < units.n_chunks(); ++chunk) {
        Unit* histogram = fill(query, block, chunk, work);
        const std::size_t lanes = units.chunk_lanes(chunk);
        for (std::size_t k = 0; k < block.features.size(); ++k) {
            if (block.group->storage == Storage::Sparse) {
                fill_zero_bin(*block.group, block.column[k],
                              query.sums->edge.data() + chunk * kChunkLanes, lanes, histogram);
            }
            if (tables[k].n_categories > 0) {
                copy_to_table(histogram + block.first_bin[k] * lanes, lanes, chunk * kChunkLanes,
                              tables[k]);
            }
        }
        scan_block(query, block, chunk, histogram, work);
    }
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const std::uint32_t feature = block.features[k];
        if (tables[k].n_categories == 0) {
            candidates_[feature] = best_threshold(block, k, work);
        } else {
            const SubsetCut subset = best_subset(tables[k]);
            candidates_[feature] = {
                .edge = subset.edge,
                .term = subset_term(feature, matrix_.feature(feature), subset.right)};
        }
    }
}

// ------------------------------------------------------------------------------------ choosing

FoundCut StumpSearch::choose_by_edge(const CutQuery& query) const {
    FoundCut found{.cut = {}, .edge = query.sums->constant_edge()};
    for (const std::uint32_t feature : query.features) {
        if (candidates_[feature].edge > found.edge) {
            found.edge = candidates_[feature].edge;
            found.cut.terms.assign(1, candidates_[feature].term);
        }
    }
    return found;
}

namespace {

// Classwise edges of a cut with votes +1, by a walk over the rows.
std::vector<UnitSum> classwise_edges(const BinnedMatrix& matrix, const CutQuery& query,
                                     const Term* term) {
    const std::size_t n = query.units->n_columns;
    std::vector<UnitSum> edges(query.sums->edge.begin(),
                               query.sums->edge.begin() + static_cast<std::ptrdiff_t>(n));
    if (term == nullptr) {
        return edges;
    }
    const FeatureInfo& info = matrix.feature(term->feature);
    for (const RowIndex row : query.rows) {
        if (!term->goes_right(matrix.bin(row, term->feature), info)) {
            const Unit* units = query.units->row(row);
            for (std::size_t l = 0; l < n; ++l) {
                edges[l] -= 2 * UnitSum{units[l]};
            }
        }
    }
    return edges;
}

}  // namespace

// Ternary votes: each feature's cut of the best edge, compared by energy (the paper's footnote 6).
FoundCut StumpSearch::choose_by_energy(const CutQuery& query) {
    const std::vector<UnitSum> mass(
        query.sums->magnitude.begin(),
        query.sums->magnitude.begin() + static_cast<std::ptrdiff_t>(query.units->n_columns));
    const UnitSum constant_edge = query.sums->constant_edge();
    std::vector<TernaryVotes> votes(query.features.size());
    pool_.parallel_for(query.features.size(), [&](std::size_t i, std::size_t /*thread*/) {
        const Candidate& candidate = candidates_[query.features[i]];
        if (candidate.edge > constant_edge) {
            votes[i] = cast_ternary(classwise_edges(matrix_, query, &candidate.term), mass);
        }
    });
    const TernaryVotes constant = cast_ternary(classwise_edges(matrix_, query, nullptr), mass);
    FoundCut found{.cut = {}, .edge = constant.edge, .energy = constant.energy};
    for (std::size_t i = 0; i < query.features.size(); ++i) {
        const Candidate& candidate = candidates_[query.features[i]];
        if (candidate.edge > constant_edge && votes[i].energy < found.energy) {
            found.edge = votes[i].edge;
            found.energy = votes[i].energy;
            found.cut.terms.assign(1, candidate.term);
        }
    }
    return found;
}

FoundCut StumpSearch::search(const CutQuery& query) {
    plan_blocks(*query.units, query.features);
    const std::size_t vectors = (query.units->lanes + 15) / 16;
    const std::size_t work = query.rows.size() * query.features.size() * vectors;
    if (pool_.size() == 1 || work < kParallelWork) {
        for (const SearchBlock& block : blocks_) {
            search_block(query, block, workspaces_[0]);
        }
    } else {
        pool_.parallel_for(blocks_.size(), [&](std::size_t b, std::size_t thread) {
            search_block(query, blocks_[b], workspaces_[thread]);
        });
    }
    return ternary_ ? choose_by_energy(query) : choose_by_edge(query);
}

}  // namespace mhb
