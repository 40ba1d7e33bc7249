// A number that two matrices share if they hold the same bins, however they are stored: to tell
// whether other data are the same. It is no defence against data made to look the same.
#pragma once

#include <cstdint>

#include "data/binned_matrix.hpp"

namespace mhb {

[[nodiscard]] std::uint64_t digest(const BinnedMatrix& matrix, std::uint64_t seed);

}  // namespace mhb
