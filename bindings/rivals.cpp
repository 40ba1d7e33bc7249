// The other boosters: one class for all, which differ in how they are made.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "arrays.hpp"
#include "boosters/abc_boost.hpp"
#include "boosters/aoso_boost.hpp"
#include "boosters/logit_boost.hpp"
#include "boosters/single_label.hpp"
#include "choices.hpp"
#include "signals.hpp"

namespace mhb::python {
namespace {

constexpr Choices<LogitMethod, 4> kLogitMethods = {{{"mart", LogitMethod::Mart},
                                                    {"logitboost", LogitMethod::LogitBoost},
                                                    {"vt", LogitMethod::VectorTree},
                                                    {"aoso", LogitMethod::Aoso}}};
constexpr Choices<SingleLabelMethod, 6> kSingleLabelMethods = {
    {{"samme", SingleLabelMethod::Samme},
     {"samme.r", SingleLabelMethod::SammeR},
     {"m1", SingleLabelMethod::M1},
     {"mh", SingleLabelMethod::MH},
     {"mm", SingleLabelMethod::MM},
     {"m2", SingleLabelMethod::M2}}};

std::unique_ptr<Rival> single_label(const Binner& binner, const BinnedMatrix& matrix,
                                    const Targets& targets, const Vector<double>& row_weights,
                                    const std::string& method, const Options& options) {
    return std::make_unique<SingleLabelBoost>(
        binner, matrix, LabelledRows(targets, vector_of(row_weights)),
        choose("method", method, kSingleLabelMethods), options);
}

std::unique_ptr<Rival> logit_boost(const Binner& binner, const BinnedMatrix& matrix,
                                   const Targets& targets, const Vector<double>& row_weights,
                                   const std::string& method, double least_weight,
                                   double largest_step, const Options& options) {
    const LabelledRows rows(targets, vector_of(row_weights));
    const LogitOptions logit{.method = choose("method", method, kLogitMethods),
                             .least_weight = least_weight,
                             .largest_step = largest_step,
                             .common = options};
    if (logit.method == LogitMethod::Aoso) {
        return std::make_unique<AosoBoost>(binner, matrix, rows, logit);
    }
    return std::make_unique<LogitBoost>(binner, matrix, rows, logit);
}

std::unique_ptr<Rival> abc_boost(const Binner& binner, const BinnedMatrix& matrix,
                                 const Targets& targets, const Vector<double>& row_weights,
                                 const std::string& method, double least_weight,
                                 double largest_step, std::size_t n_candidates, std::size_t gap,
                                 std::size_t warm_up, const Options& options) {
    return std::make_unique<AbcBoost>(
        binner, matrix, LabelledRows(targets, vector_of(row_weights)),
        LogitOptions{.method = choose("method", method, kLogitMethods),
                     .least_weight = least_weight,
                     .largest_step = largest_step,
                     .common = options},
        BaseSearch{.n_candidates = n_candidates, .gap = gap, .warm_up = warm_up});
}

std::size_t run(Rival& rival, std::size_t n_rounds, double seconds) {
    std::size_t done = 0;
    interruptible(
        [&](const ShouldStop& should_stop) { done = rival.run(n_rounds, seconds, should_stop); });
    return done;
}

}  // namespace

void bind_rivals(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<Rival>(module, "Rival", "Another booster, a few rounds at a time.")
        .def_static("logit_boost", &logit_boost, "binner"_a, "matrix"_a, "targets"_a,
                    "row_weights"_a.noconvert(), nb::kw_only(), "method"_a, "least_weight"_a,
                    "largest_step"_a, "options"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
        .def_static("abc_boost", &abc_boost, "binner"_a, "matrix"_a, "targets"_a,
                    "row_weights"_a.noconvert(), nb::kw_only(), "method"_a, "least_weight"_a,
                    "largest_step"_a, "n_candidates"_a, "gap"_a, "warm_up"_a, "options"_a,
                    nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
        .def_static("single_label", &single_label, "binner"_a, "matrix"_a, "targets"_a,
                    "row_weights"_a.noconvert(), nb::kw_only(), "method"_a, "options"_a,
                    nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>())
        .def(
            "add_evaluation",
            [](Rival& self, const BinnedMatrix& matrix, const Targets& targets,
               const Vector<double>& row_weights, const std::string& metric) {
                self.add_evaluation(matrix, targets, vector_of(row_weights),
                                    choose("metric", metric, kMetrics));
            },
            "matrix"_a, "targets"_a, "row_weights"_a.noconvert(), "metric"_a = "error",
            nb::keep_alive<1, 2>())
        .def("run", &run, "n_rounds"_a, "seconds"_a)
        .def_prop_ro("finished", &Rival::finished)
        .def_prop_ro("stop_reason", &Rival::stop_reason)
        .def_prop_ro("n_rounds", &Rival::n_rounds)
        .def_prop_ro(
            "edges", [](const Rival& self) { return to_numpy(std::vector(self.edges())); },
            nb::rv_policy::move)
        .def_prop_ro(
            "alphas",
            [](const Rival& self) { return to_numpy(std::vector(self.ensemble().arrays().alpha)); },
            nb::rv_policy::move)
        .def_prop_ro(
            "losses", [](const Rival& self) { return to_numpy(std::vector(self.losses())); },
            nb::rv_policy::move)
        .def(
            "evaluation",
            [](const Rival& self, std::size_t i) {
                return to_numpy(std::vector(self.evaluation(i).history()));
            },
            "i"_a)
        .def("ensemble", [](const Rival& self) { return Ensemble(self.ensemble()); });
}

}  // namespace mhb::python
