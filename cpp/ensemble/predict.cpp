// Ensemble: from values to leaves to scores.
#include <algorithm>
#include <array>
#include <cmath>

#include "cuts/route.hpp"
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

Cut cut_of(const EnsembleArrays& arrays, const FlatNode& node) {
    Cut cut;
    for (std::uint32_t i = node.term_begin; i < node.term_end; ++i) {
        const FlatTerm& flat = arrays.terms[i];
        const auto words = arrays.category_words.begin() + flat.set_begin;
        cut.terms.push_back({.feature = flat.feature,
                             .first_right = flat.first_right,
                             .right = {words, words + flat.set_words},
                             .missing_right = flat.missing_right != 0,
                             .unseen_right = flat.unseen_right != 0});
    }
    return cut;
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

void Ensemble::find_leaves(std::size_t round, const BinnedMatrix& matrix, ThreadPool& pool,
                           std::uint32_t* leaf_of_row) const {
    const std::span<const FlatNode> nodes(arrays_.nodes.data() + arrays_.node_begin[round],
                                          arrays_.nodes.data() + arrays_.node_begin[round + 1]);
    std::vector<Cut> cuts;
    cuts.reserve(nodes.size());
    std::vector<CutNode> links;
    for (const FlatNode& node : nodes) {
        cuts.push_back(cut_of(arrays_, node));
        links.push_back({.cut = &cuts.back(), .left = node.left, .right = node.right});
    }
    route(links, matrix, pool, leaf_of_row);
}

// Reads blocks of rows, only the features that these trees use, and calls visit(round, first row,
// leaves of the block's rows).
template <class Visit>
void Ensemble::visit_leaves(const RawMatrix& raw, std::size_t begin, std::size_t end,
                            ThreadPool& pool, const Visit& visit) const {
    UsedFeatures of_some(0);
    if (end - begin < n_rounds()) {
        of_some = UsedFeatures(arrays_.n_features);
        of_some.add(terms_of(begin, end));
    }
    const UsedFeatures& used = end - begin < n_rounds() ? of_some : used_;
    // A fast tree's leaves look at feature 0 too, whatever it is: its value does not matter.
    std::vector<std::int32_t> safe_slot = used.slot;
    std::ranges::replace(safe_slot, -1, 0);
    const std::size_t width = std::max<std::size_t>(used.features.size(), 1);
    parallel_rows(
        pool, raw.n_rows(), kRowBlock,
        [&](std::size_t first, std::size_t last, std::size_t /*thread*/) {
            std::vector<double> values(kRowBlock * width, 0.0);
            raw.read_rows(first, last, used.features, used.slot, values.data());
            std::array<std::uint32_t, kRowBlock> leaves{};
            for (std::size_t round = begin; round < end; ++round) {
                find_leaves(round, values.data(), width, safe_slot, last - first, leaves.data());
                visit(round, first, std::span<const std::uint32_t>(leaves.data(), last - first));
            }
        });
}

// Leaves of a block of rows in one tree: rows together where the tree is fast, else one by one.
void Ensemble::find_leaves(std::size_t round, const double* values, std::size_t width,
                           std::span<const std::int32_t> slot, std::size_t n_rows,
                           std::uint32_t* leaves) const {
    std::size_t row = 0;
    if (fast_.is_fast(round)) {
        for (; row + FastTrees::kSideBySide <= n_rows; row += FastTrees::kSideBySide) {
            fast_.find_leaves(round, values + row * width, width, slot.data(), leaves + row);
        }
    }
    for (; row < n_rows; ++row) {
        const double* of_row = values + row * width;
        leaves[row] = walk(round, [&](const FlatTerm& term) {
            return value_goes_right(arrays_, term, of_row[slot[term.feature]]);
        });
    }
}

// ------------------------------------------------------------------------------------ votes

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
    if (arrays_.storage == VoteStorage::Pairs) {
        const PairVote& pair = arrays_.pairs[place];
        scores[pair.plus] += alpha * pair.value;
        if (pair.minus != kNobody) {
            scores[pair.minus] -= alpha * pair.value;
        }
        return;
    }
    const std::size_t words = arrays_.vote_words();
    const std::uint64_t* positive = arrays_.positive.data() + place * words;
    const bool silence = arrays_.storage == VoteStorage::SignsAndSilence;
    const std::uint64_t* voted = silence ? arrays_.voted.data() + place * words : nullptr;
    const std::array<double, 2> by_sign = {-alpha, alpha};
    for (std::size_t l = 0; l < arrays_.n_columns; ++l) {
        if (voted == nullptr || ((voted[l / 64] >> (l % 64)) & 1U) != 0) {
            scores[l] += by_sign[(positive[l / 64] >> (l % 64)) & 1U];
        }
    }
}

// Adds alpha x votes of some rows' leaves in one tree.
void Ensemble::add_votes(std::size_t round, std::span<const std::uint32_t> leaves,
                         double* scores) const {
    if (arrays_.storage == VoteStorage::Signs) {
        const std::uint64_t* positive =
            arrays_.positive.data() + arrays_.leaf_begin[round] * arrays_.vote_words();
        kernels_->add_signs(
            {.positive = positive, .n_columns = arrays_.n_columns, .alpha = arrays_.alpha[round]},
            leaves.data(), leaves.size(), scores);
        return;
    }
    for (const std::uint32_t leaf : leaves) {
        add_votes(round, leaf, scores);
        scores += arrays_.n_columns;
    }
}

void Ensemble::add_scores(const RawMatrix& raw, std::size_t begin, std::size_t end,
                          std::span<double> scores, ThreadPool& pool) const {
    visit_leaves(raw, begin, end, pool,
                 [&](std::size_t round, std::size_t first, std::span<const std::uint32_t> leaves) {
                     add_votes(round, leaves, scores.data() + first * arrays_.n_columns);
                 });
}

void Ensemble::add_row_scores(const double* values, std::size_t end, double* scores) const {
    const auto goes_right = [&](const FlatTerm& term) {
        return value_goes_right(arrays_, term, values[term.feature]);
    };
    std::array<std::uint32_t, FastTrees::kSideBySide> leaves{};
    for (std::size_t round = 0; round < end; round += leaves.size()) {
        const std::size_t n_trees = std::min(leaves.size(), end - round);
        if (n_trees == leaves.size() && fast_.are_fast(round)) {
            fast_.find_leaves_of_row(round, values, leaves.data());
        } else {
            for (std::size_t t = 0; t < n_trees; ++t) {
                leaves[t] = walk(round + t, goes_right);
            }
        }
        for (std::size_t t = 0; t < n_trees; ++t) {
            add_votes(round + t, {&leaves[t], 1}, scores);
        }
    }
}

void Ensemble::apply(const RawMatrix& raw, std::size_t begin, std::size_t end,
                     std::span<std::int32_t> leaves, ThreadPool& pool) const {
    visit_leaves(
        raw, begin, end, pool,
        [&](std::size_t round, std::size_t first, std::span<const std::uint32_t> of_block) {
            for (std::size_t i = 0; i < of_block.size(); ++i) {
                leaves[(first + i) * (end - begin) + (round - begin)] =
                    static_cast<std::int32_t>(of_block[i]);
            }
        });
}

std::vector<double> Ensemble::votes_of(std::size_t round, std::uint32_t leaf) const {
    const std::size_t place = arrays_.leaf_begin[round] + leaf;
    std::vector<double> votes(arrays_.n_columns);
    if (arrays_.storage == VoteStorage::Pairs) {
        const PairVote& pair = arrays_.pairs[place];
        votes[pair.plus] += pair.value;
        if (pair.minus != kNobody) {
            votes[pair.minus] -= pair.value;
        }
        return votes;
    }
    for (std::size_t l = 0; l < votes.size(); ++l) {
        const std::size_t word = place * arrays_.vote_words() + l / 64;
        switch (arrays_.storage) {
            case VoteStorage::Pairs: break;
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

}  // namespace mhb
