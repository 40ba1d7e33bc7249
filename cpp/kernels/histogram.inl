// Histograms: the units of rows, packed and then added to the bins of columns.

// How many rows ahead scattered weights are asked for.
constexpr std::size_t kAhead = 8;

template <int L>
inline IntLanes<L> units_at(const UnitSource& source, std::size_t row) {
    const auto weights = FloatLanes<L>::load(source.weights + row * source.stride);
    return round_to_units<L>(weights * splat<L>(source.scale));
}

template <int L, bool kStore, bool kMagnitudes>
void pack_lanes(const RowList list, const UnitSource source, const PackedOut out) {
    auto sum = IntLanes<L>::load(out.sums);
    auto mass = IntLanes<L>::zero();
    for (std::size_t i = 0; i < list.n_rows; ++i) {
        if (list.rows != nullptr && i + kAhead < list.n_rows) {
            const Weight* later = source.weights + list.rows[i + kAhead] * source.stride;
            __builtin_prefetch(later);
            if constexpr (L > 16) {
                __builtin_prefetch(later + 16);
            }
        }
        const std::size_t row = list.rows != nullptr ? list.rows[i] : list.first + i;
        const auto units = units_at<L>(source, row);
        if constexpr (kStore) {
            units.store(out.units + i * out.stride);
        }
        sum = sum + units;
        if constexpr (kMagnitudes) {
            mass = mass + magnitude(units);
        }
    }
    sum.store(out.sums);
    if constexpr (kMagnitudes) {
        (IntLanes<L>::load(out.magnitudes) + mass).store(out.magnitudes);
    }
}

void pack(const RowList& list, const UnitSource& source, const PackedOut& out) {
    with_lanes(source.lanes, [&](auto lanes) {
        if (out.magnitudes != nullptr) {
            out.units != nullptr ? pack_lanes<lanes, true, true>(list, source, out)
                                 : pack_lanes<lanes, false, true>(list, source, out);
        } else {
            out.units != nullptr ? pack_lanes<lanes, true, false>(list, source, out)
                                 : pack_lanes<lanes, false, false>(list, source, out);
        }
    });
}

//   row's units   [ q0 q1 .. qL )      stays in registers
//   its bins        3    0    7        one add to memory each:
//   histogram     feature 0: bin 3 += q,  feature 1: bin 0 += q,  feature 2: bin 7 += q
//
// Neighbouring adds go to different features and so to different cache lines: none waits for the
// one before it. The arguments are taken by value: a store to the histogram could otherwise change
// them, for all that the compiler knows, and they would be read again for every add.
template <int L, int F, bool kListed, class Stored>
void accumulate_side_by_side(const PackedRows rows, const DenseColumns<Stored> columns,
                             Unit* const histogram) {
    const Stored* bins[F];
    Unit* cells[F];
    for (int f = 0; f < F; ++f) {
        bins[f] = columns.bins[f] + (kListed ? 0 : rows.list.first);
        cells[f] = histogram + std::size_t{columns.first_bin[f]} * L;
    }
    const Unit* from = rows.units;
    for (std::size_t i = 0; i < rows.list.n_rows; ++i, from += rows.stride) {
        const std::size_t row = kListed ? rows.list.rows[i] : i;
        const auto units = IntLanes<L>::load(from);
#pragma GCC unroll 8
        for (int f = 0; f < F; ++f) {
            Unit* const cell = cells[f] + std::size_t{bins[f][row]} * L;
            (IntLanes<L>::load(cell) + units).store(cell);
        }
    }
}

template <int L, int F, class Stored>
void accumulate_columns(const PackedRows& rows, const DenseColumns<Stored>& columns,
                        Unit* histogram) {
    rows.list.rows != nullptr ? accumulate_side_by_side<L, F, true>(rows, columns, histogram)
                              : accumulate_side_by_side<L, F, false>(rows, columns, histogram);
}

template <class Stored>
void accumulate(const PackedRows& rows, const DenseColumns<Stored>& columns, Unit* histogram) {
    with_lanes(rows.lanes, [&](auto lanes) {
        switch (columns.n_columns) {
            case 1: return accumulate_columns<lanes, 1>(rows, columns, histogram);
            case 2: return accumulate_columns<lanes, 2>(rows, columns, histogram);
            case 4: return accumulate_columns<lanes, 4>(rows, columns, histogram);
            default: return accumulate_columns<lanes, 8>(rows, columns, histogram);
        }
    });
}

template <int L>
void accumulate_entries(const PackedRows rows, const SparseColumns columns, Unit* const histogram) {
    for (std::size_t i = 0; i < rows.list.n_rows; ++i) {
        const std::size_t row = rows.list.rows != nullptr ? rows.list.rows[i] : rows.list.first + i;
        const auto units = IntLanes<L>::load(rows.units + i * rows.stride);
        for (std::size_t e = columns.row_begin[row]; e < columns.row_begin[row + 1]; ++e) {
            Unit* cell = histogram + std::size_t{columns.entries[e]} * L;
            (IntLanes<L>::load(cell) + units).store(cell);
        }
    }
}

void accumulate_sparse(const PackedRows& rows, const SparseColumns& columns, Unit* histogram) {
    with_lanes(rows.lanes,
               [&](auto lanes) { accumulate_entries<lanes>(rows, columns, histogram); });
}

void subtract(const Unit* whole, const Unit* part, std::size_t n, Unit* difference) {
    for (std::size_t i = 0; i < n; i += 4) {
        (IntLanes<4>::load(whole + i) - IntLanes<4>::load(part + i)).store(difference + i);
    }
}
