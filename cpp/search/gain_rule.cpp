#include "search/gain_rule.hpp"

#include <algorithm>

namespace mhb {
namespace {

constexpr std::size_t kGradient = 0;
constexpr std::size_t kCurvature = 1;
constexpr std::size_t kWeight = 2;

// G^2 / W; a curvature or weight counts as one unit at least.
double scalar_value(Unit gradient, Unit weight) {
    const double g = gradient;
    return g / std::max<double>(weight, 1.0) * g;
}

double scalar_values(const GainRule& rule, const GainTask& task, double* values) {
    const std::size_t by = rule.first_order ? kWeight : kCurvature;
    const Unit* total = task.total;
    Unit g = task.before == nullptr ? 0 : task.before[kGradient];
    Unit h = task.before == nullptr ? 0 : task.before[by];
    Unit w = task.before == nullptr ? 0 : task.before[kWeight];
    const Unit* bin = task.histogram;
    for (std::size_t k = 0; k + 1 < task.n_bins; ++k, bin += task.lanes) {
        g += bin[kGradient];
        h += bin[by];
        w += bin[kWeight];
        const bool light = w < rule.least_weight || total[kWeight] - w < rule.least_weight;
        values[k] =
            light ? -1.0 : scalar_value(g, h) + scalar_value(total[kGradient] - g, total[by] - h);
    }
    return scalar_value(0, 0) + scalar_value(total[kGradient], total[by]);
}

}  // namespace

std::optional<std::size_t> lane_below(const GainRule& rule, std::size_t lane, std::size_t lanes) {
    if (rule.criterion == Criterion::Scalar) {
        return lane == kGradient ? std::optional(rule.first_order ? kWeight : kCurvature)
                                 : std::nullopt;
    }
    if (rule.criterion == Criterion::Gini) {
        return lane + 1 < lanes ? std::optional(lanes - 1) : std::nullopt;
    }
    return lane < lanes / 2 ? std::optional(lane + lanes / 2) : std::nullopt;
}

double side_values(const GainRule& rule, const Kernels& kernels, const GainTask& task,
                   double* values) {
    switch (rule.criterion) {
        case Criterion::Gini: return kernels.gini_values(task, values);
        case Criterion::Hellinger: return kernels.hellinger_values(task, values);
        case Criterion::Newton: return kernels.newton_values(task, values);
        case Criterion::Scalar:
        case Criterion::Edge: break;
    }
    return scalar_values(rule, task, values);
}

}  // namespace mhb
