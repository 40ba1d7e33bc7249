#include "boosters/aoso_boost.hpp"

#include <algorithm>

#include "boosters/row_sums.hpp"

namespace mhb {
namespace {

constexpr std::size_t kPad = 16;

}  // namespace

AosoBoost::AosoBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
                     const LogitOptions& options)
    : LogitBoost(binner, matrix, rows, options),
      width_((rows.n_columns + kPad - 1) / kPad * kPad),
      p_(width_ * rows.n_rows(), 0.0F) {
    all_.classes = ClassLanes(n_vector_lanes());
    all_lanes_.assign(all_.classes.lanes * rows.n_rows(), 0.0F);
    all_.n_rows = rows.n_rows();
    all_.weights = all_lanes_.data();
    all_.scale = 1.0F;
    all_.row_mass.resize(rows.n_rows());
}

Rival::Outcome AosoBoost::round(std::uint64_t number, const ShouldStop& should_stop) {
    if (rows_.n_columns == 1) {  // there is but one pair
        return LogitBoost::round(number, should_stop);
    }
    // Q can be twice the sum of two curvatures: two bits are left to it.
    unit_ = unit_of_classes() / 4;
    fill_vector_units(unit_, all_, all_lanes_);
    units_.row_mass = all_.row_mass;
    fill_rows();
    grower_.use(this);
    const Tree tree = grow(number, should_stop);
    std::vector<Hypothesis> trees = {describe(tree, alpha(), unit_)};
    trees[0].pairs = votes(pairs_of_leaves(tree.n_leaves));
    const std::size_t n = rows_.n_rows();
    std::ranges::fill(step_, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        const PairVote& vote = trees[0].pairs[leaf_of_row_[row]];
        step_[vote.plus * n + row] = vote.value;
        step_[vote.minus * n + row] = -vote.value;
    }
    step_to(next_);
    std::swap(now_, next_);
    return finish(std::move(trees));
}

// Probabilities row by row.
void AosoBoost::fill_rows() {
    parallel_rows(pool_, rows_.n_rows(), 256,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t k = 0; k < rows_.n_columns; ++k) {
                          for (std::size_t row = begin; row < end; ++row) {
                              p_[row * width_ + k] = static_cast<float>(probability(k, row));
                          }
                      }
                  });
}

// ------------------------------------------------------------------------------------ pairs

std::size_t AosoBoost::steepest(const Unit* sums) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < rows_.n_columns; ++k) {
        best = sums[gradient_lane(k)] > sums[gradient_lane(best)] ? k : best;
    }
    return best;
}

std::size_t AosoBoost::opponent(const Unit* sums, const float* products, std::size_t plus) const {
    const std::size_t half = half_chunk();
    const Unit* own = sums + gradient_lane(plus);
    std::size_t best = plus == 0 ? 1 : 0;
    double best_gain = -1;
    for (std::size_t k = 0; k < rows_.n_columns; ++k) {
        const Unit* other = sums + gradient_lane(k);
        const double g = static_cast<double>(own[0]) - other[0];
        const double q = static_cast<double>(own[half]) + other[half] + 2 * unit_ * products[k];
        const double gain = g * g / std::max(q, 1.0);
        if (k != plus && gain > best_gain) {
            best = k;
            best_gain = gain;
        }
    }
    return best;
}

void AosoBoost::add_products(std::size_t row, std::size_t plus, float* products) const {
    const float* p = p_.data() + row * width_;
    const float own = p[plus] * static_cast<float>(rows_.weight[row]);
    for (std::size_t k = 0; k < width_; k += kPad) {
        for (std::size_t i = 0; i < kPad; ++i) {
            products[k + i] += own * p[k + i];
        }
    }
}

// Chooses the node's pair and sets the lanes of its rows.
void AosoBoost::prepare(std::span<const RowIndex> rows) {
    const ClassSums sums = sum_rows({.kernels = kernels_, .pool = pool_}, all_, rows);
    const std::size_t plus = steepest(sums.edge.data());
    std::vector<float> products(width_, 0.0F);
    for (const RowIndex row : rows) {
        add_products(row, plus, products.data());
    }
    const std::size_t minus = opponent(sums.edge.data(), products.data(), plus);
    const std::size_t half = half_chunk();
    const auto twice = static_cast<float>(2 * unit_);
    for (const RowIndex row : rows) {
        const Weight* all = all_lanes_.data() + row * all_.classes.lanes;
        const Weight* up = all + gradient_lane(plus);
        const Weight* down = all + gradient_lane(minus);
        const float* p = p_.data() + row * width_;
        const float cross = twice * static_cast<float>(rows_.weight[row]) * p[plus] * p[minus];
        Weight* lanes = lanes_.data() + std::size_t{row} * 4;
        lanes[0] = up[0] - down[0];
        lanes[1] = up[half] + down[half] + cross;
    }
}

// ------------------------------------------------------------------------------------ leaves

// Sums of all classes' units, n_leaves x lanes.
AlignedVector<Unit> AosoBoost::sum_leaves(std::size_t n_leaves) {
    const std::size_t size = n_leaves * all_.classes.lanes;
    std::vector<AlignedVector<Unit>> sums(pool_.size());
    std::vector<AlignedVector<Unit>> magnitudes(pool_.size());
    parallel_rows(pool_, rows_.n_rows(), kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t thread) {
                      sums[thread].resize(size, 0);
                      magnitudes[thread].resize(size, 0);
                      kernels_.leaf_sums({.weights = all_lanes_.data(),
                                          .lanes = all_.classes.lanes,
                                          .begin = begin,
                                          .end = end},
                                         1.0F, leaf_of_row_.data(), sums[thread].data(),
                                         magnitudes[thread].data());
                  });
    AlignedVector<Unit> total(size, 0);
    for (const AlignedVector<Unit>& part : sums) {
        for (std::size_t i = 0; i < part.size(); ++i) {
            total[i] += part[i];
        }
    }
    return total;
}

std::vector<AosoBoost::Pair> AosoBoost::pairs_of_leaves(std::size_t n_leaves) {
    const AlignedVector<Unit> sums = sum_leaves(n_leaves);
    const std::size_t n_lanes = all_.classes.lanes;
    std::vector<Pair> pairs(n_leaves);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        pairs[leaf].plus = steepest(sums.data() + leaf * n_lanes);
    }
    std::vector<float> products(n_leaves * width_, 0.0F);
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        const std::uint32_t leaf = leaf_of_row_[row];
        add_products(row, pairs[leaf].plus, products.data() + leaf * width_);
    }
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        pairs[leaf].minus = opponent(sums.data() + leaf * n_lanes, products.data() + leaf * width_,
                                     pairs[leaf].plus);
    }
    return pairs;
}

std::vector<PairVote> AosoBoost::votes(const std::vector<Pair>& pairs) {
    const std::vector<double> sums = sum_over_leaves(
        pool_, leaf_of_row_, pairs.size(), 2, [&](std::size_t term, std::size_t row) {
            const auto [plus, minus] = pairs[leaf_of_row_[row]];
            return term == 0 ? class_gradient(plus, row) - class_gradient(minus, row)
                             : class_curvature(plus, row) + class_curvature(minus, row) +
                                   2 * rows_.weight[row] * probability(plus, row) *
                                       probability(minus, row);
        });
    std::vector<PairVote> votes(pairs.size());
    for (std::size_t leaf = 0; leaf < pairs.size(); ++leaf) {
        const double g = sums[2 * leaf];
        const double q = sums[2 * leaf + 1];
        votes[leaf].plus = static_cast<std::uint32_t>(pairs[leaf].plus);
        votes[leaf].minus = static_cast<std::uint32_t>(pairs[leaf].minus);
        votes[leaf].value = q > 0 ? std::clamp(g / q, -largest_step(), largest_step()) : 0.0;
    }
    return votes;
}

}  // namespace mhb
