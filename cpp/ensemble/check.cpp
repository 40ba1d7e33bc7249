// Ensemble::check: nothing is predicted from arrays that do not fit together.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ensemble/ensemble.hpp"

namespace mhb {
namespace {

void require(bool condition, const std::string& what) {
    if (!condition) {
        throw std::invalid_argument("model: " + what);
    }
}

void check_begins(const std::vector<std::uint64_t>& begins, std::size_t n_rounds, std::size_t end,
                  const std::string& name) {
    require(begins.size() == n_rounds + 1 && begins.front() == 0 && begins.back() == end &&
                std::ranges::is_sorted(begins),
            name + " does not rise from 0 to " + std::to_string(end) + " in " +
                std::to_string(n_rounds) + " rounds");
}

// Links of one tree: children come later than parents (so there is no cycle), every node but the
// root and every leaf is reached once.
void check_tree(const EnsembleArrays& arrays, std::size_t round) {
    const std::size_t n_nodes = arrays.node_begin[round + 1] - arrays.node_begin[round];
    const std::size_t n_leaves = arrays.leaf_begin[round + 1] - arrays.leaf_begin[round];
    const std::string tree = "tree " + std::to_string(round);
    require(n_leaves == n_nodes + 1, tree + " has " + std::to_string(n_nodes) +
                                         " inner nodes and " + std::to_string(n_leaves) +
                                         " leaves");
    std::vector<bool> node_seen(n_nodes, false);
    std::vector<bool> leaf_seen(n_leaves, false);
    for (std::size_t j = 0; j < n_nodes; ++j) {
        const FlatNode& node = arrays.nodes[arrays.node_begin[round] + j];
        for (const std::int32_t link : {node.left, node.right}) {
            std::vector<bool>& seen = link >= 0 ? node_seen : leaf_seen;
            const auto place = static_cast<std::size_t>(link >= 0 ? link : ~link);
            require(place < seen.size() && (link < 0 || place > j) && !seen[place],
                    tree + ": node " + std::to_string(j) + " links to " + std::to_string(link));
            seen[place] = true;
        }
    }
}

}  // namespace

void Ensemble::check() const {
    const EnsembleArrays& a = arrays_;
    require(a.n_columns > 0, "it has no classes");
    require(std::ranges::all_of(a.alpha, [](double x) { return std::isfinite(x); }),
            "an alpha is not finite");
    check_begins(a.node_begin, n_rounds(), a.nodes.size(), "node_begin");
    const std::size_t n_leaves = a.leaf_begin.empty() ? 0 : a.leaf_begin.back();
    check_begins(a.leaf_begin, n_rounds(), n_leaves, "leaf_begin");
    for (std::size_t round = 0; round < n_rounds(); ++round) {
        check_tree(a, round);
    }
    std::uint32_t next_term = 0;
    for (const FlatNode& node : a.nodes) {
        require(node.term_begin == next_term && node.term_end > node.term_begin,
                "terms of a node overlap");
        next_term = node.term_end;
    }
    require(next_term == a.terms.size(), "terms are left over");
    std::size_t next_word = 0;
    for (const FlatTerm& term : a.terms) {
        require(term.feature < a.n_features,
                "feature " + std::to_string(term.feature) + " does not exist");
        require(!std::isnan(term.threshold), "a threshold is not a number");
        require(term.set_words == 0 || term.set_begin == next_word, "category sets overlap");
        next_word += term.set_words;
    }
    require(next_word == a.category_words.size(), "category sets are left over");
    const bool signs = a.storage == VoteStorage::Signs || a.storage == VoteStorage::SignsAndSilence;
    const std::size_t bits = signs ? n_leaves * a.vote_words() : 0;
    const std::size_t silence = a.storage == VoteStorage::SignsAndSilence ? bits : 0;
    const std::size_t reals = a.storage == VoteStorage::Reals ? n_leaves * a.n_columns : 0;
    const std::size_t pairs = a.storage == VoteStorage::Pairs ? n_leaves : 0;
    require(a.positive.size() == bits && a.voted.size() == silence &&
                a.real_votes.size() == reals && a.pairs.size() == pairs,
            "votes do not fit the leaves");
    for (const PairVote& pair : a.pairs) {
        require(pair.plus < a.n_columns && (pair.minus < a.n_columns || pair.minus == kNobody) &&
                    std::isfinite(pair.value),
                "a vote names a class that does not exist, or is not finite");
    }
    require(std::ranges::all_of(a.real_votes, [](double x) { return std::isfinite(x); }),
            "a vote is not finite");
    require(a.node_gain.size() == a.nodes.size() && a.node_weight.size() == a.nodes.size() &&
                a.leaf_weight.size() == n_leaves,
            "gains or weights do not fit the nodes");
}

}  // namespace mhb
