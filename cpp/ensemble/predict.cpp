// Ensemble: from values to leaves to scores.
#include <algorithm>
#include <cmath>

#include "ensemble/ensemble.hpp"

namespace mhb {
namespace {

// A block's scores and values stay in the cache while all trees walk over it.
constexpr std::size_t kRowBlock = 64;

bool in_set(const EnsembleArrays& arrays, const FlatTerm& term, std::size_t category) {
    return ((arrays.category_words[term.set_begin + category / 64] >> (category % 64)) & 1U) != 0;
}

bool value_goes_right(const EnsembleArrays& arrays, const FlatTerm& term, double value) {
    if (std::isnan(value)) {
        return term.missing_right != 0;
    }
    if (term.set_words == 0) {
        return value >= term.threshold;
    }
    if (value < 0 || value >= 64.0 * term.set_words) {
        return term.unseen_right != 0;
    }
    return in_set(arrays, term, static_cast<std::size_t>(value));
}

bool bin_goes_right(const EnsembleArrays& arrays, const FlatTerm& term, Bin bin,
                    const FeatureInfo& info) {
    if (bin >= info.value_bins) {
        return (bin == info.value_bins ? term.missing_right : term.unseen_right) != 0;
    }
    return term.set_words == 0 ? bin >= term.first_right : in_set(arrays, term, bin);
}

}  // namespace

// goes_right(term) decides one term for the row at hand; a node's sign is the product of its
// terms'.
template <class GoesRight>
std::uint32_t Ensemble::walk(std::size_t round, const GoesRight& goes_right) const {
    const FlatNode* nodes = arrays_.nodes.data() + arrays_.node_begin[round];
    std::int32_t link = arrays_.node_begin[round] == arrays_.node_begin[round + 1] ? ~0 : 0;
    while (link >= 0) {
        const FlatNode& node = nodes[link];
        bool right = goes_right(arrays_.terms[node.term_begin]);
        for (std::uint32_t term = node.term_begin + 1; term < node.term_end; ++term) {
            right = right == goes_right(arrays_.terms[term]);
        }
        link = right ? node.right : node.left;
    }
    return static_cast<std::uint32_t>(~link);
}

std::uint32_t Ensemble::leaf_of(std::size_t round, const BinnedMatrix& matrix,
                                std::size_t row) const {
    return walk(round, [&](const FlatTerm& term) {
        return bin_goes_right(arrays_, term, matrix.bin(row, term.feature),
                              matrix.feature(term.feature));
    });
}

// Reads blocks of rows, only the features that these trees use, and calls visit(row, round, leaf).
template <class Visit>
void Ensemble::visit_leaves(const RawMatrix& raw, std::size_t begin, std::size_t end,
                            ThreadPool& pool, const Visit& visit) const {
    std::vector<std::int32_t> slot(arrays_.n_features, -1);
    std::vector<std::uint32_t> features;
    for (std::size_t j = arrays_.node_begin[begin]; j < arrays_.node_begin[end]; ++j) {
        for (std::uint32_t term = arrays_.nodes[j].term_begin; term < arrays_.nodes[j].term_end;
             ++term) {
            const std::uint32_t feature = arrays_.terms[term].feature;
            if (slot[feature] < 0) {
                slot[feature] = static_cast<std::int32_t>(features.size());
                features.push_back(feature);
            }
        }
    }
    const std::size_t width = features.size();
    parallel_rows(pool, raw.n_rows(), kRowBlock,
                  [&](std::size_t first, std::size_t last, std::size_t /*thread*/) {
                      std::vector<double> values((last - first) * width);
                      raw.read_rows(first, last, features, slot, values.data());
                      for (std::size_t round = begin; round < end; ++round) {
                          for (std::size_t row = first; row < last; ++row) {
                              const double* row_values = values.data() + (row - first) * width;
                              visit(row, round, walk(round, [&](const FlatTerm& term) {
                                        return value_goes_right(arrays_, term,
                                                                row_values[slot[term.feature]]);
                                    }));
                          }
                      }
                  });
}

void Ensemble::add_votes(std::size_t round, std::uint32_t leaf, double* scores) const {
    const double alpha = arrays_.alpha[round];
    const std::size_t place = arrays_.leaf_begin[round] + leaf;
    if (arrays_.storage == VoteStorage::Reals) {
        const double* votes = arrays_.real_votes.data() + place * arrays_.n_columns;
        for (std::size_t l = 0; l < arrays_.n_columns; ++l) {
            scores[l] += alpha * votes[l];
        }
        return;
    }
    const std::size_t words = arrays_.vote_words();
    const std::uint64_t* positive = arrays_.positive.data() + place * words;
    const bool silence = arrays_.storage == VoteStorage::SignsAndSilence;
    const std::uint64_t* voted = silence ? arrays_.voted.data() + place * words : nullptr;
    const double by_sign[2] = {-alpha, alpha};
    for (std::size_t l = 0; l < arrays_.n_columns; ++l) {
        if (voted == nullptr || ((voted[l / 64] >> (l % 64)) & 1U) != 0) {
            scores[l] += by_sign[(positive[l / 64] >> (l % 64)) & 1U];
        }
    }
}

std::vector<double> Ensemble::votes_of(std::size_t round, std::uint32_t leaf) const {
    const std::size_t place = arrays_.leaf_begin[round] + leaf;
    std::vector<double> votes(arrays_.n_columns);
    for (std::size_t l = 0; l < votes.size(); ++l) {
        const std::size_t word = place * arrays_.vote_words() + l / 64;
        switch (arrays_.storage) {
            case VoteStorage::Reals:
                votes[l] = arrays_.real_votes[place * arrays_.n_columns + l];
                break;
            case VoteStorage::SignsAndSilence:
                if (((arrays_.voted[word] >> (l % 64)) & 1U) == 0) {
                    break;
                }
                [[fallthrough]];
            case VoteStorage::Signs:
                votes[l] = ((arrays_.positive[word] >> (l % 64)) & 1U) != 0 ? 1.0 : -1.0;
                break;
        }
    }
    return votes;
}

void Ensemble::add_scores(const RawMatrix& raw, std::size_t begin, std::size_t end,
                          std::span<double> scores, ThreadPool& pool) const {
    visit_leaves(raw, begin, end, pool,
                 [&](std::size_t row, std::size_t round, std::uint32_t leaf) {
                     add_votes(round, leaf, scores.data() + row * arrays_.n_columns);
                 });
}

void Ensemble::apply(const RawMatrix& raw, std::size_t begin, std::size_t end,
                     std::span<std::int32_t> leaves, ThreadPool& pool) const {
    visit_leaves(
        raw, begin, end, pool, [&](std::size_t row, std::size_t round, std::uint32_t leaf) {
            leaves[row * (end - begin) + (round - begin)] = static_cast<std::int32_t>(leaf);
        });
}

}  // namespace mhb
