#include "search/node_units.hpp"

namespace mhb {
namespace {

constexpr std::size_t kRowGrain = 8192;

UnitSum mass_of(const RoundUnits& units, std::span<const RowIndex> rows) {
    UnitSum mass = 0;
    for (const RowIndex row : rows) {
        mass += units.row_mass[row];
    }
    return mass;
}

}  // namespace

void ClassSums::add(const ClassSums& other) {
    for (std::size_t l = 0; l < edge.size(); ++l) {
        edge[l] += other.edge[l];
        magnitude[l] += other.magnitude[l];
    }
    mass += other.mass;
}

ClassSums ClassSums::minus(const ClassSums& part) const {
    ClassSums rest(edge.size());
    for (std::size_t l = 0; l < edge.size(); ++l) {
        rest.edge[l] = edge[l] - part.edge[l];
        rest.magnitude[l] = magnitude[l] - part.magnitude[l];
    }
    rest.mass = mass - part.mass;
    return rest;
}

UnitSum ClassSums::constant_edge() const {
    UnitSum sum = 0;
    for (const Unit t : edge) {
        sum += t < 0 ? -UnitSum{t} : UnitSum{t};
    }
    return sum;
}

ClassSums sum_some_rows(const Packing& packing, const RoundUnits& units,
                        std::span<const RowIndex> rows, Unit* packed) {
    const ClassLanes& classes = units.classes;
    ClassSums sums(classes.lanes);
    for (std::size_t chunk = 0; chunk < classes.n_chunks(); ++chunk) {
        const std::size_t first = chunk * kChunkLanes;
        packing.kernels.pack(
            {.rows = rows.data(), .first = 0, .n_rows = rows.size()}, units.source(chunk),
            {.units = packed == nullptr ? nullptr : packed + first,
             .stride = classes.lanes,
             .sums = sums.edge.data() + first,
             .magnitudes = packing.magnitudes ? sums.magnitude.data() + first : nullptr});
    }
    sums.mass = mass_of(units, rows);
    return sums;
}

ClassSums sum_rows(const Packing& packing, const RoundUnits& units, std::span<const RowIndex> rows,
                   Unit* packed) {
    if (rows.size() <= kRowGrain || packing.pool.size() == 1) {
        return sum_some_rows(packing, units, rows, packed);
    }
    std::vector<ClassSums> pieces((rows.size() + kRowGrain - 1) / kRowGrain);
    parallel_rows(packing.pool, rows.size(), kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      Unit* to = packed == nullptr ? nullptr : packed + begin * units.classes.lanes;
                      pieces[begin / kRowGrain] =
                          sum_some_rows(packing, units, rows.subspan(begin, end - begin), to);
                  });
    ClassSums sums(units.classes.lanes);
    for (const ClassSums& piece : pieces) {
        sums.add(piece);
    }
    return sums;
}

ClassSums NodeUnits::take(const Packing& packing, const RoundUnits& units,
                          std::span<const RowIndex> rows) {
    classes_ = units.classes;
    rows_ = rows;
    if (values_.size() < rows.size() * classes_.lanes) {
        values_.resize(rows.size() * classes_.lanes);
    }
    return sum_rows(packing, units, rows, values_.data());
}

ClassSums NodeUnits::take_signed(const Packing& packing, const NodeUnits& other,
                                 std::span<const std::uint8_t> positive, UnitSum mass) {
    classes_ = other.classes_;
    rows_ = other.rows_;
    values_.resize(rows_.size() * classes_.lanes);
    ClassSums sums(classes_.lanes);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Unit* from = other.row(i);
        Unit* to = values_.data() + i * classes_.lanes;
        for (std::size_t l = 0; l < classes_.lanes; ++l) {
            to[l] = positive[i] != 0 ? from[l] : -from[l];
            sums.edge[l] += to[l];
        }
        if (packing.magnitudes) {
            for (std::size_t l = 0; l < classes_.lanes; ++l) {
                sums.magnitude[l] += to[l] < 0 ? -to[l] : to[l];
            }
        }
    }
    sums.mass = mass;
    return sums;
}

}  // namespace mhb
