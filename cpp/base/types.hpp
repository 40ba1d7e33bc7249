// Numeric types of the core, one reason each. Everything else is built from these.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mhb {

// A signed weight as the search sees it: whole billionths of the total weight. Sums of whole
// numbers do not depend on their order, so neither do results on threads or vector width.
using Unit = std::int32_t;

// Sums of units over classes, products of them with votes, comparisons of edges.
using UnitSum = std::int64_t;

// A weight at rest. 24 bits are plenty for a factor per round; half the memory of a double.
using Weight = float;

// Scores, alphas, thresholds and losses: what the user sees is never less than a double.
using Score = double;

// Rows; 2^31 at most, so that an index list costs 4 bytes a row.
using RowIndex = std::uint32_t;

// The place of a value among its feature's cut points; 65 535 at most.
using Bin = std::uint16_t;

// Units in the total weight. Rounding adds at most as much again, so |sum| < 2^31 always holds.
inline constexpr float kUnits = 1e9F;

}  // namespace mhb
