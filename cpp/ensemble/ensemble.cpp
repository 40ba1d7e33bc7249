#include "ensemble/ensemble.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace mhb {

Ensemble::Ensemble(std::size_t n_features, std::size_t n_columns, VoteStorage storage)
    : used_(n_features) {
    arrays_.n_features = n_features;
    arrays_.n_columns = n_columns;
    arrays_.storage = storage;
}

Ensemble::Ensemble(EnsembleArrays arrays) : arrays_(std::move(arrays)), used_(arrays_.n_features) {
    check();
    for (std::size_t round = 0; round < n_rounds(); ++round) {
        add_fast_tree(round);
    }
}

void Ensemble::add_fast_tree(std::size_t round) {
    const std::size_t first = arrays_.node_begin[round];
    const std::span<const FlatNode> nodes(arrays_.nodes.data() + first,
                                          arrays_.node_begin[round + 1] - first);
    fast_.append(nodes, n_leaves(round), arrays_.terms);
    used_.add(terms_of(round, round + 1));
}

std::span<const FlatTerm> Ensemble::terms_of(std::size_t begin, std::size_t end) const {
    const auto term_of = [&](std::size_t round) {
        const std::size_t node = arrays_.node_begin[round];
        return node < arrays_.nodes.size() ? arrays_.nodes[node].term_begin : arrays_.terms.size();
    };
    return {arrays_.terms.data() + term_of(begin), arrays_.terms.data() + term_of(end)};
}

namespace {

FlatTerm flatten(const Term& term, const FeatureBins& bins,
                 std::vector<std::uint64_t>& category_words) {
    FlatTerm flat;
    flat.feature = term.feature;
    flat.missing_right = term.missing_right ? 1 : 0;
    flat.unseen_right = term.unseen_right ? 1 : 0;
    if (term.categorical()) {
        flat.set_begin = static_cast<std::uint32_t>(category_words.size());
        flat.set_words = static_cast<std::uint32_t>(term.right.size());
        category_words.insert(category_words.end(), term.right.begin(), term.right.end());
    } else {
        flat.first_right = term.first_right;
        flat.threshold = term.first_right == 0 ? -std::numeric_limits<double>::infinity()
                                               : bins.thresholds[term.first_right - 1];
    }
    return flat;
}

}  // namespace

void Ensemble::append(const Hypothesis& hypothesis, const Binner& binner) {
    EnsembleArrays& a = arrays_;
    for (const HypothesisNode& node : hypothesis.nodes) {
        const auto term_begin = static_cast<std::uint32_t>(a.terms.size());
        for (const Term& term : node.cut.terms) {
            a.terms.push_back(flatten(term, binner.features()[term.feature], a.category_words));
        }
        a.nodes.push_back({.term_begin = term_begin,
                           .term_end = static_cast<std::uint32_t>(a.terms.size()),
                           .left = node.left,
                           .right = node.right});
        a.node_gain.push_back(node.gain);
        a.node_weight.push_back(node.weight);
    }
    const std::size_t n_leaves = hypothesis.leaf_weight.size();
    const std::size_t words = a.vote_words();
    const bool signs = a.storage == VoteStorage::Signs || a.storage == VoteStorage::SignsAndSilence;
    for (std::size_t leaf = 0; signs && leaf < n_leaves; ++leaf) {
        std::vector<std::uint64_t> positive(words, 0);
        std::vector<std::uint64_t> voted(words, 0);
        for (std::size_t l = 0; l < a.n_columns; ++l) {
            const double vote = hypothesis.votes[leaf * a.n_columns + l];
            positive[l / 64] |= std::uint64_t{vote > 0 ? 1U : 0U} << (l % 64);
            voted[l / 64] |= std::uint64_t{vote != 0 ? 1U : 0U} << (l % 64);
        }
        a.positive.insert(a.positive.end(), positive.begin(), positive.end());
        if (a.storage == VoteStorage::SignsAndSilence) {
            a.voted.insert(a.voted.end(), voted.begin(), voted.end());
        }
    }
    if (a.storage == VoteStorage::Reals) {
        a.real_votes.insert(a.real_votes.end(), hypothesis.votes.begin(), hypothesis.votes.end());
    }
    a.pairs.insert(a.pairs.end(), hypothesis.pairs.begin(), hypothesis.pairs.end());
    a.leaf_weight.insert(a.leaf_weight.end(), hypothesis.leaf_weight.begin(),
                         hypothesis.leaf_weight.end());
    a.alpha.push_back(hypothesis.alpha);
    a.node_begin.push_back(a.nodes.size());
    a.leaf_begin.push_back(a.leaf_begin.back() + n_leaves);
    add_fast_tree(n_rounds() - 1);
}

Ensemble Ensemble::truncated(std::size_t n_rounds) const {
    if (n_rounds > this->n_rounds()) {
        throw std::invalid_argument("cannot keep " + std::to_string(n_rounds) + " rounds of " +
                                    std::to_string(this->n_rounds()));
    }
    Ensemble kept(*this);
    EnsembleArrays& a = kept.arrays_;
    a.alpha.resize(n_rounds);
    a.node_begin.resize(n_rounds + 1);
    a.leaf_begin.resize(n_rounds + 1);
    kept.fast_.truncate(n_rounds);
    const std::size_t n_nodes = a.node_begin.back();
    const std::size_t n_leaves = a.leaf_begin.back();
    a.nodes.resize(n_nodes);
    a.node_gain.resize(n_nodes);
    a.node_weight.resize(n_nodes);
    a.terms.resize(n_nodes == 0 ? 0 : a.nodes.back().term_end);
    std::size_t n_words = 0;
    for (const FlatTerm& term : a.terms) {
        n_words += term.set_words;
    }
    a.category_words.resize(n_words);
    a.leaf_weight.resize(n_leaves);
    a.positive.resize(a.positive.empty() ? 0 : n_leaves * a.vote_words());
    a.voted.resize(a.voted.empty() ? 0 : n_leaves * a.vote_words());
    a.real_votes.resize(a.real_votes.empty() ? 0 : n_leaves * a.n_columns);
    a.pairs.resize(a.pairs.empty() ? 0 : n_leaves);
    return kept;
}

std::vector<double> Ensemble::gains() const {
    std::vector<double> gains(arrays_.n_features, 0.0);
    for (std::size_t t = 0; t < n_rounds(); ++t) {
        for (std::size_t j = arrays_.node_begin[t]; j < arrays_.node_begin[t + 1]; ++j) {
            const FlatNode& node = arrays_.nodes[j];
            const double share =
                arrays_.alpha[t] * arrays_.node_gain[j] / (node.term_end - node.term_begin);
            for (std::uint32_t term = node.term_begin; term < node.term_end; ++term) {
                gains[arrays_.terms[term].feature] += share;
            }
        }
    }
    return gains;
}

}  // namespace mhb
