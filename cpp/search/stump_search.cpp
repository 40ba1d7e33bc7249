#include "search/stump_search.hpp"

#include <algorithm>

#include "search/ternary.hpp"

namespace mhb {
namespace {

// Less work than this is done faster alone than handed out (class vectors added or scanned, about
// 50 us).
constexpr double kParallelWork = 100'000;

// What scanning a vector of bins costs, in adds.
constexpr double kScanCost = 4;

}  // namespace

StumpSearch::StumpSearch(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool,
                         bool ternary, const GainRule& gain)
    : matrix_(matrix),
      kernels_(kernels),
      pool_(pool),
      ternary_(ternary),
      gain_(gain),
      plan_(matrix),
      workspaces_(pool.size()),
      candidates_(matrix.n_features()) {}

// ------------------------------------------------------------------------------------ one block

namespace {

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

// The block's histogram for one chunk of classes: what the asker has, or added up from the rows.
const Unit* StumpSearch::block_histogram(const CutQuery& query, const SearchBlock& block,
                                         std::size_t chunk, Workspace& work) const {
    if (query.histogram != nullptr) {
        return query.histogram->data() + plan_.kept_offset(block, chunk);
    }
    const std::size_t lanes = query.classes.chunk_lanes(chunk);
    const std::size_t size = block.n_bins() * lanes;
    work.histogram.resize(std::max(work.histogram.size(), size));
    std::fill_n(work.histogram.data(), size, 0);
    accumulate(kernels_, block, query.units->chunk(chunk), work.histogram.data());
    fill_background(block, query.sums->edge.data() + chunk * kChunkLanes, lanes,
                    work.histogram.data());
    return work.histogram.data();
}

void StumpSearch::search_block(const CutQuery& query, const SearchBlock& block, Workspace& work) {
    if (gain_.criterion != Criterion::Edge) {
        search_block_by_gain(query, block, work);
        return;
    }
    const std::size_t n_features = block.features.size();
    const std::size_t n_edges = block.first_edge.back();
    work.missing_right.resize(std::max(work.missing_right.size(), n_edges));
    work.missing_left.resize(std::max(work.missing_left.size(), n_edges));
    work.largest.assign(n_features, LargestEdges{});
    work.tables.resize(std::max(work.tables.size(), n_features));
    for (std::size_t k = 0; k < n_features; ++k) {
        const FeatureInfo& info = matrix_.feature(block.features[k]);
        const bool tabled = info.categorical && !left_out(block.features[k]);
        work.tables[k].reset(tabled ? info.n_bins() : 0, query.classes.n_columns);
    }
    for (std::size_t chunk = 0; chunk < query.classes.n_chunks(); ++chunk) {
        const Unit* histogram = block_histogram(query, block, chunk, work);
        const std::size_t lanes = query.classes.chunk_lanes(chunk);
        for (std::size_t k = 0; k < n_features; ++k) {
            if (work.tables[k].n_categories > 0) {
                copy_to_table(histogram + block.first_bin[k] * lanes, lanes, chunk * kChunkLanes,
                              work.tables[k]);
            }
        }
        scan_block(query, block, chunk, histogram, work);
    }
    choose_in_block(block, work);
}

// ------------------------------------------------------------------------------------ scanning

void StumpSearch::scan_block(const CutQuery& query, const SearchBlock& block, std::size_t chunk,
                             const Unit* histogram, Workspace& work) const {
    const std::size_t lanes = query.classes.chunk_lanes(chunk);
    const Unit* total = query.sums->edge.data() + chunk * kChunkLanes;
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const FeatureInfo& info = matrix_.feature(block.features[k]);
        if (info.categorical || left_out(block.features[k])) {
            continue;
        }
        const Unit* bins = histogram + block.first_bin[k] * lanes;
        const LargestEdges found =
            kernels_.scan({.histogram = bins,
                           .missing = info.has_missing ? bins + info.value_bins * lanes : nullptr,
                           .total = total,
                           .n_value_bins = info.value_bins,
                           .lanes = lanes,
                           .add = chunk > 0},
                          {.missing_right = work.missing_right.data() + block.first_edge[k],
                           .missing_left = work.missing_left.data() + block.first_edge[k]});
        const Unit missing_so_far = chunk > 0 ? work.largest[k].only_missing : 0;
        work.largest[k] = found;
        work.largest[k].only_missing += missing_so_far;
    }
}

// The first cut with the largest edge, in the documented order: missing alone; then thresholds,
// missing right before left.
Term StumpSearch::best_threshold(const SearchBlock& block, std::size_t k,
                                 const Workspace& work) const {
    const FeatureInfo& info = matrix_.feature(block.features[k]);
    const LargestEdges& largest = work.largest[k];
    Term term;
    term.feature = block.features[k];
    const Unit best = std::max(largest.missing_right, largest.missing_left);
    if (info.has_missing && largest.only_missing >= best) {
        term.missing_right = false;
        return term;
    }
    const Unit* right = work.missing_right.data() + block.first_edge[k];
    const Unit* left = work.missing_left.data() + block.first_edge[k];
    std::uint32_t bin = 0;
    while (right[bin] != best && (!info.has_missing || left[bin] != best)) {
        ++bin;
    }
    term.first_right = bin + 1;
    term.missing_right = right[bin] == best;
    return term;
}

// Candidates of the block's features. Only ternary votes look at them all; else one that is not
// better than those before it need not be known.
void StumpSearch::choose_in_block(const SearchBlock& block, const Workspace& work) {
    UnitSum best = -1;
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const std::uint32_t feature = block.features[k];
        const LargestEdges& largest = work.largest[k];
        candidates_[feature].edge = -1;
        if (work.tables[k].n_categories > 0) {
            const SubsetCut subset = best_subset(work.tables[k]);
            candidates_[feature] = {
                .edge = subset.edge,
                .term = subset_term(feature, matrix_.feature(feature), subset.right)};
        } else if (const Unit edge = std::max(
                       {largest.missing_right, largest.missing_left, largest.only_missing});
                   edge > best || (ternary_ && edge >= 0)) {
            candidates_[feature] = {.edge = edge, .term = best_threshold(block, k, work)};
        }
        best = std::max(best, candidates_[feature].edge);
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
    const std::size_t n = query.classes.n_columns;
    std::vector<UnitSum> edges(query.sums->edge.begin(),
                               query.sums->edge.begin() + static_cast<std::ptrdiff_t>(n));
    if (term == nullptr) {
        return edges;
    }
    const FeatureInfo& info = matrix.feature(term->feature);
    const std::span<const RowIndex> rows = query.units->rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!term->goes_right(matrix.bin(rows[i], term->feature), info)) {
            const Unit* units = query.units->row(i);
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
        query.sums->magnitude.begin() + static_cast<std::ptrdiff_t>(query.classes.n_columns));
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

// A histogram at hand may be of more features than are searched: the others are left out.
void StumpSearch::plan(const CutQuery& query) {
    left_out_.clear();
    if (query.histogram == nullptr) {
        plan_.make(query.classes, query.features, pool_.size());
        return;
    }
    plan_.make(query.classes, query.in_histogram, pool_.size());
    if (query.features.size() < query.in_histogram.size()) {
        left_out_.assign(matrix_.n_features(), 1);
        for (const std::uint32_t feature : query.features) {
            left_out_[feature] = 0;
        }
    }
}

FoundCut StumpSearch::search(const CutQuery& query) {
    plan(query);
    const std::size_t vectors = (query.classes.lanes + 15) / 16;
    double work = kScanCost * static_cast<double>(plan_.n_bins());
    if (query.histogram == nullptr) {
        work += static_cast<double>(query.units->rows().size()) * plan_.adds_per_row();
    }
    const std::vector<SearchBlock>& blocks = plan_.blocks();
    if (pool_.size() == 1 || work * static_cast<double>(vectors) < kParallelWork) {
        for (const SearchBlock& block : blocks) {
            search_block(query, block, workspaces_[0]);
        }
    } else {
        pool_.parallel_for(blocks.size(), [&](std::size_t b, std::size_t thread) {
            search_block(query, blocks[b], workspaces_[thread]);
        });
    }
    if (gain_.criterion != Criterion::Edge) {
        return choose_by_gain(query);
    }
    return ternary_ ? choose_by_energy(query) : choose_by_edge(query);
}

}  // namespace mhb
