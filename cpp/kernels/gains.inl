// What cuts are worth where the lanes are sums of gradients and curvatures.

template <int H>
inline FloatLanes<H> to_float(const IntLanes<H>& a) {
    FloatLanes<H> out;
    for (int i = 0; i < FloatLanes<H>::n_parts; ++i) {
        out.part[i] = __builtin_convertvector(a.part[i], typename FloatLanes<H>::Part);
    }
    return out;
}

// G^2 / H of each class; a curvature counts as one unit at least.
template <int H>
inline FloatLanes<H> newton_value(const IntLanes<H>& gradient, const IntLanes<H>& curvature) {
    auto g = to_float<H>(gradient);
    const auto h = to_float<H>(curvature);
    for (int i = 0; i < FloatLanes<H>::n_parts; ++i) {
        const auto floor = typename FloatLanes<H>::Part{} + 1.0F;
        g.part[i] = g.part[i] * (g.part[i] / (h.part[i] < floor ? floor : h.part[i]));
    }
    return g;
}

// Halves are folded onto each other: the first number becomes the sum of them all.
template <int N, class T>
inline void fold_halves(T* numbers) {
    for (int half = N / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) {
            numbers[i] += numbers[i + half];
        }
    }
}

template <int H>
inline double fold_values(const FloatLanes<H>& a) {
    float lane[H];
    __builtin_memcpy(lane, &a, sizeof(lane));
    fold_halves<H>(lane);
    return lane[0];
}

template <int H>
double newton_lanes(const GainTask task, double* const values) {
    const auto total_g = IntLanes<H>::load(task.total);
    const auto total_h = IntLanes<H>::load(task.total + H);
    auto g = IntLanes<H>::zero();
    auto h = IntLanes<H>::zero();
    const auto value = [&] {
        return fold_values<H>(newton_value<H>(g, h) + newton_value<H>(total_g - g, total_h - h));
    };
    const double uncut = value();
    if (task.before != nullptr) {
        g = IntLanes<H>::load(task.before);
        h = IntLanes<H>::load(task.before + H);
    }
    for (std::size_t k = 0; k + 1 < task.n_bins; ++k) {
        g = g + IntLanes<H>::load(task.histogram + k * 2 * H);
        h = h + IntLanes<H>::load(task.histogram + k * 2 * H + H);
        values[k] = value() + (task.add ? values[k] : 0.0);
    }
    return uncut;
}

// What one side of a cut is worth: L^2 / W of each class, W in the last lane. In doubles: a few
// rows can be so heavy that what a cut does for the others is lost in floats.
struct GiniValue {
    template <int L>
    static double of(const IntLanes<L>& sums) {
        Unit lane[L];
        __builtin_memcpy(lane, &sums, sizeof(lane));
        double square[L];
        for (int i = 0; i < L; ++i) {
            square[i] = static_cast<double>(lane[i]) * lane[i];
        }
        square[L - 1] = 0;
        fold_halves<L>(square);
        return square[0] / (lane[L - 1] < 1 ? 1 : lane[L - 1]);
    }
};

// (sqrt A - sqrt B)^2 of each class, A in the first half of the lanes, B in the second.
struct HellingerValue {
    template <int L>
    static double of(const IntLanes<L>& sums) {
        float lane[L];
        const auto value = to_float<L>(sums);
        __builtin_memcpy(lane, &value, sizeof(lane));
        for (int i = 0; i < L; ++i) {
            lane[i] = __builtin_sqrtf(lane[i] < 0.0F ? 0.0F : lane[i]);
        }
        for (int i = 0; i < L / 2; ++i) {
            const float difference = lane[i] - lane[i + L / 2];
            lane[i] = difference * difference;
        }
        fold_halves<L / 2>(lane);
        return lane[0];
    }
};

template <class Value, int L>
double sides_lanes(const GainTask task, double* const values) {
    const auto total = IntLanes<L>::load(task.total);
    auto left = IntLanes<L>::zero();
    const auto value = [&] {
        return Value::template of<L>(left) + Value::template of<L>(total - left);
    };
    const double uncut = value();
    if (task.before != nullptr) {
        left = IntLanes<L>::load(task.before);
    }
    for (std::size_t k = 0; k + 1 < task.n_bins; ++k) {
        left = left + IntLanes<L>::load(task.histogram + k * L);
        values[k] = value() + (task.add ? values[k] : 0.0);
    }
    return uncut;
}

double gini_values(const GainTask& task, double* values) {
    double uncut = 0;
    with_lanes(task.lanes,
               [&](auto lanes) { uncut = sides_lanes<GiniValue, lanes>(task, values); });
    return uncut;
}

double hellinger_values(const GainTask& task, double* values) {
    double uncut = 0;
    with_lanes(task.lanes,
               [&](auto lanes) { uncut = sides_lanes<HellingerValue, lanes>(task, values); });
    return uncut;
}

// values[k]: sum over classes of G^2 / H on both sides of the cut after bin k; returns that of no
// cut. Half of a chunk's lanes are gradients, the other half curvatures.
double newton_values(const GainTask& task, double* values) {
    double uncut = 0;
    with_lanes(task.lanes, [&](auto lanes) { uncut = newton_lanes<lanes / 2>(task, values); });
    return uncut;
}
