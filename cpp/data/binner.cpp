#include "data/binner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "base/random.hpp"

namespace mhb {
namespace {

// Columns longer than this take their quantiles from a sample of this many rows.
constexpr std::size_t kSampleRows = 200'000;
constexpr std::size_t kChunk = 65'536;

// Distinct values of a column in rising order, and how often each was seen.
struct Distinct {
    std::vector<double> values;
    std::vector<std::size_t> counts;
    bool has_missing = false;
};

Distinct distinct_values(std::vector<double> values) {
    Distinct distinct;
    const auto end =
        std::remove_if(values.begin(), values.end(), [](double x) { return std::isnan(x); });
    distinct.has_missing = end != values.end();
    values.erase(end, values.end());
    std::sort(values.begin(), values.end());
    for (const double value : values) {
        if (distinct.values.empty() || distinct.values.back() != value) {
            distinct.values.push_back(value);
            distinct.counts.push_back(0);
        }
        ++distinct.counts.back();
    }
    return distinct;
}

// Halfway between two neighbours; the upper one where the midpoint rounds to the lower.
double midpoint(double low, double high) {
    const double middle = std::isfinite(high - low) ? low + (high - low) / 2 : low / 2 + high / 2;
    return middle > low ? middle : high;
}

// Closes a bin when it holds its share of the rows that are left for the bins that are left.
std::vector<double> quantile_thresholds(const Distinct& distinct, std::size_t n_bins) {
    std::size_t rows_left = 0;
    for (const std::size_t count : distinct.counts) {
        rows_left += count;
    }
    std::vector<double> thresholds;
    std::size_t bins_left = n_bins;
    std::size_t in_bin = 0;
    for (std::size_t i = 0; i + 1 < distinct.values.size() && bins_left > 1; ++i) {
        in_bin += distinct.counts[i];
        const bool must_close = distinct.values.size() - 1 - i < bins_left;
        if (must_close || in_bin * bins_left >= rows_left) {
            thresholds.push_back(midpoint(distinct.values[i], distinct.values[i + 1]));
            rows_left -= in_bin;
            in_bin = 0;
            --bins_left;
        }
    }
    return thresholds;
}

// Walks a column in chunks of doubles.
template <class Visit>
void for_each_chunk(const RawMatrix& raw, std::size_t feature, const Visit& visit) {
    std::vector<double> chunk(std::min(kChunk, raw.n_rows()));
    for (std::size_t begin = 0; begin < raw.n_rows(); begin += kChunk) {
        const std::size_t end = std::min(begin + kChunk, raw.n_rows());
        raw.read_column(feature, begin, end, chunk.data());
        visit(std::span<const double>(chunk.data(), end - begin));
    }
}

// Adds to a sample's distinct values what the sample missed; gives up (false) beyond `limit`
// values.
bool complete(const RawMatrix& raw, std::size_t feature, std::size_t limit, Distinct& distinct) {
    bool few = distinct.values.size() <= limit;
    for_each_chunk(raw, feature, [&](std::span<const double> chunk) {
        for (const double value : chunk) {
            if (std::isnan(value)) {
                distinct.has_missing = true;
            } else if (few) {
                const auto place =
                    std::lower_bound(distinct.values.begin(), distinct.values.end(), value);
                if (place == distinct.values.end() || *place != value) {
                    distinct.counts.insert(
                        distinct.counts.begin() + (place - distinct.values.begin()), 1);
                    distinct.values.insert(place, value);
                    few = distinct.values.size() <= limit;
                }
            }
        }
    });
    return few;
}

Distinct sparse_distinct(const RawMatrix& raw, std::size_t feature) {
    const CompressedView& view = raw.compressed();
    const auto first = view.data.begin() + view.indptr[feature];
    const auto last = view.data.begin() + view.indptr[feature + 1];
    std::vector<double> values(first, last);
    const std::size_t n_zeros = raw.n_rows() - values.size();
    if (n_zeros > 0) {
        values.push_back(0.0);
    }
    Distinct distinct = distinct_values(std::move(values));
    if (n_zeros > 0) {
        const auto zero = std::lower_bound(distinct.values.begin(), distinct.values.end(), 0.0);
        distinct.counts[static_cast<std::size_t>(zero - distinct.values.begin())] += n_zeros - 1;
    }
    return distinct;
}

std::vector<double> thresholds_of(const Distinct& distinct, std::size_t max_bins,
                                  std::size_t feature) {
    const bool exact = max_bins == 0;
    const std::size_t limit = (exact ? kMaxBins : max_bins) - (distinct.has_missing ? 1 : 0);
    if (exact && distinct.values.size() > limit) {
        throw std::invalid_argument(
            "max_bins='exact' needs at most " + std::to_string(limit) +
            " distinct values in a feature; feature " + std::to_string(feature) + " has " +
            std::to_string(distinct.values.size()) + ". Use a number, such as max_bins=256.");
    }
    return quantile_thresholds(distinct, std::max<std::size_t>(limit, 1));
}

FeatureBins fit_numeric(const RawMatrix& raw, std::size_t feature, std::size_t max_bins,
                        std::span<const std::uint32_t> sample) {
    Distinct distinct;
    if (raw.layout() == Layout::SparseColumns) {
        distinct = sparse_distinct(raw, feature);
    } else if (sample.empty()) {
        std::vector<double> values(raw.n_rows());
        raw.read_column(feature, 0, raw.n_rows(), values.data());
        distinct = distinct_values(std::move(values));
    } else {
        std::vector<double> values(sample.size());
        raw.read_column(feature, sample, values.data());
        const Distinct seen = distinct_values(std::move(values));
        distinct = seen;
        if (!complete(raw, feature, max_bins, distinct)) {
            const bool has_missing = distinct.has_missing;
            distinct = seen;
            distinct.has_missing = has_missing;
        }
    }
    FeatureBins bins;
    bins.has_missing = distinct.has_missing;
    bins.thresholds = thresholds_of(distinct, max_bins, feature);
    return bins;
}

FeatureBins fit_categorical(const RawMatrix& raw, std::size_t feature, std::uint32_t n_categories) {
    FeatureBins bins;
    bins.n_categories = n_categories;
    const auto look = [&](std::span<const double> values) {
        for (const double value : values) {
            bins.has_missing = bins.has_missing || std::isnan(value);
        }
    };
    if (raw.layout() == Layout::SparseColumns) {
        const CompressedView& view = raw.compressed();
        const auto begin = static_cast<std::size_t>(view.indptr[feature]);
        look(view.data.subspan(begin, static_cast<std::size_t>(view.indptr[feature + 1]) - begin));
    } else {
        for_each_chunk(raw, feature, look);
    }
    return bins;
}

}  // namespace

Bin FeatureBins::bin(double value) const {
    if (categorical()) {
        if (std::isnan(value)) {
            return static_cast<Bin>(n_categories);
        }
        const bool known = value >= 0 && value < static_cast<double>(n_categories);
        return static_cast<Bin>(known ? static_cast<std::uint32_t>(value) : n_categories + 1);
    }
    if (std::isnan(value)) {
        return static_cast<Bin>(thresholds.size() + 1);
    }
    // Branchless upper bound: the number of thresholds <= value.
    const double* base = thresholds.data();
    std::size_t length = thresholds.size();
    while (length > 1) {
        const std::size_t half = length / 2;
        base += (base[half - 1] <= value) ? half : 0;
        length -= half;
    }
    const std::size_t before = static_cast<std::size_t>(base - thresholds.data());
    return static_cast<Bin>(before + (length == 1 && *base <= value ? 1 : 0));
}

void Binner::fit(const RawMatrix& raw, ThreadPool& pool) {
    if (options_.categories.size() != raw.n_features()) {
        throw std::invalid_argument("Binner: categories has " +
                                    std::to_string(options_.categories.size()) + " entries for " +
                                    std::to_string(raw.n_features()) + " features");
    }
    if (raw.layout() == Layout::SparseRows) {
        throw std::invalid_argument("Binner: a sparse matrix must be compressed by columns");
    }
    const auto n_rows = static_cast<std::uint32_t>(raw.n_rows());
    std::vector<std::uint32_t> sample;
    if (raw.n_rows() > kSampleRows && options_.max_bins > 0 && raw.layout() == Layout::Dense) {
        sample = RandomStream(options_.seed, 0, Draw::BinRows).sample(n_rows, kSampleRows);
    }
    std::vector<FeatureBins> features(raw.n_features());
    pool.parallel_for(raw.n_features(), [&](std::size_t j, std::size_t /*thread*/) {
        const std::uint32_t n_categories = options_.categories[j];
        features[j] = n_categories > 0 ? fit_categorical(raw, j, n_categories)
                                       : fit_numeric(raw, j, options_.max_bins, sample);
    });
    features_ = std::move(features);
}

}  // namespace mhb
