// What a cut is worth: by what rule the sums on its two sides are turned into a number.
//
//   rule     a row's lanes                                     value of a side
//   Edge     signed weights, one a class                       AdaBoost.MH: sum_l |T_l|
//   Newton   a chunk: gradients of its classes, curvatures     sum_l G_l^2 / H_l
//   Gini     a chunk: weights by class, weight     sum_l W_l^2 / W
//   Hellinger a chunk: weights for its classes, against   sum_l (sqrt F_l - sqrt A_l)^2
//   Scalar   gradient, curvature, weight                       G^2 / H, or G^2 / W if first order
#pragma once

#include <optional>

#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

enum class Criterion : std::uint8_t { Edge, Newton, Gini, Hellinger, Scalar };

struct GainRule {
    Criterion criterion = Criterion::Edge;
    bool first_order = false;
    Unit least_weight = 0;  // Scalar: a side with less is no side
};

// values[k]: of both sides of the cut after bin k, -1 where one side is too light; returns that of
// no cut.
double side_values(const GainRule& rule, const Kernels& kernels, const GainTask& task,
                   double* values);

// The lane that a class's own lane is divided by to tell what rows say of the class; none if the
// lane is not a class's own.
std::optional<std::size_t> lane_below(const GainRule& rule, std::size_t lane, std::size_t lanes);

}  // namespace mhb
