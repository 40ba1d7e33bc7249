// SignedWeights, Options, Booster.
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "arrays.hpp"
#include "boosters/adaboost_mh.hpp"
#include "choices.hpp"
#include "signals.hpp"

namespace mhb::python {
namespace {

constexpr Choices<VoteKind, 3> kVotes = {
    {{"discrete", VoteKind::Discrete}, {"ternary", VoteKind::Ternary}, {"real", VoteKind::Real}}};
constexpr Choices<LeafVotes, 2> kLeafVotes = {
    {{"factorized", LeafVotes::Factorized}, {"leafwise", LeafVotes::Leafwise}}};
constexpr Choices<Loss, 2> kLosses = {
    {{"exponential", Loss::Exponential}, {"logistic", Loss::Logistic}}};

std::size_t run(AdaBoostMH& booster, std::size_t n_rounds, double seconds) {
    std::size_t done = 0;
    interruptible(
        [&](const ShouldStop& should_stop) { done = booster.run(n_rounds, seconds, should_stop); });
    return done;
}

void bind_weights(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<SignedWeights>(module, "SignedWeights", "The n x K matrix w * y of AdaBoost.MH.")
        .def(
            "__init__",
            [](SignedWeights* self, const Targets& targets, const Vector<double>& row_positive,
               const Vector<double>& row_negative, const Vector<double>& column_positive,
               const Vector<double>& column_negative) {
                new (self) SignedWeights(targets,
                                         WeightScheme{.row_positive = span_of(row_positive),
                                                      .row_negative = span_of(row_negative),
                                                      .column_positive = span_of(column_positive),
                                                      .column_negative = span_of(column_negative)});
            },
            "targets"_a, "row_positive"_a.noconvert(), "row_negative"_a.noconvert(),
            "column_positive"_a.noconvert(), "column_negative"_a.noconvert())
        .def_static(
            "from_matrix",
            [](const Targets& targets, const Matrix<double>& matrix) {
                return SignedWeights(targets, {matrix.data(), matrix.size()});
            },
            "targets"_a, "matrix"_a.noconvert())
        .def(
            "to_array",
            [](const SignedWeights& self) {
                std::vector<float> values;
                values.reserve(self.n_rows() * self.n_columns());
                for (std::size_t row = 0; row < self.n_rows(); ++row) {
                    for (std::size_t column = 0; column < self.n_columns(); ++column) {
                        values.push_back(self.weight(row, column));
                    }
                }
                return to_numpy(std::move(values), self.n_rows(), self.n_columns());
            },
            "A copy, n x K, float32.");
}

void bind_options(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<Options>(module, "Options", "What a booster is told.")
        .def(
            "__init__",
            [](Options* self, std::size_t n_inner_nodes, std::size_t n_terms,
               const std::string& votes, const std::string& leaf_votes, const std::string& loss,
               double learning_rate, std::size_t node_features, std::size_t tree_features,
               double subsample, double weight_trimming, std::size_t class_sample,
               double effective_rows, bool keep_histograms, std::uint64_t seed,
               std::size_t n_threads) {
                new (self) Options{.n_inner_nodes = n_inner_nodes,
                                   .n_terms = n_terms,
                                   .votes = choose("votes", votes, kVotes),
                                   .leaf_votes = choose("leaf_votes", leaf_votes, kLeafVotes),
                                   .loss = choose("loss", loss, kLosses),
                                   .learning_rate = learning_rate,
                                   .node_features = node_features,
                                   .tree_features = tree_features,
                                   .subsample = subsample,
                                   .weight_trimming = weight_trimming,
                                   .class_sample = class_sample,
                                   .effective_rows = effective_rows,
                                   .keep_histograms = keep_histograms,
                                   .seed = seed,
                                   .n_threads = n_threads};
            },
            nb::kw_only(), "n_inner_nodes"_a = 1, "n_terms"_a = 1, "votes"_a = "discrete",
            "leaf_votes"_a = "factorized", "loss"_a = "exponential", "learning_rate"_a = 1.0,
            "node_features"_a = 0, "tree_features"_a = 0, "subsample"_a = 1.0,
            "weight_trimming"_a = 0.0, "class_sample"_a = 0, "effective_rows"_a = 0.0,
            "keep_histograms"_a = true, "seed"_a = 0, "n_threads"_a = 1);
}

void bind_booster(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<AdaBoostMH>(module, "Booster", "AdaBoost.MH, a few rounds at a time.")
        .def(
            "__init__",
            [](AdaBoostMH* self, const Binner& binner, const BinnedMatrix& matrix,
               SignedWeights& weights, const Options& options) {
                new (self) AdaBoostMH(binner, matrix, std::move(weights), options);
            },
            "binner"_a, "matrix"_a, "weights"_a, "options"_a, nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), "Takes the weights over: they are empty afterwards.")
        .def(
            "add_evaluation",
            [](AdaBoostMH& self, const BinnedMatrix& matrix, const Targets& targets,
               const Vector<double>& row_weights, const std::string& metric) {
                self.add_evaluation(matrix, targets, vector_of(row_weights),
                                    choose("metric", metric, kMetrics));
            },
            "matrix"_a, "targets"_a, "row_weights"_a.noconvert(), "metric"_a = "error",
            nb::keep_alive<1, 2>())
        .def("run", &run, "n_rounds"_a, "seconds"_a)
        .def(
            "replay",
            [](AdaBoostMH& self, const Ensemble& ensemble) {
                interruptible(
                    [&](const ShouldStop& should_stop) { self.replay(ensemble, should_stop); });
            },
            "ensemble"_a)
        .def_prop_ro("finished", &AdaBoostMH::finished)
        .def_prop_ro("stop_reason", &AdaBoostMH::stop_reason)
        .def_prop_ro("n_rounds", [](const AdaBoostMH& self) { return self.ensemble().n_rounds(); })
        .def_prop_ro(
            "edges", [](const AdaBoostMH& self) { return to_numpy(std::vector(self.edges())); },
            nb::rv_policy::move)
        .def_prop_ro(
            "alphas",
            [](const AdaBoostMH& self) {
                return to_numpy(std::vector(self.ensemble().arrays().alpha));
            },
            nb::rv_policy::move)
        .def_prop_ro(
            "losses", [](const AdaBoostMH& self) { return to_numpy(std::vector(self.losses())); },
            nb::rv_policy::move)
        .def(
            "evaluation",
            [](const AdaBoostMH& self, std::size_t i) {
                return to_numpy(std::vector(self.evaluation(i).history()));
            },
            "i"_a)
        .def("ensemble", [](const AdaBoostMH& self) { return Ensemble(self.ensemble()); });
}

}  // namespace

void bind_boosters(nb::module_& module) {
    bind_weights(module);
    bind_options(module);
    bind_booster(module);
}

}  // namespace mhb::python
