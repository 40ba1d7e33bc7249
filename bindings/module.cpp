#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "kernels/kernels.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of mhboost. Users need mhboost itself only.";
    module.def(
        "kernels",
        [] {
            std::vector<std::string> names;
            for (const mhb::Kernels* table : mhb::usable_kernels()) {
                names.emplace_back(table->name);
            }
            return names;
        },
        "Names of the kernels that this processor can run, best first.");
    module.def(
        "active_kernel", [] { return std::string(mhb::active_kernels().name); },
        "Name of the kernel in use: MHBOOST_KERNEL, or the best.");
    mhb::python::bind_data(module);
    mhb::python::bind_boosters(module);
    mhb::python::bind_rivals(module);
    mhb::python::bind_ensemble(module);
}
