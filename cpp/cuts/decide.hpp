// decide: a cut's sign for many rows at once, by a table of one answer a bin.
#pragma once

#include <cstdint>
#include <span>

#include "cuts/cut.hpp"

namespace mhb {

// right[i] = 1 where rows[i] is on the + side, else 0.
void decide(const Term& term, const BinnedMatrix& matrix, std::span<const RowIndex> rows,
            std::uint8_t* right);
void decide(const Cut& cut, const BinnedMatrix& matrix, std::span<const RowIndex> rows,
            std::uint8_t* right);

}  // namespace mhb
