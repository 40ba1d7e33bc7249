#include "weights/signed_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace mhb {
namespace {

// Rows per task. Sums of doubles are formed per piece and then in order: threads do not show.
constexpr std::size_t kRowGrain = 4096;

// Rows of weights that stay in the first two levels of the cache.
constexpr std::size_t kTileBytes = std::size_t{64} * 1024;

void check_sizes(const Targets& targets, std::size_t given, std::size_t wanted, const char* name) {
    if (given != wanted) {
        throw std::invalid_argument(std::string("weights: ") + name + " has " +
                                    std::to_string(given) + " numbers, " + std::to_string(wanted) +
                                    " are needed for " + std::to_string(targets.n_rows()) +
                                    " rows");
    }
}

}  // namespace

template <class WeightOf>
void SignedWeights::set_initial(const Targets& targets, const WeightOf& weight_of) {
    weights_.assign(n_rows_ * lanes_, 0.0F);
    // Calls visit(row, column, weight, positive) for the whole matrix, row by row.
    const auto for_each = [&](const auto& visit) {
        for (std::size_t row = 0; row < n_rows_; ++row) {
            const auto positives = targets.positives(row);
            auto next = positives.begin();
            for (std::size_t column = 0; column < n_columns_; ++column) {
                const bool positive =
                    next != positives.end() && *next == static_cast<std::int32_t>(column);
                next += positive ? 1 : 0;
                visit(row, column, weight_of(row, column, positive), positive);
            }
        }
    };
    double total = 0;
    double row_total = 0;
    std::size_t current = 0;
    for_each([&](std::size_t row, std::size_t /*column*/, double weight, bool /*positive*/) {
        if (row != current) {
            total += row_total;
            row_total = 0;
            current = row;
        }
        row_total += weight;
    });
    total += row_total;
    if (!(total > 0) || !std::isfinite(total)) {
        throw std::invalid_argument("weights: their sum must be positive and finite, it is " +
                                    std::to_string(total));
    }
    for_each([&](std::size_t row, std::size_t column, double weight, bool positive) {
        weights_[row * lanes_ + column] =
            static_cast<Weight>((positive ? weight : -weight) / total);
    });
}

SignedWeights::SignedWeights(const Targets& targets, const WeightScheme& scheme)
    : n_rows_(targets.n_rows()), n_columns_(targets.n_columns()), lanes_(padded_lanes(n_columns_)) {
    check_sizes(targets, scheme.row_positive.size(), n_rows_, "row_positive");
    check_sizes(targets, scheme.row_negative.size(), n_rows_, "row_negative");
    check_sizes(targets, scheme.column_positive.size(), n_columns_, "column_positive");
    check_sizes(targets, scheme.column_negative.size(), n_columns_, "column_negative");
    set_initial(targets, [&](std::size_t row, std::size_t column, bool positive) {
        return positive ? scheme.row_positive[row] * scheme.column_positive[column]
                        : scheme.row_negative[row] * scheme.column_negative[column];
    });
}

SignedWeights::SignedWeights(const Targets& targets, std::span<const double> matrix)
    : n_rows_(targets.n_rows()), n_columns_(targets.n_columns()), lanes_(padded_lanes(n_columns_)) {
    check_sizes(targets, matrix.size(), n_rows_ * n_columns_, "matrix");
    set_initial(targets, [&](std::size_t row, std::size_t column, bool /*positive*/) {
        return matrix[row * n_columns_ + column];
    });
}

WeightRows SignedWeights::rows(std::size_t begin, std::size_t end) const {
    return {.weights = weights_.data(), .lanes = lanes_, .begin = begin, .end = end};
}

void SignedWeights::start_logistic() {
    base_ = weights_;
    margins_.assign(weights_.size(), 0.0F);
}

void SignedWeights::row_masses(ThreadPool& pool, const Kernels& kernels,
                               std::uint32_t* row_mass) const {
    parallel_rows(pool, n_rows_, kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      kernels.row_masses(rows(begin, end), scale_, row_mass);
                  });
}

void SignedWeights::sample_rows(const SampledClasses& sample, std::size_t begin,
                                std::size_t end) const {
    for (std::size_t row = begin; row < end; ++row) {
        const Weight* from = weights_.data() + row * lanes_;
        Weight* to = sample.weights + row * sample.lanes;
        for (std::size_t k = 0; k < sample.classes.size(); ++k) {
            to[k] = from[sample.classes[k]];
        }
        std::fill(to + sample.classes.size(), to + sample.lanes, 0.0F);
    }
}

void SignedWeights::sample(ThreadPool& pool, const SampledClasses& sample) const {
    parallel_rows(pool, n_rows_, kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      sample_rows(sample, begin, end);
                  });
}

LeafSums SignedWeights::leaf_sums(ThreadPool& pool, const Kernels& kernels,
                                  const std::vector<std::uint32_t>& leaf_of_row,
                                  std::size_t n_leaves) const {
    const std::size_t size = n_leaves * lanes_;
    std::vector<AlignedVector<Unit>> edge(pool.size());
    std::vector<AlignedVector<Unit>> magnitude(pool.size());
    parallel_rows(pool, n_rows_, kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t thread) {
                      edge[thread].resize(size, 0);
                      magnitude[thread].resize(size, 0);
                      kernels.leaf_sums(rows(begin, end), scale_, leaf_of_row.data(),
                                        edge[thread].data(), magnitude[thread].data());
                  });
    LeafSums sums{.edge = std::vector<Unit>(size, 0),
                  .magnitude = std::vector<Unit>(size, 0),
                  .mass = std::vector<UnitSum>(n_leaves, 0)};
    for (std::size_t thread = 0; thread < pool.size(); ++thread) {
        for (std::size_t i = 0; i < edge[thread].size(); ++i) {
            sums.edge[i] += edge[thread][i];
            sums.magnitude[i] += magnitude[thread][i];
            sums.mass[i / lanes_] += magnitude[thread][i];
        }
    }
    return sums;
}

double SignedWeights::update(ThreadPool& pool, const Kernels& kernels, const UpdateTables& tables,
                             std::uint32_t* row_mass, const SampledClasses* sample) {
    const UpdatedRows out{.weights = weights_.data(), .scale = scale_, .row_mass = row_mass};
    // A sample is taken while its rows are in the cache.
    const std::size_t tile = sample == nullptr
                                 ? kRowGrain
                                 : std::max<std::size_t>(kTileBytes / (lanes_ * sizeof(Weight)), 1);
    std::vector<double> piece_total((n_rows_ + kRowGrain - 1) / kRowGrain, 0.0);
    parallel_rows(
        pool, n_rows_, kRowGrain, [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
            for (std::size_t first = begin; first < end; first += tile) {
                const std::size_t last = std::min(first + tile, end);
                piece_total[begin / kRowGrain] += kernels.update(rows(first, last), tables, out);
                if (sample != nullptr) {
                    sample_rows(*sample, first, last);
                }
            }
        });
    return std::accumulate(piece_total.begin(), piece_total.end(), 0.0);
}

double SignedWeights::update_logistic(ThreadPool& pool, const Kernels& kernels,
                                      const std::vector<std::uint32_t>& leaf_of_row,
                                      const AlignedVector<float>& step) {
    std::vector<LogisticSums> piece((n_rows_ + kRowGrain - 1) / kRowGrain, LogisticSums{});
    parallel_rows(pool, n_rows_, kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      piece[begin / kRowGrain] = kernels.logistic(
                          {.weights = base_.data(), .lanes = lanes_, .begin = begin, .end = end},
                          leaf_of_row.data(), step.data(), margins_.data(), weights_.data());
                  });
    LogisticSums sums{};
    for (const LogisticSums& part : piece) {
        sums.weight += part.weight;
        sums.loss += part.loss;
    }
    if (sums.weight > 0) {
        scale_ = static_cast<float>(static_cast<double>(kUnits) / sums.weight);
    }
    return sums.loss;
}

}  // namespace mhb
