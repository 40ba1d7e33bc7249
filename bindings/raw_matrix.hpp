// The user's arrays as a RawMatrix, kept alive as long as it is.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "data/raw_matrix.hpp"

namespace mhb::python {

struct BorrowedMatrix {
    RawMatrix matrix;
    std::vector<nb::object> owners;
};

}  // namespace mhb::python
