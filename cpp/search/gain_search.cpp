// StumpSearch where cuts are compared by gain: what they add to the value of the uncut node.
#include <algorithm>
#include <numeric>

#include "search/stump_search.hpp"

namespace mhb {
namespace {

// Categories in rising order of first lane / second lane, the bins of one chunk of lanes.
std::vector<std::uint32_t> order_of(const Unit* bins, std::size_t n_bins, std::size_t lanes,
                                    std::size_t numerator, std::size_t denominator) {
    std::vector<double> ratio(n_bins);
    for (std::size_t c = 0; c < n_bins; ++c) {
        const Unit* bin = bins + c * lanes;
        ratio[c] = bin[numerator] / std::max<double>(bin[denominator], 1.0);
    }
    std::vector<std::uint32_t> order(n_bins);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t c) { return std::pair(ratio[c], c); });
    return order;
}

}  // namespace

// One feature's values are added up chunk by chunk of lanes; a categorical one keeps its bins until
// all chunks are there.
void StumpSearch::search_block_by_gain(const CutQuery& query, const SearchBlock& block,
                                       Workspace& work) {
    const std::size_t n_edges = block.first_edge.back();
    work.right_values.resize(std::max(work.right_values.size(), n_edges));
    work.left_values.resize(std::max(work.left_values.size(), n_edges));
    work.missing_values.assign(block.features.size(), 0.0);
    work.category_bins.resize(std::max(work.category_bins.size(), block.features.size()));
    double uncut = 0;
    for (std::size_t chunk = 0; chunk < query.classes.n_chunks(); ++chunk) {
        const Unit* histogram = block_histogram(query, block, chunk, work);
        const std::size_t lanes = query.classes.chunk_lanes(chunk);
        double of_chunk = 0;
        for (std::size_t k = 0; k < block.features.size(); ++k) {
            const Unit* bins = histogram + block.first_bin[k] * lanes;
            const FeatureInfo& info = matrix_.feature(block.features[k]);
            if (info.categorical) {
                AlignedVector<Unit>& kept = work.category_bins[k];
                kept.resize(info.n_bins() * query.classes.lanes);
                std::copy_n(bins, info.n_bins() * lanes,
                            kept.data() + info.n_bins() * chunk * kChunkLanes);
            }
            of_chunk = value_thresholds(query, block, {.feature = k, .chunk = chunk}, bins, work);
        }
        uncut += of_chunk;
    }
    for (std::size_t k = 0; k < block.features.size(); ++k) {
        const FeatureInfo& info = matrix_.feature(block.features[k]);
        Candidate& candidate = candidates_[block.features[k]];
        candidate = info.categorical
                        ? best_subset_by_gain(query, block.features[k], work.category_bins[k])
                        : best_threshold_by_gain(block, k, work);
        candidate.gain -= uncut;
    }
}

// Values of a feature's thresholds, one chunk of lanes added to those before; returns that of no
// cut.
double StumpSearch::value_thresholds(const CutQuery& query, const SearchBlock& block,
                                     ChunkOfFeature at, const Unit* bins, Workspace& work) const {
    const FeatureInfo& info = matrix_.feature(block.features[at.feature]);
    const std::size_t lanes = query.classes.chunk_lanes(at.chunk);
    const Unit* missing = info.has_missing ? bins + info.value_bins * lanes : nullptr;
    GainTask task{.histogram = bins,
                  .before = nullptr,
                  .total = query.sums->edge.data() + at.chunk * kChunkLanes,
                  .n_bins = info.categorical ? 1 : info.value_bins,
                  .lanes = lanes,
                  .add = at.chunk > 0};
    const std::size_t first = block.first_edge[at.feature];
    const double uncut = side_values(gain_, kernels_, task, work.right_values.data() + first);
    if (missing != nullptr && !info.categorical) {
        task.before = missing;
        side_values(gain_, kernels_, task, work.left_values.data() + first);
        task.before = nullptr;
        task.histogram = missing;
        task.n_bins = 2;
        side_values(gain_, kernels_, task, &work.missing_values[at.feature]);
    }
    return uncut;
}

// In the order of best_threshold.
StumpSearch::Candidate StumpSearch::best_threshold_by_gain(const SearchBlock& block, std::size_t k,
                                                           const Workspace& work) const {
    const FeatureInfo& info = matrix_.feature(block.features[k]);
    Candidate best;
    best.term.feature = block.features[k];
    if (info.has_missing) {
        best.gain = work.missing_values[k];
        best.term.missing_right = false;
    }
    for (std::uint32_t bin = 0; bin + 1 < info.value_bins; ++bin) {
        const double right = work.right_values[block.first_edge[k] + bin];
        const double left = info.has_missing ? work.left_values[block.first_edge[k] + bin] : right;
        if (std::max(right, left) > best.gain) {
            best.gain = std::max(right, left);
            best.term.first_right = bin + 1;
            best.term.missing_right = right >= left;
        }
    }
    return best;
}

// Categories are ordered by what they say of a class, for each class in turn, and cut like numbers.
// For one class, that finds the best of all subsets. Missing values are one more category.
StumpSearch::Candidate StumpSearch::best_subset_by_gain(const CutQuery& query,
                                                        std::uint32_t feature,
                                                        const AlignedVector<Unit>& bins) const {
    const FeatureInfo& info = matrix_.feature(feature);
    const std::size_t n_bins = info.n_bins();
    Candidate best;
    AlignedVector<Unit> ordered(bins.size());
    std::vector<double> values(n_bins);
    for (std::size_t by = 0; by < query.classes.lanes; ++by) {
        const std::size_t lanes = query.classes.chunk_lanes(by / kChunkLanes);
        const std::size_t lane = by % kChunkLanes;
        const std::optional<std::size_t> below = lane_below(gain_, lane, lanes);
        if (!below) {
            continue;
        }
        const auto order = order_of(bins.data() + n_bins * (by / kChunkLanes) * kChunkLanes, n_bins,
                                    lanes, lane, *below);
        for (std::size_t chunk = 0; chunk < query.classes.n_chunks(); ++chunk) {
            const std::size_t width = query.classes.chunk_lanes(chunk);
            const std::size_t first = n_bins * chunk * kChunkLanes;
            for (std::size_t c = 0; c < n_bins; ++c) {
                std::copy_n(bins.data() + first + order[c] * width, width,
                            ordered.data() + first + c * width);
            }
            side_values(gain_, kernels_,
                        {.histogram = ordered.data() + first,
                         .before = nullptr,
                         .total = query.sums->edge.data() + chunk * kChunkLanes,
                         .n_bins = n_bins,
                         .lanes = width,
                         .add = chunk > 0},
                        values.data());
        }
        for (std::size_t cut = 0; cut + 1 < n_bins; ++cut) {
            if (values[cut] > best.gain) {
                std::vector<bool> right(n_bins, false);
                for (std::size_t c = cut + 1; c < n_bins; ++c) {
                    right[order[c]] = true;
                }
                best.gain = values[cut];
                best.term = subset_term(feature, info, right);
            }
        }
    }
    return best;
}

FoundCut StumpSearch::choose_by_gain(const CutQuery& query) const {
    FoundCut found;
    for (const std::uint32_t feature : query.features) {
        if (candidates_[feature].gain > found.gain) {
            found.gain = candidates_[feature].gain;
            found.cut.terms.assign(1, candidates_[feature].term);
        }
    }
    return found;
}

}  // namespace mhb
