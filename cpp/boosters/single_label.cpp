#include "boosters/single_label.hpp"

#include <algorithm>
#include <cmath>

#include "boosters/row_sums.hpp"

namespace mhb {
namespace {

constexpr const char* kPerfect = "the weighted training error is zero";
constexpr const char* kNoEdge = "no tree is better than chance";

// Errors are not believed to be smaller, nor probabilities of a class in a leaf.
constexpr double kLeastError = 1e-10;
constexpr double kLeastProbability = 1e-5;

Options options_of(SingleLabelMethod method, const Options& options) {
    Options own = options;
    own.gain.criterion = method <= SingleLabelMethod::MH ? Criterion::Gini : Criterion::Hellinger;
    return own;
}

VoteStorage storage_for(SingleLabelMethod method, std::size_t n_columns) {
    switch (method) {
        case SingleLabelMethod::MH: return VoteStorage::Signs;
        case SingleLabelMethod::M2: return VoteStorage::SignsAndSilence;
        case SingleLabelMethod::SammeR: return VoteStorage::Reals;
        default: return n_columns == 1 ? VoteStorage::Signs : VoteStorage::Pairs;
    }
}

}  // namespace

SingleLabelBoost::SingleLabelBoost(const Binner& binner, const BinnedMatrix& matrix,
                                   const LabelledRows& rows, SingleLabelMethod method,
                                   const Options& options)
    : Rival(binner, matrix, rows, options_of(method, options), storage_for(method, rows.n_columns)),
      method_(method),
      weight_(by_class() ? rows_.n_classes * rows_.n_rows() : rows_.n_rows()),
      row_sum_(rows_.n_rows()) {
    start_weights();
    lay_out_lanes();
}

// By class: half of a row's weight on its class, half on the others, where its class has any.
void SingleLabelBoost::start_weights() {
    const auto others = static_cast<double>(rows_.n_classes - 1);
    for (std::size_t row = 0; row < rows_.n_rows(); ++row) {
        const double w = rows_.weight[row] / rows_.total_weight;
        for (std::size_t k = 0; by_class() && k < rows_.n_classes; ++k) {
            const double own = method_ == SingleLabelMethod::MH ? w / 2 : 0;
            weight_[place(k, row)] = k == rows_.label[row] ? own : (w - own) / others;
        }
        if (!by_class()) {
            weight_[row] = w;
        }
        row_sum_[row] = w;
    }
}

void SingleLabelBoost::lay_out_lanes() {
    const std::size_t needed = !by_gini() ? 2 * rows_.n_classes : rows_.n_classes + 1;
    const std::size_t chunk = needed <= 4 ? 4 : (needed <= 8 ? 8 : (needed <= 16 ? 16 : 32));
    against_ = chunk / 2;
    const std::size_t classes_of_chunk = !by_gini() ? against_ : chunk - 1;
    for (std::size_t k = 0; k < rows_.n_classes; ++k) {
        lane_.push_back(k / classes_of_chunk * chunk + k % classes_of_chunk);
    }
    units_.classes = ClassLanes((lane_.back() / chunk + 1) * chunk);
    lanes_.assign(units_.classes.lanes * rows_.n_rows(), 0.0F);
    units_.weights = lanes_.data();
}

// Returns the units in a weight of 1.
double SingleLabelBoost::fill_units() {
    const double unit = unit_for(1.0);
    const std::size_t n_lanes = units_.classes.lanes;
    const std::size_t chunk = std::min(n_lanes, kChunkLanes);
    parallel_rows(pool_, rows_.n_rows(), 256,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t row = begin; row < end; ++row) {
                          float* lanes = lanes_.data() + row * n_lanes;
                          const std::size_t own = rows_.label[row];
                          const auto w = static_cast<float>(row_sum_[row] * unit);
                          lanes[lane_[own]] = w;
                          for (std::size_t last = chunk - 1; by_gini() && last < n_lanes;
                               last += chunk) {
                              lanes[last] = w;
                          }
                          for (std::size_t k = 0; !by_gini() && k < rows_.n_classes; ++k) {
                              if (k != own) {
                                  lanes[lane_[k] + against_] =
                                      static_cast<float>(weight_[place(k, row)] * unit);
                              }
                          }
                          units_.row_mass[row] = static_cast<std::uint32_t>(row_sum_[row] * unit);
                      }
                  });
    return unit;
}

// n_leaves x n_classes: the weight for a class minus that against it.
std::vector<double> SingleLabelBoost::sum_leaves(std::size_t n_leaves) {
    return sum_over_leaves(pool_, leaf_of_row_, n_leaves, rows_.n_classes,
                           [&](std::size_t k, std::size_t row) {
                               if (rows_.label[row] == k) {
                                   return weight_for(k, row);
                               }
                               return by_class() ? -weight_[place(k, row)] : 0.0;
                           });
}

Rival::Outcome SingleLabelBoost::round(std::uint64_t number, const ShouldStop& should_stop) {
    const double unit = fill_units();
    const Tree tree = grow(number, should_stop);
    const Said said = say(tree);
    Outcome outcome;
    if (!(said.edge > 0)) {
        outcome.stop_reason = kNoEdge;
        return outcome;
    }
    outcome.trees.push_back(hypothesis_of(tree, said, unit));
    outcome.edge = said.edge;
    log_scale_ += std::log(reweight(said));
    outcome.loss = std::exp(log_scale_);
    if (said.perfect) {
        outcome.stop_reason = kPerfect;
    }
    return outcome;
}

// ------------------------------------------------------------------------------------ votes

SingleLabelBoost::Said SingleLabelBoost::say(const Tree& tree) {
    const std::size_t K = rows_.n_classes;
    const std::vector<double> sums = sum_leaves(tree.n_leaves);
    Said said;
    said.votes.assign(sums.size(), 0.0);
    for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
        const double* of_leaf = sums.data() + leaf * K;
        const auto best =
            static_cast<std::size_t>(std::max_element(of_leaf, of_leaf + K) - of_leaf);
        said.label.push_back(static_cast<std::uint32_t>(best));
        for (std::size_t k = 0; k < K; ++k) {
            const bool plausible = method_ == SingleLabelMethod::M2 ? of_leaf[k] > 0 : k == best;
            said.votes[leaf * K + k] = plausible ? 1.0 : 0.0;
        }
    }
    switch (method_) {
        case SingleLabelMethod::Samme:
        case SingleLabelMethod::M1: say_by_error(said); break;
        case SingleLabelMethod::SammeR: say_probabilities(sums, said); break;
        case SingleLabelMethod::MH: say_mh(said); break;
        case SingleLabelMethod::MM: say_mm(said); break;
        case SingleLabelMethod::M2: say_m2(said); break;
    }
    return said;
}

// Weight of the rows whose leaf names their class.
double SingleLabelBoost::said_right(const Said& said) {
    return sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) {
        return said.label[leaf_of_row_[row]] == rows_.label[row] ? row_sum_[row] : 0.0;
    });
}

void SingleLabelBoost::say_by_error(Said& said) {
    const double error = 1.0 - said_right(said);
    const auto K = static_cast<double>(rows_.n_classes);
    const double chance = method_ == SingleLabelMethod::M1 ? 0.5 : (K - 1) / K;
    const double e = std::max(error, kLeastError);
    said.alpha = options_.learning_rate * (std::log((1 - e) / e) + std::log(chance / (1 - chance)));
    said.edge = 1 - error / chance;
    said.perfect = error < kLeastError;
}

// SAMME.R: (K - 1) (log q_k - mean log q).
void SingleLabelBoost::say_probabilities(const std::vector<double>& sums, Said& said) const {
    const std::size_t K = rows_.n_classes;
    double right = 0;
    for (std::size_t leaf = 0; leaf < said.label.size(); ++leaf) {
        const double* of_leaf = sums.data() + leaf * K;
        double* votes = said.votes.data() + leaf * K;
        double total = 0;
        double mean = 0;
        for (std::size_t k = 0; k < K; ++k) {
            total += of_leaf[k];
        }
        for (std::size_t k = 0; k < K; ++k) {
            const double q = total > 0 ? of_leaf[k] / total : 1.0;
            votes[k] = std::log(std::max(q, kLeastProbability));
            mean += votes[k] / static_cast<double>(K);
        }
        for (std::size_t k = 0; k < K; ++k) {
            votes[k] = static_cast<double>(K - 1) * (votes[k] - mean);
        }
        right += of_leaf[said.label[leaf]];
    }
    const auto n_classes = static_cast<double>(K);
    said.alpha = options_.learning_rate;
    said.edge = 1 - (1 - right) * n_classes / (n_classes - 1);
    said.perfect = 1 - right < kLeastError;
}

void SingleLabelBoost::say_mh(Said& said) {
    for (double& vote : said.votes) {
        vote = vote > 0 ? 1.0 : -1.0;
    }
    said.edge = sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) {
        const std::uint32_t label = said.label[leaf_of_row_[row]];
        const std::uint32_t own = rows_.label[row];
        const double wrong =
            label == own ? 0.0 : weight_[place(own, row)] + weight_[place(label, row)];
        return row_sum_[row] - 2 * wrong;
    });
    const double s = 0.01 / effective_rows();
    said.alpha = options_.learning_rate * 0.5 * std::log((1 + said.edge + s) / (1 - said.edge + s));
    said.perfect = 1 - said.edge < kLeastError;
}

// The step that lowers the loss most, with what the tree saves and causes.
void SingleLabelBoost::say_mm(Said& said) {
    const double saved = said_right(said);
    const double caused = sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) {
        const std::uint32_t label = said.label[leaf_of_row_[row]];
        return label == rows_.label[row] ? 0.0 : weight_[place(label, row)];
    });
    const double eps = 1.0 / (effective_rows() * static_cast<double>(rows_.n_classes));
    said.edge = saved - caused;
    said.alpha = options_.learning_rate * 0.5 * std::log((saved + eps) / (caused + eps));
    said.perfect = 1 - said.edge < kLeastError;
}

void SingleLabelBoost::say_m2(Said& said) {
    const std::size_t K = rows_.n_classes;
    said.edge = sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) {
        const double* votes = said.votes.data() + leaf_of_row_[row] * K;
        double edge = votes[rows_.label[row]] * row_sum_[row];
        for (std::size_t k = 0; k < K; ++k) {
            edge -= weight_[place(k, row)] * votes[k];
        }
        return edge;
    });
    const double e = std::max((1 - said.edge) / 2, kLeastError);
    said.alpha = options_.learning_rate * std::log((1 - e) / e);
    said.perfect = 1 - said.edge < kLeastError;
}

// ------------------------------------------------------------------------------------ weights

// What weights are multiplied by, where a vote is right, and where it is wrong.
SingleLabelBoost::Factors SingleLabelBoost::factors(const Said& said) const {
    const auto K = static_cast<double>(rows_.n_classes);
    switch (method_) {
        case SingleLabelMethod::Samme:
            return {std::exp(-said.alpha * (K - 1) / K), std::exp(said.alpha / K)};
        case SingleLabelMethod::M1: return {std::exp(-said.alpha / 2), std::exp(said.alpha / 2)};
        case SingleLabelMethod::M2: return {std::exp(-said.alpha), std::exp(-said.alpha / 2)};
        default: return {std::exp(-said.alpha), std::exp(said.alpha)};
    }
}

double SingleLabelBoost::factor(const Said& said, const Factors& by, std::size_t k,
                                std::size_t row) const {
    const std::size_t K = rows_.n_classes;
    const std::uint32_t leaf = leaf_of_row_[row];
    const std::uint32_t own = rows_.label[row];
    const double* votes = said.votes.data() + leaf * K;
    const bool right = said.label[leaf] == own;
    switch (method_) {
        case SingleLabelMethod::Samme:
        case SingleLabelMethod::M1: return right ? by.right : by.wrong;
        case SingleLabelMethod::SammeR:
            // Y^T log q = K / (K - 1) (log q_y - mean log q), and a vote is K - 1 times the last.
            return std::exp(-said.alpha * votes[own] / static_cast<double>(K - 1));
        case SingleLabelMethod::MH: return (k == own) == (votes[k] > 0) ? by.right : by.wrong;
        case SingleLabelMethod::MM: return right ? by.right : (votes[k] > 0 ? by.wrong : 1.0);
        case SingleLabelMethod::M2: break;
    }
    // Pairs of votes: the own class alone, both or neither, the other alone.
    const double over = votes[own] - votes[k];
    return over > 0 ? by.right : (over < 0 ? 1.0 : by.wrong);
}

double SingleLabelBoost::reweight(const Said& said) {
    const std::size_t n_terms = by_class() ? rows_.n_classes : 1;
    const Factors by = factors(said);
    const double sum = sum_over_rows(pool_, rows_.n_rows(), [&](std::size_t row) {
        double of_row = 0;
        for (std::size_t k = 0; k < n_terms; ++k) {
            double& weight = weight_[place(k, row)];
            weight *= factor(said, by, k, row);
            of_row += weight;
        }
        row_sum_[row] = of_row;
        return of_row;
    });
    parallel_rows(pool_, rows_.n_rows(), kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      for (std::size_t row = begin; row < end; ++row) {
                          row_sum_[row] /= sum;
                          for (std::size_t k = 0; k < n_terms; ++k) {
                              weight_[place(k, row)] /= sum;
                          }
                      }
                  });
    return sum;
}

// One score column holds half of what the second class has over the first.
Hypothesis SingleLabelBoost::hypothesis_of(const Tree& tree, const Said& said, double unit) const {
    Hypothesis hypothesis = describe(tree, said.alpha, unit / rows_.total_weight);
    const std::size_t K = rows_.n_classes;
    const bool whole = method_ == SingleLabelMethod::MH || method_ == SingleLabelMethod::SammeR;
    if (rows_.n_columns == 1) {
        hypothesis.alpha = whole ? said.alpha : said.alpha / 2;
        for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
            const double over = said.votes[leaf * 2 + 1] - said.votes[leaf * 2];
            hypothesis.votes.push_back(whole ? over / 2 : over);
        }
        return hypothesis;
    }
    if (storage_for(method_, K) != VoteStorage::Pairs) {
        hypothesis.votes = said.votes;
        return hypothesis;
    }
    for (const std::uint32_t label : said.label) {
        hypothesis.pairs.push_back({.plus = label, .value = 1.0});
    }
    return hypothesis;
}

}  // namespace mhb
