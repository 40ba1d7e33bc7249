// Ternary votes: which classes a cut votes on, to minimise the energy Z exactly.
//
// With W+ and W- the weights a class's vote gets right and wrong, Z of a set V of voting classes is
// (weight of the others) + 2 sqrt(sum_V W+ * sum_V W-). The best V is a prefix of the classes
// sorted by W-/W+: for any alpha, a class lowers Z iff its ratio is below exp(-alpha).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace mhb {

struct TernaryVotes {
    std::vector<std::int8_t> votes;  // -1, 0, +1
    UnitSum edge = 0;                // over the classes that vote
    double energy = 0;               // in units
};

// edge[l]: classwise edge of the cut with vote +1; mass[l]: weight of the class in these rows.
TernaryVotes cast_ternary(std::span<const UnitSum> edge, std::span<const UnitSum> mass);

}  // namespace mhb
