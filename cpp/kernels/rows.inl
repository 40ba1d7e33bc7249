// Passes over the weights.

template <int L>
void row_masses_of(const WeightRows& rows, float scale, std::uint32_t* row_mass) {
    const auto factor = splat<L>(scale);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        auto mass = IntLanes<L>::zero();
        for (std::size_t l = 0; l < rows.lanes; l += L) {
            const auto weights = FloatLanes<L>::load(rows.weights + row * rows.lanes + l);
            mass = mass + magnitude(round_to_units<L>(weights * factor));
        }
        row_mass[row] = static_cast<std::uint32_t>(fold<L>(mass));
    }
}

void row_masses(const WeightRows& rows, float scale, std::uint32_t* row_mass) {
    with_row_lanes(rows.lanes, [&](auto lanes) { row_masses_of<lanes>(rows, scale, row_mass); });
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

template <int L, bool kMass>
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
            if constexpr (kMass) {
                mass = mass + magnitude(round_to_units<L>(updated * scale));
            }
        }
        if constexpr (kMass) {
            out.row_mass[row] = static_cast<std::uint32_t>(fold<L>(mass));
        }
    }
    return sum.total();
}

double update(const WeightRows& rows, const UpdateTables& tables, const UpdatedRows& out) {
    double sum = 0;
    with_row_lanes(rows.lanes, [&](auto lanes) {
        sum = out.row_mass == nullptr ? update_rows<lanes, false>(rows, tables, out)
                                      : update_rows<lanes, true>(rows, tables, out);
    });
    return sum;
}
