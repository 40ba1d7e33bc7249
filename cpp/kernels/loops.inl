// The text of all kernels. Included by baseline.cpp, avx2.cpp and avx512.cpp, each inside its own
// namespace and compiled with its own flags; no function here may be inline outside of it.

#include "kernels/lanes.hpp"

// Calls body with the number of lanes as a constant.
template <class Body>
inline void with_lanes(std::size_t lanes, const Body& body) {
    switch (lanes) {
        case 4: return body(std::integral_constant<int, 4>{});
        case 8: return body(std::integral_constant<int, 8>{});
        case 16: return body(std::integral_constant<int, 16>{});
        case 32: return body(std::integral_constant<int, 32>{});
        case 48: return body(std::integral_constant<int, 48>{});
        default: return body(std::integral_constant<int, 64>{});
    }
}

// How many rows ahead their bins and units are asked for.
constexpr std::size_t kAhead = 8;

// ---------------------------------------------------------------------------- histograms
//
//   row's units   [ q0 q1 .. qL )      stays in registers
//   its bins        3    0    7        one add to memory each:
//   histogram     feature 0: bin 3 += q,  feature 1: bin 0 += q,  feature 2: bin 7 += q
//
// Neighbouring adds go to different features and so to different cache lines: none waits for the
// one before it.

// The arguments are taken by value: a store to the histogram could otherwise change them, for all
// that the compiler knows, and they would be read again for every add.

template <int L, class Stored>
void accumulate_dense(const UnitRows rows, const DenseColumns<Stored> columns,
                      Unit* const histogram) {
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::size_t row = rows.rows[i];
        if (i + kAhead < rows.n_rows) {
            const std::size_t later = rows.rows[i + kAhead];
            __builtin_prefetch(columns.bins + later * columns.width);
            __builtin_prefetch(rows.units + later * rows.stride);
        }
        const auto units = IntLanes<L>::load(rows.units + row * rows.stride);
        const Stored* const bins = columns.bins + row * columns.width;
        for (std::size_t c = 0; c < columns.n_columns; ++c) {
            const std::size_t bin = columns.first_bin[c] + bins[columns.column[c]];
            Unit* const cell = histogram + bin * L;
            (IntLanes<L>::load(cell) + units).store(cell);
        }
    }
}

template <class Stored>
void accumulate(const UnitRows& rows, const DenseColumns<Stored>& columns, Unit* histogram) {
    with_lanes(rows.lanes, [&](auto lanes) { accumulate_dense<lanes>(rows, columns, histogram); });
}

template <int L>
void accumulate_entries(const UnitRows rows, const SparseColumns columns, Unit* const histogram) {
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        const std::size_t row = rows.rows[i];
        const auto units = IntLanes<L>::load(rows.units + row * rows.stride);
        for (std::size_t e = columns.row_begin[row]; e < columns.row_begin[row + 1]; ++e) {
            Unit* cell = histogram + std::size_t{columns.entries[e]} * L;
            (IntLanes<L>::load(cell) + units).store(cell);
        }
    }
}

void accumulate_sparse(const UnitRows& rows, const SparseColumns& columns, Unit* histogram) {
    with_lanes(rows.lanes,
               [&](auto lanes) { accumulate_entries<lanes>(rows, columns, histogram); });
}

void subtract(const Unit* whole, const Unit* part, std::size_t n, Unit* difference) {
    for (std::size_t i = 0; i < n; i += 4) {
        (IntLanes<4>::load(whole + i) - IntLanes<4>::load(part + i)).store(difference + i);
    }
}

// ---------------------------------------------------------------------------- scan

// sum_l |T_l - 2 L_l|
template <int L>
inline Unit edge_of(const IntLanes<L>& total, const IntLanes<L>& left) {
    return fold<L>(magnitude(total - left - left));
}

// Left sums start at `before` (nothing, or the missing values) and grow bin by bin.
template <int L>
void scan_edges(const ScanTask task, IntLanes<L> left, Unit* const edges) {
    const auto total = IntLanes<L>::load(task.total);
    for (std::size_t k = 0; k + 1 < task.n_value_bins; ++k) {
        left = left + IntLanes<L>::load(task.histogram + k * L);
        const Unit edge = edge_of<L>(total, left);
        edges[k] = task.add ? edges[k] + edge : edge;
    }
}

template <int L>
void scan_lanes(const ScanTask& task, const ScanEdges& edges) {
    scan_edges<L>(task, IntLanes<L>::zero(), edges.missing_right);
    if (task.missing != nullptr) {
        const auto missing = IntLanes<L>::load(task.missing);
        scan_edges<L>(task, missing, edges.missing_left);
        const Unit edge = edge_of<L>(IntLanes<L>::load(task.total), missing);
        *edges.only_missing = task.add ? *edges.only_missing + edge : edge;
    }
}

void scan(const ScanTask& task, const ScanEdges& edges) {
    with_lanes(task.lanes, [&](auto lanes) { scan_lanes<lanes>(task, edges); });
}

// ---------------------------------------------------------------------------- sums over rows

template <int L, bool kMagnitudes>
void sum_lanes(const UnitRows rows, Unit* sums, Unit* magnitudes) {
    auto sum = IntLanes<L>::load(sums);
    auto mass = IntLanes<L>::zero();
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
        if (i + kAhead < rows.n_rows) {
            __builtin_prefetch(rows.units + rows.rows[i + kAhead] * rows.stride);
        }
        const auto units = IntLanes<L>::load(rows.units + rows.rows[i] * rows.stride);
        sum = sum + units;
        if constexpr (kMagnitudes) {
            mass = mass + magnitude(units);
        }
    }
    sum.store(sums);
    if constexpr (kMagnitudes) {
        (IntLanes<L>::load(magnitudes) + mass).store(magnitudes);
    }
}

void sum_rows(const UnitRows& rows, Unit* sums, Unit* magnitudes) {
    with_lanes(rows.lanes, [&](auto lanes) {
        magnitudes == nullptr ? sum_lanes<lanes, false>(rows, sums, nullptr)
                              : sum_lanes<lanes, true>(rows, sums, magnitudes);
    });
}

// ---------------------------------------------------------------------------- whole rows
// Rows of weights can be wider than a chunk: these loops walk them 16 lanes (or 8, or 4) at a time.

template <class Body>
inline void with_row_lanes(std::size_t lanes, const Body& body) {
    with_lanes(lanes < 16 ? lanes : 16, body);
}

template <int L>
void quantise_rows(const WeightRows& rows, float scale, Unit* units, std::uint32_t* row_mass) {
    const auto factor = splat<L>(scale);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        auto mass = IntLanes<L>::zero();
        for (std::size_t l = 0; l < rows.lanes; l += L) {
            const std::size_t place = row * rows.lanes + l;
            const auto q = round_to_units<L>(FloatLanes<L>::load(rows.weights + place) * factor);
            q.store(units + place);
            mass = mass + magnitude(q);
        }
        row_mass[row] = static_cast<std::uint32_t>(fold<L>(mass));
    }
}

void quantise(const WeightRows& rows, float scale, Unit* units, std::uint32_t* row_mass) {
    with_row_lanes(rows.lanes,
                   [&](auto lanes) { quantise_rows<lanes>(rows, scale, units, row_mass); });
}

template <int L>
void leaf_sums_rows(const WeightRows& rows, float scale, const std::uint32_t* leaf_of_row,
                    Unit* sums, Unit* magnitudes) {
    const auto factor = splat<L>(scale);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t leaf = leaf_of_row[row] * rows.lanes;
        for (std::size_t l = 0; l < rows.lanes; l += L) {
            const auto weights = FloatLanes<L>::load(rows.weights + row * rows.lanes + l);
            const auto q = round_to_units<L>(weights * factor);
            (IntLanes<L>::load(sums + leaf + l) + q).store(sums + leaf + l);
            (IntLanes<L>::load(magnitudes + leaf + l) + magnitude(q)).store(magnitudes + leaf + l);
        }
    }
}

void leaf_sums(const WeightRows& rows, float scale, const std::uint32_t* leaf_of_row, Unit* sums,
               Unit* magnitudes) {
    with_row_lanes(rows.lanes, [&](auto lanes) {
        leaf_sums_rows<lanes>(rows, scale, leaf_of_row, sums, magnitudes);
    });
}

// Running sums of |weight|, one double a lane: rows add in their order whatever the registers are.
template <int L>
struct WeightSum {
    static constexpr int W = FloatLanes<L>::W;
    using Wide = typename NativeVector<double, W>::type;
    Wide lane[FloatLanes<L>::n_parts] = {};

    void add(const FloatLanes<L>& weights) {
        const auto sizes = magnitude(weights);
        for (int i = 0; i < FloatLanes<L>::n_parts; ++i) {
            lane[i] += __builtin_convertvector(sizes.part[i], Wide);
        }
    }
    [[nodiscard]] double total() const {
        double sum = 0;
        for (int i = 0; i < L; ++i) {
            sum += lane[i / W][i % W];
        }
        return sum;
    }
};

template <int L, bool kQuantise>
double update_rows(const WeightRows rows, const UpdateTables tables, const UpdatedRows out) {
    WeightSum<L> sum;
    const auto scale = splat<L>(out.scale);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::size_t leaf = tables.leaf_of_row[row] * rows.lanes;
        auto mass = IntLanes<L>::zero();
        for (std::size_t l = 0; l < rows.lanes; l += L) {
            const std::size_t place = row * rows.lanes + l;
            const auto weights = FloatLanes<L>::load(rows.weights + place);
            const auto factor =
                choose<L>(weights, FloatLanes<L>::load(tables.for_positive + leaf + l),
                          FloatLanes<L>::load(tables.for_negative + leaf + l));
            const auto updated = weights * factor;
            updated.store(out.weights + place);
            sum.add(updated);
            if constexpr (kQuantise) {
                const auto q = round_to_units<L>(updated * scale);
                q.store(out.units + place);
                mass = mass + magnitude(q);
            }
        }
        if constexpr (kQuantise) {
            out.row_mass[row] = static_cast<std::uint32_t>(fold<L>(mass));
        }
    }
    return sum.total();
}

double update(const WeightRows& rows, const UpdateTables& tables, const UpdatedRows& out) {
    double sum = 0;
    with_row_lanes(rows.lanes, [&](auto lanes) {
        sum = out.units == nullptr ? update_rows<lanes, false>(rows, tables, out)
                                   : update_rows<lanes, true>(rows, tables, out);
    });
    return sum;
}

// ---------------------------------------------------------------------------- logistic loss

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

constexpr Kernels kTable{.name = kName,
                         .accumulate_narrow = accumulate<std::uint8_t>,
                         .accumulate_wide = accumulate<std::uint16_t>,
                         .accumulate_sparse = accumulate_sparse,
                         .scan = scan,
                         .subtract = subtract,
                         .sum_rows = sum_rows,
                         .quantise = quantise,
                         .leaf_sums = leaf_sums,
                         .update = update,
                         .logistic = logistic};
