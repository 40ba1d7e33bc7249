// Between numpy and the core: constrained views in, owned arrays out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace mhb::python {

// A C-contiguous, read-only view of numbers of exactly this type; never a hidden copy.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T>
using NumpyMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::vector<T> vector_of(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// numpy owns what the core made.
template <class T>
NumpyVector<T> to_numpy(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned,
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {owned->size()}, owner};
}

template <class T>
NumpyMatrix<T> to_numpy(std::vector<T> values, std::size_t n_rows, std::size_t n_columns) {
    auto* owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned,
                            [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {owned->data(), {n_rows, n_columns}, owner};
}

void bind_data(nb::module_& module);
void bind_boosters(nb::module_& module);
void bind_rivals(nb::module_& module);
void bind_ensemble(nb::module_& module);

}  // namespace mhb::python
