// The logistic loss: margins move, weights follow.

// e^x for |x| <= 80 by 2^n * e^r, |r| <= ln 2 / 2, a polynomial for e^r; relative error below 2e-7.
template <int L>
inline FloatLanes<L> exponential(FloatLanes<L> x) {
    for (auto& p : x.part) {
        using Floats = std::remove_reference_t<decltype(p)>;
        using Ints = typename IntLanes<L>::Part;
        const Floats top = Floats{} + 80.0F;
        p = p > top ? top : p;
        p = p < -top ? -top : p;
        const Floats scaled = p * 1.44269504F;
        const Ints n = __builtin_convertvector(scaled < 0.0F ? scaled - 0.5F : scaled + 0.5F, Ints);
        const Floats whole = __builtin_convertvector(n, Floats);
        const Floats r = (p - whole * 0.693359375F) - whole * -2.12194440e-4F;
        Floats y = r * 1.9875691500e-4F + 1.3981999507e-3F;
        y = y * r + 8.3334519073e-3F;
        y = y * r + 4.1665795894e-2F;
        y = y * r + 1.6666665459e-1F;
        y = y * r + 5.0000001201e-1F;
        y = y * r * r + r + 1.0F;
        const Ints power = (n + 127) << 23;
        p = y * (Floats)power;  // the same bits, read as floats
    }
    return x;
}

// log(1 + z) for 0 <= z <= 1: 2 artanh(s), s = z / (2 + z), its series up to s^11.
template <int L>
inline FloatLanes<L> log_one_plus(FloatLanes<L> z) {
    for (auto& p : z.part) {
        const auto s = p / (p + 2.0F);
        const auto s2 = s * s;
        auto series = s2 * (1.0F / 11) + 1.0F / 9;
        series = series * s2 + 1.0F / 7;
        series = series * s2 + 1.0F / 5;
        series = series * s2 + 1.0F / 3;
        series = series * s2 + 1.0F;
        p = 2.0F * s * series;
    }
    return z;
}

// With t = 2 margin and z = e^-|t|: sigmoid(-t) = z / (1 + z) or 1 / (1 + z), and
// log(1 + e^-t) = max(-t, 0) + log(1 + z). No exponent can overflow.
template <int L>
LogisticSums logistic_rows(const WeightRows& rows, const std::uint32_t* leaf_of_row,
                           const float* step, float* margins, Weight* out) {
    WeightSum<L> weight_sum;
    WeightSum<L> loss_sum;
    const auto zero = FloatLanes<L>::zero();
    const auto one = splat<L>(1.0F);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t leaf = leaf_of_row[row] * rows.lanes;
        for (std::size_t l = 0; l < rows.lanes; l += L) {
            const std::size_t place = row * rows.lanes + l;
            const auto initial = FloatLanes<L>::load(rows.weights + place);
            const auto h = FloatLanes<L>::load(step + leaf + l);
            const auto margin =
                FloatLanes<L>::load(margins + place) + choose<L>(initial, h, zero - h);
            margin.store(margins + place);
            const auto t = margin + margin;
            const auto z = exponential<L>(zero - magnitude(t));
            auto weights = initial * choose<L>(t, z, one);
            for (int i = 0; i < FloatLanes<L>::n_parts; ++i) {
                weights.part[i] /= one.part[i] + z.part[i];
            }
            weights.store(out + place);
            weight_sum.add(weights);
            loss_sum.add(initial * (choose<L>(t, zero, zero - t) + log_one_plus<L>(z)));
        }
    }
    return {.weight = weight_sum.total(), .loss = loss_sum.total()};
}

LogisticSums logistic(const WeightRows& rows, const std::uint32_t* leaf_of_row, const float* step,
                      float* margins, Weight* out) {
    LogisticSums sums{};
    with_row_lanes(rows.lanes, [&](auto lanes) {
        sums = logistic_rows<lanes>(rows, leaf_of_row, step, margins, out);
    });
    return sums;
}
