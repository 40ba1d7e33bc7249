// RawMatrix, Binner, BinnedMatrix, Targets.
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "data/binner.hpp"
#include "data/digest.hpp"
#include "data/targets.hpp"
#include "raw_matrix.hpp"
#include "signals.hpp"

namespace mhb::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

DType dtype_of(const AnyArray& array) {
    const auto dtype = array.dtype();
    const auto is = [&](auto example) { return dtype == nb::dtype<decltype(example)>(); };
    if (is(false))
        return DType::Bool;
    if (is(std::int8_t{}))
        return DType::I8;
    if (is(std::int16_t{}))
        return DType::I16;
    if (is(std::int32_t{}))
        return DType::I32;
    if (is(std::int64_t{}))
        return DType::I64;
    if (is(std::uint8_t{}))
        return DType::U8;
    if (is(std::uint16_t{}))
        return DType::U16;
    if (is(std::uint32_t{}))
        return DType::U32;
    if (is(std::uint64_t{}))
        return DType::U64;
    if (is(float{}))
        return DType::F32;
    if (is(double{}))
        return DType::F64;
    throw nb::type_error("RawMatrix: bool, integers, float32 or float64 are wanted");
}

// One column of an array; `axis` runs along the rows.
ColumnView column_of(const AnyArray& array, std::size_t offset, std::size_t axis) {
    const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
    return {.data = static_cast<const std::byte*>(array.data()) +
                    static_cast<std::ptrdiff_t>(offset) * size,
            .stride = array.stride(axis) * size,
            .dtype = dtype_of(array)};
}

BorrowedMatrix from_array(const AnyArray& array) {
    if (array.ndim() != 2) {
        throw std::invalid_argument("RawMatrix: a matrix is wanted");
    }
    std::vector<ColumnView> columns;
    columns.reserve(array.shape(1));
    const ColumnView first = column_of(array, 0, 0);
    const auto step = array.stride(1) * static_cast<std::ptrdiff_t>(array.itemsize());
    for (std::size_t j = 0; j < array.shape(1); ++j) {
        columns.push_back(first);
        columns.back().data += static_cast<std::ptrdiff_t>(j) * step;
    }
    return {.matrix = RawMatrix::dense(array.shape(0), std::move(columns)),
            .owners = {nb::cast(array)}};
}

BorrowedMatrix from_columns(const std::vector<AnyArray>& arrays) {
    if (arrays.empty()) {
        throw std::invalid_argument("RawMatrix: at least one column is wanted");
    }
    std::vector<ColumnView> columns;
    std::vector<nb::object> owners;
    for (const AnyArray& array : arrays) {
        if (array.ndim() != 1 || array.shape(0) != arrays.front().shape(0)) {
            throw std::invalid_argument("RawMatrix: columns of one length are wanted");
        }
        columns.push_back(column_of(array, 0, 0));
        owners.push_back(nb::cast(array));
    }
    return {.matrix = RawMatrix::dense(arrays.front().shape(0), std::move(columns)),
            .owners = std::move(owners)};
}

using Pointers = Vector<std::int64_t>;
using Indices = Vector<std::int32_t>;
using Values = Vector<double>;

CompressedView compressed(const Pointers& indptr, const Indices& indices, const Values& data) {
    return {.indptr = span_of(indptr), .indices = span_of(indices), .data = span_of(data)};
}

BorrowedMatrix from_csc(std::size_t n_rows, const Pointers& indptr, const Indices& indices,
                        const Values& data) {
    return {.matrix = RawMatrix::sparse_columns(n_rows, compressed(indptr, indices, data)),
            .owners = {nb::cast(indptr), nb::cast(indices), nb::cast(data)}};
}

BorrowedMatrix from_csr(std::size_t n_features, const Pointers& indptr, const Indices& indices,
                        const Values& data) {
    return {.matrix = RawMatrix::sparse_rows(n_features, compressed(indptr, indices, data)),
            .owners = {nb::cast(indptr), nb::cast(indices), nb::cast(data)}};
}

// What a fitted Binner knows, as four arrays.
nb::dict binner_state(const Binner& binner) {
    std::vector<double> thresholds;
    std::vector<std::int64_t> begin = {0};
    std::vector<std::int64_t> categories;
    std::vector<std::uint8_t> has_missing;
    for (const FeatureBins& bins : binner.features()) {
        thresholds.insert(thresholds.end(), bins.thresholds.begin(), bins.thresholds.end());
        begin.push_back(static_cast<std::int64_t>(thresholds.size()));
        categories.push_back(bins.n_categories);
        has_missing.push_back(bins.has_missing ? 1 : 0);
    }
    nb::dict state;
    state["thresholds"] = to_numpy(std::move(thresholds));
    state["threshold_begin"] = to_numpy(std::move(begin));
    state["categories"] = to_numpy(std::move(categories));
    state["has_missing"] = to_numpy(std::move(has_missing));
    return state;
}

Binner binner_from_state(const nb::dict& state) {
    const auto thresholds = nb::cast<Values>(state["thresholds"]);
    const auto begin = nb::cast<Pointers>(state["threshold_begin"]);
    const auto categories = nb::cast<Pointers>(state["categories"]);
    const auto has_missing = nb::cast<Vector<std::uint8_t>>(state["has_missing"]);
    const std::size_t n = categories.size();
    if (begin.size() != n + 1 || has_missing.size() != n || begin(0) != 0 ||
        begin(n) != static_cast<std::int64_t>(thresholds.size())) {
        throw std::invalid_argument("Binner: the arrays do not fit together");
    }
    std::vector<FeatureBins> features(n);
    for (std::size_t j = 0; j < n; ++j) {
        if (begin(j) > begin(j + 1) || categories(j) < 0 ||
            categories(j) > static_cast<std::int64_t>(kMaxBins)) {
            throw std::invalid_argument("Binner: the arrays do not fit together");
        }
        features[j].thresholds.assign(thresholds.data() + begin(j),
                                      thresholds.data() + begin(j + 1));
        features[j].n_categories = static_cast<std::uint32_t>(categories(j));
        features[j].has_missing = has_missing(j) != 0;
    }
    return Binner(std::move(features));
}

void bind_matrices(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<BorrowedMatrix>(module, "RawMatrix", "A borrowed view of the user's numbers.")
        .def_static("from_array", &from_array, "array"_a.noconvert())
        .def_static("from_columns", &from_columns, "columns"_a)
        .def_static("from_csc", &from_csc, "n_rows"_a, "indptr"_a.noconvert(),
                    "indices"_a.noconvert(), "data"_a.noconvert())
        .def_static("from_csr", &from_csr, "n_features"_a, "indptr"_a.noconvert(),
                    "indices"_a.noconvert(), "data"_a.noconvert())
        .def_prop_ro("n_rows", [](const BorrowedMatrix& self) { return self.matrix.n_rows(); })
        .def_prop_ro("n_features",
                     [](const BorrowedMatrix& self) { return self.matrix.n_features(); });

    nb::class_<BinnedMatrix>(module, "BinnedMatrix", "Rows as small integers.")
        .def_prop_ro("n_rows", &BinnedMatrix::n_rows)
        .def_prop_ro("n_features", &BinnedMatrix::n_features)
        .def_prop_ro("nbytes", &BinnedMatrix::n_bytes)
        .def("digest", &digest, "seed"_a, "A number that tells other bins from these.",
             nb::call_guard<nb::gil_scoped_release>())
        .def(
            "bins",
            [](const BinnedMatrix& self, std::size_t feature) {
                std::vector<std::uint16_t> bins(self.n_rows());
                for (std::size_t row = 0; row < bins.size(); ++row) {
                    bins[row] = self.bin(row, feature);
                }
                return to_numpy(std::move(bins));
            },
            "feature"_a, "The bins of one feature, a number a row.");
}

void bind_binner(nb::module_& module) {
    using namespace nb::literals;

    nb::class_<Binner>(module, "Binner", "Learns cut points, turns values into bins.")
        .def(
            "__init__",
            [](Binner* self, std::size_t max_bins, std::vector<std::uint32_t> categories,
               std::uint64_t seed) {
                new (self) Binner(BinnerOptions{
                    .max_bins = max_bins, .categories = std::move(categories), .seed = seed});
            },
            "max_bins"_a, "categories"_a, "seed"_a = 0)
        .def(
            "fit",
            [](Binner& self, const BorrowedMatrix& raw, std::size_t n_threads) {
                interruptible(n_threads, [&](ThreadPool& pool) { self.fit(raw.matrix, pool); });
            },
            "raw"_a, "n_threads"_a = 1)
        .def(
            "transform",
            [](const Binner& self, const BorrowedMatrix& raw, std::size_t n_threads) {
                std::optional<BinnedMatrix> matrix;
                interruptible(n_threads, [&](ThreadPool& pool) {
                    matrix.emplace(self.transform(raw.matrix, pool));
                });
                return std::move(*matrix);
            },
            "raw"_a, "n_threads"_a = 1)
        .def_prop_ro("n_features", [](const Binner& self) { return self.features().size(); })
        .def(
            "thresholds",
            [](const Binner& self, std::size_t feature) {
                return to_numpy(std::vector(self.features().at(feature).thresholds));
            },
            "feature"_a)
        .def(
            "n_bins",
            [](const Binner& self, std::size_t feature) {
                return self.features().at(feature).value_bins();
            },
            "feature"_a, "Bins of values or categories; missing values have one more.")
        .def(
            "has_missing",
            [](const Binner& self, std::size_t feature) {
                return self.features().at(feature).has_missing;
            },
            "feature"_a)
        .def("state", &binner_state)
        .def_static("from_state", &binner_from_state, "state"_a);
}

}  // namespace

void bind_data(nb::module_& module) {
    using namespace nb::literals;

    bind_matrices(module);
    bind_binner(module);
    nb::class_<Targets>(module, "Targets", "Which score columns are positive in which row.")
        .def(
            "__init__",
            [](Targets* self, const Pointers& indptr, const Indices& indices,
               const Indices& task_offsets) {
                new (self) Targets(vector_of(indptr), vector_of(indices), vector_of(task_offsets));
            },
            "indptr"_a.noconvert(), "indices"_a.noconvert(), "task_offsets"_a.noconvert())
        .def_prop_ro("n_rows", &Targets::n_rows)
        .def_prop_ro("n_columns", &Targets::n_columns)
        .def_prop_ro("n_tasks", &Targets::n_tasks);
}

}  // namespace mhb::python
