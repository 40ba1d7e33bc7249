// What the kernels of gains are given; see arguments.hpp. A gain is a real number made of whole
// sums: element by element and folded in a fixed order, so that every register width gives the same
// bits.
#pragma once

#include <cstddef>

#include "kernels/arguments.hpp"

namespace mhb {

// One numeric feature's histogram, one chunk of lanes: n_bins bins, n_bins - 1 cuts between them.
struct GainTask {
    const Unit* histogram;
    const Unit* before;  // what lies left of all cuts (the missing values), or null
    const Unit* total;   // of the node
    std::size_t n_bins;
    std::size_t lanes;
    bool add;  // to the values of earlier chunks
};

// Scores of some rows, class by class, and which class is the right one.
struct ScoreRows {
    const double* scores;  // [class * stride + row]
    const std::uint32_t* label;
    std::size_t stride;
    std::size_t n_classes;
    std::size_t n_rows;
};

// Probabilities of these rows, class by class, and that of all classes but the right one: 1 - p
// without the cancellation.
struct ProbabilityRows {
    double* probabilities;  // [class * stride + row]
    double* wrong;
};

}  // namespace mhb
