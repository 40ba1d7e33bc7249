#include "boosters/adaboost_mh.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <ranges>
#include <stdexcept>

#include "base/denormals.hpp"

namespace mhb {
namespace {

constexpr std::size_t kRowGrain = 4096;

// How often a round may draw, and what tells its later draws from those of other rounds.
constexpr std::size_t kAttempts = 50;
constexpr std::uint64_t kAttemptStep = std::uint64_t{1} << 40;

constexpr const char* kSeparated = "the weighted training error is zero";
constexpr const char* kNoEdge = "no cut has a positive edge";

VoteStorage storage_for(VoteKind kind) {
    switch (kind) {
        case VoteKind::Discrete: return VoteStorage::Signs;
        case VoteKind::Ternary: return VoteStorage::SignsAndSilence;
        case VoteKind::Real: break;
    }
    return VoteStorage::Reals;
}

}  // namespace

AdaBoostMH::AdaBoostMH(const Binner& binner, const BinnedMatrix& matrix, SignedWeights weights,
                       const Options& options)
    : binner_(binner),
      matrix_(matrix),
      options_(options),
      kernels_(active_kernels()),
      pool_(options.n_threads, Denormals::Flush),
      weights_(std::move(weights)),
      grower_(matrix, kernels_, pool_, options),
      ensemble_(matrix.n_features(), weights_.n_columns(), storage_for(options.votes)),
      leaf_of_row_(matrix.n_rows()) {
    if (weights_.n_rows() != matrix.n_rows()) {
        throw std::invalid_argument("booster: " + std::to_string(matrix.n_rows()) +
                                    " rows, but weights for " + std::to_string(weights_.n_rows()));
    }
    if (options.loss == Loss::Logistic) {
        weights_.start_logistic();
    }
}

void AdaBoostMH::add_evaluation(const BinnedMatrix& matrix, Targets targets,
                                std::vector<double> row_weights, Metric metric) {
    if (targets.n_columns() != weights_.n_columns()) {
        throw std::invalid_argument("evaluation: " + std::to_string(targets.n_columns()) +
                                    " columns, training has " +
                                    std::to_string(weights_.n_columns()));
    }
    evaluations_.push_back(
        std::make_unique<Evaluation>(matrix, std::move(targets), std::move(row_weights), metric));
}

std::size_t AdaBoostMH::run(std::size_t n_rounds, double seconds, const ShouldStop& should_stop) {
    const FlushDenormals flush;
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    std::size_t done = 0;
    try {
        while (done < n_rounds && !finished() && !should_stop()) {
            done += round(should_stop) ? 1 : 0;
            if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) {
                break;
            }
        }
    } catch (const Interrupted&) {
        return done;
    }
    return done;
}

// ------------------------------------------------------------------------------------ one round

// A tree that was searched on a sample can be useless to the whole: then another sample is drawn.
bool AdaBoostMH::round(const ShouldStop& should_stop) {
    const std::size_t n_attempts = options_.randomised() ? kAttempts : 1;
    for (std::size_t attempt = 0; attempt < n_attempts; ++attempt) {
        if (boost(ensemble_.n_rounds() + attempt * kAttemptStep, should_stop)) {
            return true;
        }
        units_are_fresh_ = false;
    }
    stop_reason_ = kNoEdge;
    return false;
}

bool AdaBoostMH::boost(std::uint64_t draw, const ShouldStop& should_stop) {
    draw_units(draw);
    draw_rows(draw);
    const Tree tree = grower_.grow(units_, draw, should_stop, leaf_of_row_);
    const LeafSums sums = sum_leaves(tree);
    const Votes votes =
        cast_votes(tree, sums, weights_.n_columns(), weights_.lanes(), effective_rows(), options_);
    const VoteSummary summary = summarise(votes, sums, weights_.lanes());
    if (summary.edge <= 0) {
        return false;
    }
    const std::size_t number = ensemble_.n_rounds();
    const double alpha = cast_alpha(summary, effective_rows(), options_);
    ensemble_.append(describe(tree, votes, sums, summary, alpha), binner_);
    reweight(number, votes, summary, sums, alpha);
    finish_round(number, summary);
    return true;
}

// Sets units_ to what this round's search sees of the weights.
void AdaBoostMH::draw_units(std::uint64_t draw) {
    units_.n_rows = weights_.n_rows();
    units_.row_mass.resize(units_.n_rows);
    if (samples_classes()) {
        if (!units_are_fresh_) {
            weights_.sample(pool_, draw_classes(draw));
        }
        scale_sample();
        return;
    }
    units_.classes = ClassLanes(weights_.n_columns());
    units_.weights = weights_.data();
    units_.scale = weights_.scale();
    if (!units_are_fresh_) {
        weights_.row_masses(pool_, kernels_, units_.row_mass.data());
    }
}

// Draws classes for a search; returns where their weights belong.
SampledClasses AdaBoostMH::draw_classes(std::uint64_t draw) {
    classes_ = RandomStream(options_.seed, draw, Draw::Classes)
                   .sample(static_cast<std::uint32_t>(weights_.n_columns()),
                           static_cast<std::uint32_t>(options_.class_sample));
    units_.classes = ClassLanes(classes_.size());
    units_.sampled.resize(weights_.n_rows() * units_.classes.lanes);
    return {.classes = classes_, .lanes = units_.classes.lanes, .weights = units_.sampled.data()};
}

// The sampled classes' units: scaled up, so that their total is near 1e9 again. A first pass at the
// common scale bounds their total: every entry rounds by half a unit at most.
void AdaBoostMH::scale_sample() {
    const std::size_t n_rows = weights_.n_rows();
    const auto set_masses = [&](float scale) {
        parallel_rows(pool_, n_rows, kRowGrain,
                      [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                          kernels_.row_masses({.weights = units_.sampled.data(),
                                               .lanes = units_.classes.lanes,
                                               .begin = begin,
                                               .end = end},
                                              scale, units_.row_mass.data());
                      });
    };
    set_masses(weights_.scale());
    const UnitSum total =
        std::accumulate(units_.row_mass.begin(), units_.row_mass.end(), UnitSum{0});
    const double bound =
        static_cast<double>(total) + 0.5 * static_cast<double>(n_rows * classes_.size());
    units_.weights = units_.sampled.data();
    units_.scale = static_cast<float>(static_cast<double>(weights_.scale()) *
                                      (static_cast<double>(kUnits) / bound));
    set_masses(units_.scale);
}

namespace {

// Buckets of masses, 16 to an octave.
std::size_t bucket_of(std::uint32_t mass) {
    const auto octave = static_cast<std::size_t>(std::bit_width(mass));
    return octave <= 4 ? mass : (octave - 4) * 16 + ((mass >> (octave - 5)) & 15U);
}

// The smallest mass of the bucket.
std::uint32_t bucket_floor(std::size_t bucket) {
    return bucket < 16 ? static_cast<std::uint32_t>(bucket)
                       : static_cast<std::uint32_t>(16 + bucket % 16) << (bucket / 16 - 1);
}

// The lightest rows that together hold at most this share of the weight are those below the mass
// returned. It is the floor of a bucket: rows of equal weight stay together whatever their order.
template <class Rows>
std::uint32_t trimming_mass(const RoundUnits& units, const Rows& rows, double share) {
    if (share <= 0) {
        return 1;
    }
    std::array<UnitSum, 29 * 16> held{};
    UnitSum total = 0;
    for (const RowIndex row : rows) {
        held[bucket_of(units.row_mass[row])] += units.row_mass[row];
        total += units.row_mass[row];
    }
    const double allowed = share * static_cast<double>(total);
    UnitSum left_out = 0;
    std::size_t bucket = 1;
    while (bucket + 1 < held.size() && static_cast<double>(left_out + held[bucket]) <= allowed) {
        left_out += held[bucket];
        ++bucket;
    }
    return bucket_floor(bucket);
}

}  // namespace

// Tells the grower which rows to look at: without those whose weight rounds to nothing, and the
// lightest ones if weight is to be trimmed.
void AdaBoostMH::draw_rows(std::uint64_t draw) {
    const auto n_rows = static_cast<std::uint32_t>(weights_.n_rows());
    if (options_.subsample >= 1.0) {
        const auto all = std::views::iota(RowIndex{0}, n_rows);
        take_heavy_rows(trimming_mass(units_, all, options_.weight_trimming));
        return;
    }
    const auto k = static_cast<std::uint32_t>(std::max(1.0, options_.subsample * n_rows));
    std::vector<RowIndex>& rows = grower_.rows();
    rows = RandomStream(options_.seed, draw, Draw::Rows).sample(n_rows, k);
    const std::uint32_t lightest = trimming_mass(units_, rows, options_.weight_trimming);
    std::erase_if(rows, [&](RowIndex row) { return units_.row_mass[row] < lightest; });
}

// All rows that are heavy enough, in their order: counted piece by piece, then listed.
void AdaBoostMH::take_heavy_rows(std::uint32_t lightest) {
    const std::size_t n_rows = weights_.n_rows();
    std::vector<std::size_t> end((n_rows + kRowGrain - 1) / kRowGrain, 0);
    const auto heavy = [&](std::size_t row) { return units_.row_mass[row] >= lightest ? 1U : 0U; };
    parallel_rows(pool_, n_rows, kRowGrain,
                  [&](std::size_t first, std::size_t last, std::size_t /*thread*/) {
                      for (std::size_t row = first; row < last; ++row) {
                          end[first / kRowGrain] += heavy(row);
                      }
                  });
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<RowIndex>& rows = grower_.rows();
    rows.resize(end.back() + 1);  // one more, for what comes after the last heavy row
    parallel_rows(pool_, n_rows, kRowGrain,
                  [&](std::size_t first, std::size_t last, std::size_t /*thread*/) {
                      const std::size_t piece = first / kRowGrain;
                      std::size_t place = piece == 0 ? 0 : end[piece - 1];
                      for (std::size_t row = first; row < last && place < end[piece]; ++row) {
                          rows[place] = static_cast<RowIndex>(row);
                          place += heavy(row);
                      }
                  });
    rows.pop_back();
}

// Leaf sums over all rows and classes. The search has them already, if it looked at all of them.
LeafSums AdaBoostMH::sum_leaves(const Tree& tree) {
    const bool saw_all = !samples_classes() && options_.subsample >= 1.0 &&
                         options_.weight_trimming <= 0 && options_.votes == VoteKind::Discrete;
    return saw_all ? grower_.leaf_sums(weights_.lanes())
                   : weights_.leaf_sums(pool_, kernels_, leaf_of_row_, tree.n_leaves);
}

Hypothesis AdaBoostMH::describe(const Tree& tree, const Votes& votes, const LeafSums& sums,
                                const VoteSummary& summary, double alpha) const {
    Hypothesis hypothesis;
    hypothesis.alpha = alpha;
    hypothesis.votes = votes.values;
    const auto total = static_cast<double>(summary.total);
    for (const UnitSum mass : sums.mass) {
        hypothesis.leaf_weight.push_back(static_cast<double>(mass) / total);
    }
    const auto searched = static_cast<double>(kUnits);
    for (const TreeNode& node : tree.nodes) {
        hypothesis.nodes.push_back({.cut = node.cut,
                                    .left = node.left,
                                    .right = node.right,
                                    .gain = node.gain / searched});
    }
    set_node_weights(hypothesis);
    return hypothesis;
}

void AdaBoostMH::reweight(std::uint64_t number, const Votes& votes, const VoteSummary& summary,
                          const LeafSums& sums, double alpha) {
    const std::size_t lanes = weights_.lanes();
    const std::size_t size = votes.n_leaves * lanes;
    if (options_.loss == Loss::Logistic) {
        AlignedVector<float> step(size, 0.0F);
        for (std::size_t leaf = 0; leaf < votes.n_leaves; ++leaf) {
            const auto of_leaf = votes.of_leaf(leaf);
            for (std::size_t l = 0; l < of_leaf.size(); ++l) {
                step[leaf * lanes + l] = static_cast<float>(alpha * of_leaf[l]);
            }
        }
        units_are_fresh_ = false;
        losses_.push_back(weights_.update_logistic(pool_, kernels_, leaf_of_row_, step));
        return;
    }
    const double z = energy(votes, summary, sums, lanes, alpha, options_.votes);
    const double normaliser = z * static_cast<double>(summary.total) * 1e-9;
    const auto factor = [&](double exponent) {
        return static_cast<float>(std::exp(exponent) / normaliser);
    };
    // Votes are mostly -1, 0 or 1: three exponentials serve them all.
    const float against = factor(alpha);
    const float silent = factor(0.0);
    const float agrees = factor(-alpha);
    AlignedVector<float> for_positive(size, 0.0F);
    AlignedVector<float> for_negative(size, 0.0F);
    const bool real = options_.votes == VoteKind::Real;
    for (std::size_t leaf = 0; leaf < votes.n_leaves; ++leaf) {
        const auto of_leaf = votes.of_leaf(leaf);
        for (std::size_t l = 0; l < of_leaf.size(); ++l) {
            const double v = of_leaf[l];
            const std::size_t place = leaf * lanes + l;
            if (real) {
                for_positive[place] = factor(-alpha * v);
                for_negative[place] = factor(alpha * v);
            } else {
                for_positive[place] = v == 0 ? silent : (v > 0 ? agrees : against);
                for_negative[place] = v == 0 ? silent : (v > 0 ? against : agrees);
            }
        }
    }
    units_are_fresh_ = true;
    units_.row_mass.resize(weights_.n_rows());
    std::optional<SampledClasses> sample;
    if (samples_classes()) {
        sample = draw_classes(number + 1);
    }
    const double sum = weights_.update(
        pool_, kernels_, {leaf_of_row_.data(), for_positive.data(), for_negative.data()},
        sample ? nullptr : units_.row_mass.data(), sample ? &*sample : nullptr);
    log_scale_ += std::log(normaliser);
    losses_.push_back(sum * std::exp(log_scale_));
}

// What follows a hypothesis that is already in the ensemble and in the weights.
void AdaBoostMH::finish_round(std::size_t number, const VoteSummary& summary) {
    edges_.push_back(static_cast<double>(summary.edge) / static_cast<double>(summary.total));
    if (summary.edge == summary.total && !options_.randomised()) {
        stop_reason_ = kSeparated;
    }
    for (const auto& evaluation : evaluations_) {
        evaluation->score(ensemble_, number, number + 1, pool_);
    }
}

void AdaBoostMH::replay(const Ensemble& ensemble, const ShouldStop& should_stop) {
    if (ensemble_.n_rounds() > 0) {
        throw std::invalid_argument("booster: only a new one can replay");
    }
    if (ensemble.n_columns() != weights_.n_columns() ||
        ensemble.n_features() != matrix_.n_features()) {
        throw std::invalid_argument(
            "booster: the ensemble has " + std::to_string(ensemble.n_features()) +
            " features and " + std::to_string(ensemble.n_columns()) + " columns, the data have " +
            std::to_string(matrix_.n_features()) + " and " + std::to_string(weights_.n_columns()));
    }
    const FlushDenormals flush;
    ensemble_ = ensemble;
    for (std::size_t t = 0; t < ensemble.n_rounds(); ++t) {
        if (should_stop()) {
            throw Interrupted{};
        }
        ensemble.find_leaves(t, matrix_, pool_, leaf_of_row_.data());
        Votes votes{
            .n_leaves = ensemble.n_leaves(t), .n_columns = weights_.n_columns(), .values = {}};
        for (std::uint32_t leaf = 0; leaf < votes.n_leaves; ++leaf) {
            const std::vector<double> of_leaf = ensemble.votes_of(t, leaf);
            votes.values.insert(votes.values.end(), of_leaf.begin(), of_leaf.end());
        }
        const LeafSums sums = weights_.leaf_sums(pool_, kernels_, leaf_of_row_, votes.n_leaves);
        const VoteSummary summary = summarise(votes, sums, weights_.lanes());
        reweight(t, votes, summary, sums, ensemble.arrays().alpha[t]);
        finish_round(t, summary);
    }
}

}  // namespace mhb
