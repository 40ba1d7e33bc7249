// Ensemble: prediction, state, and the trees as tables.
#include "ensemble/ensemble.hpp"

#include <limits>
#include <optional>
#include <stdexcept>

#include "raw_matrix.hpp"
#include "signals.hpp"

namespace mhb::python {
namespace {

using Scores = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check_rounds(const Ensemble& self, const BorrowedMatrix& raw, std::size_t begin,
                  std::size_t end) {
    if (begin > end || end > self.n_rounds()) {
        throw std::invalid_argument("rounds " + std::to_string(begin) + ".." + std::to_string(end) +
                                    " of a model with " + std::to_string(self.n_rounds()));
    }
    if (raw.matrix.n_features() != self.n_features()) {
        throw std::invalid_argument("X has " + std::to_string(raw.matrix.n_features()) +
                                    " features, the model " + std::to_string(self.n_features()));
    }
}

void add_scores(const Ensemble& self, const BorrowedMatrix& raw, std::size_t begin, std::size_t end,
                Scores& out, std::size_t n_threads) {
    check_rounds(self, raw, begin, end);
    if (out.shape(0) != raw.matrix.n_rows() || out.shape(1) != self.n_columns()) {
        throw std::invalid_argument("out must be n_rows x n_columns");
    }
    const std::span<double> scores(out.data(), out.size());
    interruptible(n_threads,
                  [&](ThreadPool& pool) { self.add_scores(raw.matrix, begin, end, scores, pool); });
}

NumpyMatrix<double> scores(const Ensemble& self, const BorrowedMatrix& raw, std::size_t begin,
                           std::size_t end, std::size_t n_threads) {
    check_rounds(self, raw, begin, end);
    std::vector<double> out(raw.matrix.n_rows() * self.n_columns(), 0.0);
    interruptible(n_threads,
                  [&](ThreadPool& pool) { self.add_scores(raw.matrix, begin, end, out, pool); });
    return to_numpy(std::move(out), raw.matrix.n_rows(), self.n_columns());
}

template <class T>
NumpyVector<double> row_scores(const Ensemble& self, const Vector<T>& row, std::size_t end) {
    if (row.size() != self.n_features() || end > self.n_rounds()) {
        throw std::invalid_argument("a row of " + std::to_string(row.size()) + " values and " +
                                    std::to_string(end) + " rounds, the model has " +
                                    std::to_string(self.n_features()) + " features and " +
                                    std::to_string(self.n_rounds()) + " rounds");
    }
    const std::vector<double> values(row.data(), row.data() + row.size());
    std::vector<double> scores(self.n_columns(), 0.0);
    self.add_row_scores(values.data(), end, scores.data());
    return to_numpy(std::move(scores));
}

NumpyMatrix<std::int32_t> apply(const Ensemble& self, const BorrowedMatrix& raw, std::size_t begin,
                                std::size_t end, std::size_t n_threads) {
    check_rounds(self, raw, begin, end);
    std::vector<std::int32_t> leaves(raw.matrix.n_rows() * (end - begin));
    interruptible(n_threads,
                  [&](ThreadPool& pool) { self.apply(raw.matrix, begin, end, leaves, pool); });
    return to_numpy(std::move(leaves), raw.matrix.n_rows(), end - begin);
}

// ------------------------------------------------------------------------------------ state

// One field of a vector of records, as an array.
template <class T, class Record, class Field>
NumpyVector<T> field_of(const std::vector<Record>& records, Field Record::* field) {
    std::vector<T> values;
    values.reserve(records.size());
    for (const Record& record : records) {
        values.push_back(static_cast<T>(record.*field));
    }
    return to_numpy(std::move(values));
}

template <class T, class Record, class Field>
void set_field(std::vector<Record>& records, Field Record::* field, nb::handle array) {
    const auto values = nb::cast<Vector<T>>(array);
    if (records.empty()) {
        records.resize(values.size());
    }
    if (records.size() != values.size()) {
        throw std::invalid_argument("model: arrays of one kind differ in length");
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].*field = static_cast<Field>(values(i));
    }
}

template <class T>
std::vector<T> read(const nb::dict& state, const char* key) {
    return vector_of(nb::cast<Vector<T>>(state[key]));
}

nb::dict state(const Ensemble& self) {
    const EnsembleArrays& a = self.arrays();
    nb::dict state;
    state["shape"] = to_numpy(std::vector<std::int64_t>{static_cast<std::int64_t>(a.n_features),
                                                        static_cast<std::int64_t>(a.n_columns),
                                                        static_cast<std::int64_t>(a.storage)});
    state["alpha"] = to_numpy(std::vector(a.alpha));
    state["node_begin"] = to_numpy(std::vector(a.node_begin));
    state["leaf_begin"] = to_numpy(std::vector(a.leaf_begin));
    state["node_term_begin"] = field_of<std::uint32_t>(a.nodes, &FlatNode::term_begin);
    state["node_term_end"] = field_of<std::uint32_t>(a.nodes, &FlatNode::term_end);
    state["node_left"] = field_of<std::int32_t>(a.nodes, &FlatNode::left);
    state["node_right"] = field_of<std::int32_t>(a.nodes, &FlatNode::right);
    state["term_threshold"] = field_of<double>(a.terms, &FlatTerm::threshold);
    state["term_feature"] = field_of<std::uint32_t>(a.terms, &FlatTerm::feature);
    state["term_first_right"] = field_of<std::uint32_t>(a.terms, &FlatTerm::first_right);
    state["term_set_begin"] = field_of<std::uint32_t>(a.terms, &FlatTerm::set_begin);
    state["term_set_words"] = field_of<std::uint32_t>(a.terms, &FlatTerm::set_words);
    state["term_missing_right"] = field_of<std::uint8_t>(a.terms, &FlatTerm::missing_right);
    state["term_unseen_right"] = field_of<std::uint8_t>(a.terms, &FlatTerm::unseen_right);
    state["category_words"] = to_numpy(std::vector(a.category_words));
    state["positive"] = to_numpy(std::vector(a.positive));
    state["voted"] = to_numpy(std::vector(a.voted));
    state["real_votes"] = to_numpy(std::vector(a.real_votes));
    if (a.storage == VoteStorage::Pairs) {
        state["pair_plus"] = field_of<std::uint32_t>(a.pairs, &PairVote::plus);
        state["pair_minus"] = field_of<std::uint32_t>(a.pairs, &PairVote::minus);
        state["pair_value"] = field_of<double>(a.pairs, &PairVote::value);
    }
    state["node_gain"] = to_numpy(std::vector(a.node_gain));
    state["node_weight"] = to_numpy(std::vector(a.node_weight));
    state["leaf_weight"] = to_numpy(std::vector(a.leaf_weight));
    return state;
}

Ensemble from_state(const nb::dict& state) {
    const auto shape = read<std::int64_t>(state, "shape");
    if (shape.size() != 3 || shape[0] < 0 || shape[1] < 0 || shape[2] < 0 || shape[2] > 3) {
        throw std::invalid_argument("model: its shape cannot be read");
    }
    EnsembleArrays a;
    a.n_features = static_cast<std::size_t>(shape[0]);
    a.n_columns = static_cast<std::size_t>(shape[1]);
    a.storage = static_cast<VoteStorage>(shape[2]);
    a.alpha = read<double>(state, "alpha");
    a.node_begin = read<std::uint64_t>(state, "node_begin");
    a.leaf_begin = read<std::uint64_t>(state, "leaf_begin");
    set_field<std::uint32_t>(a.nodes, &FlatNode::term_begin, state["node_term_begin"]);
    set_field<std::uint32_t>(a.nodes, &FlatNode::term_end, state["node_term_end"]);
    set_field<std::int32_t>(a.nodes, &FlatNode::left, state["node_left"]);
    set_field<std::int32_t>(a.nodes, &FlatNode::right, state["node_right"]);
    set_field<double>(a.terms, &FlatTerm::threshold, state["term_threshold"]);
    set_field<std::uint32_t>(a.terms, &FlatTerm::feature, state["term_feature"]);
    set_field<std::uint32_t>(a.terms, &FlatTerm::first_right, state["term_first_right"]);
    set_field<std::uint32_t>(a.terms, &FlatTerm::set_begin, state["term_set_begin"]);
    set_field<std::uint32_t>(a.terms, &FlatTerm::set_words, state["term_set_words"]);
    set_field<std::uint8_t>(a.terms, &FlatTerm::missing_right, state["term_missing_right"]);
    set_field<std::uint8_t>(a.terms, &FlatTerm::unseen_right, state["term_unseen_right"]);
    a.category_words = read<std::uint64_t>(state, "category_words");
    a.positive = read<std::uint64_t>(state, "positive");
    a.voted = read<std::uint64_t>(state, "voted");
    a.real_votes = read<double>(state, "real_votes");
    if (a.storage == VoteStorage::Pairs) {
        set_field<std::uint32_t>(a.pairs, &PairVote::plus, state["pair_plus"]);
        set_field<std::uint32_t>(a.pairs, &PairVote::minus, state["pair_minus"]);
        set_field<double>(a.pairs, &PairVote::value, state["pair_value"]);
    }
    a.node_gain = read<double>(state, "node_gain");
    a.node_weight = read<double>(state, "node_weight");
    a.leaf_weight = read<double>(state, "leaf_weight");
    return Ensemble(std::move(a));
}

// ------------------------------------------------------------------------------------ trees as
// tables

nb::dict term_of(const EnsembleArrays& a, const FlatTerm& term) {
    nb::dict described;
    described["feature"] = term.feature;
    described["missing_right"] = term.missing_right != 0;
    if (term.set_words == 0) {
        described["threshold"] = term.threshold;
        described["categories"] = nb::none();
        return described;
    }
    nb::list categories;
    for (std::uint32_t c = 0; c < 64 * term.set_words; ++c) {
        if (((a.category_words[term.set_begin + c / 64] >> (c % 64)) & 1U) != 0) {
            categories.append(c);
        }
    }
    described["threshold"] = nb::none();
    described["categories"] = categories;
    return described;
}

// Rows: inner nodes in the order they were cut, then leaves.
nb::dict nodes(const Ensemble& self, std::size_t round) {
    if (round >= self.n_rounds()) {
        throw nb::index_error("no such round");
    }
    const EnsembleArrays& a = self.arrays();
    const std::size_t first = a.node_begin[round];
    const std::size_t n_nodes = a.node_begin[round + 1] - first;
    const std::size_t n_leaves = self.n_leaves(round);
    const std::size_t n = n_nodes + n_leaves;
    const auto row_of = [&](std::int32_t link) {
        return link >= 0 ? link : static_cast<std::int32_t>(n_nodes) + ~link;
    };
    std::vector<std::int32_t> parent(n, -1);
    std::vector<std::int8_t> side(n, 0);
    std::vector<std::int32_t> leaf(n, -1);
    std::vector<std::int32_t> left(n, -1);
    std::vector<std::int32_t> right(n, -1);
    std::vector<double> gain(n, std::numeric_limits<double>::quiet_NaN());
    std::vector<double> weight(n);
    std::vector<double> votes(n * self.n_columns(), std::numeric_limits<double>::quiet_NaN());
    nb::list terms;
    for (std::size_t j = 0; j < n_nodes; ++j) {
        const FlatNode& node = a.nodes[first + j];
        left[j] = row_of(node.left);
        right[j] = row_of(node.right);
        parent[static_cast<std::size_t>(left[j])] = static_cast<std::int32_t>(j);
        parent[static_cast<std::size_t>(right[j])] = static_cast<std::int32_t>(j);
        side[static_cast<std::size_t>(left[j])] = -1;
        side[static_cast<std::size_t>(right[j])] = 1;
        gain[j] = a.node_gain[first + j];
        weight[j] = a.node_weight[first + j];
        nb::list of_node;
        for (std::uint32_t term = node.term_begin; term < node.term_end; ++term) {
            of_node.append(term_of(a, a.terms[term]));
        }
        terms.append(of_node);
    }
    for (std::uint32_t k = 0; k < n_leaves; ++k) {
        leaf[n_nodes + k] = static_cast<std::int32_t>(k);
        weight[n_nodes + k] = a.leaf_weight[a.leaf_begin[round] + k];
        const std::vector<double> of_leaf = self.votes_of(round, k);
        std::copy(of_leaf.begin(), of_leaf.end(),
                  votes.begin() + static_cast<std::ptrdiff_t>((n_nodes + k) * self.n_columns()));
        terms.append(nb::list());
    }
    std::vector<std::uint8_t> is_leaf(n, 0);
    std::fill(is_leaf.begin() + static_cast<std::ptrdiff_t>(n_nodes), is_leaf.end(), 1);
    nb::dict table;
    table["parent"] = to_numpy(std::move(parent));
    table["side"] = to_numpy(std::move(side));
    table["is_leaf"] = to_numpy(std::move(is_leaf));
    table["leaf"] = to_numpy(std::move(leaf));
    table["left"] = to_numpy(std::move(left));
    table["right"] = to_numpy(std::move(right));
    table["terms"] = terms;
    table["gain"] = to_numpy(std::move(gain));
    table["weight"] = to_numpy(std::move(weight));
    table["votes"] = to_numpy(std::move(votes), n, self.n_columns());
    return table;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<Ensemble>(module, "Ensemble", "The flat model that predicts; immutable.")
        .def_prop_ro("n_rounds", &Ensemble::n_rounds)
        .def_prop_ro("n_columns", &Ensemble::n_columns)
        .def_prop_ro("n_features", &Ensemble::n_features)
        .def("scores", &scores, "raw"_a, "begin"_a, "end"_a, "n_threads"_a = 1)
        .def("add_scores", &add_scores, "raw"_a, "begin"_a, "end"_a, "out"_a.noconvert(),
             "n_threads"_a = 1)
        .def("row_scores", &row_scores<double>, "row"_a.noconvert(), "end"_a,
             "Scores of one row; numbers only, no thread, no check but of its length.")
        .def("row_scores", &row_scores<float>, "row"_a.noconvert(), "end"_a)
        .def("apply", &apply, "raw"_a, "begin"_a, "end"_a, "n_threads"_a = 1)
        .def("truncate", &Ensemble::truncated, "n_rounds"_a)
        .def("alphas",
             [](const Ensemble& self) { return to_numpy(std::vector(self.arrays().alpha)); })
        .def("nodes", &nodes, "round"_a)
        .def("gains", [](const Ensemble& self) { return to_numpy(self.gains()); })
        .def("state", &state)
        .def_static("from_state", &from_state, "state"_a);
}

}  // namespace mhb::python
