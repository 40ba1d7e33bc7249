// UnitMatrix: what the search sees of the weights: rows x searched classes, whole numbers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

struct UnitMatrix {
    AlignedVector<Unit> values;           // n_rows x lanes
    std::vector<std::uint32_t> row_mass;  // n_rows: sum of |unit|
    std::size_t n_columns = 0;            // classes; the rest of the lanes are zero
    std::size_t lanes = 0;

    void resize(std::size_t n_rows, std::size_t columns) {
        n_columns = columns;
        lanes = padded_lanes(columns);
        values.resize(n_rows * lanes);
        row_mass.resize(n_rows);
    }

    [[nodiscard]] std::size_t n_chunks() const { return (lanes + kChunkLanes - 1) / kChunkLanes; }
    [[nodiscard]] std::size_t chunk_lanes(std::size_t chunk) const {
        const std::size_t left = lanes - chunk * kChunkLanes;
        return left < kChunkLanes ? left : kChunkLanes;
    }
    [[nodiscard]] UnitRows rows(std::span<const RowIndex> which, std::size_t chunk) const {
        return {.rows = which.data(),
                .n_rows = which.size(),
                .units = values.data() + chunk * kChunkLanes,
                .stride = lanes,
                .lanes = chunk_lanes(chunk)};
    }
    [[nodiscard]] const Unit* row(RowIndex i) const { return values.data() + i * lanes; }

    [[nodiscard]] UnitSum mass(std::span<const RowIndex> which) const {
        UnitSum sum = 0;
        for (const RowIndex i : which) {
            sum += row_mass[i];
        }
        return sum;
    }
};

// Sums over a set of rows: of units and of their magnitudes a lane, and of everything.
struct ClassSums {
    AlignedVector<Unit> edge;       // T_l
    AlignedVector<Unit> magnitude;  // A_l; all zero where nobody asks (see over)
    UnitSum mass = 0;

    explicit ClassSums(std::size_t lanes = 0) : edge(lanes, 0), magnitude(lanes, 0) {}

    // The sums of a set of rows; whole numbers, so in any order. Only ternary votes need
    // magnitudes.
    static ClassSums over(const Kernels& kernels, const UnitMatrix& units,
                          std::span<const RowIndex> rows, bool magnitudes) {
        ClassSums sums(units.lanes);
        for (std::size_t chunk = 0; chunk < units.n_chunks(); ++chunk) {
            const std::size_t first = chunk * kChunkLanes;
            kernels.sum_rows(units.rows(rows, chunk), sums.edge.data() + first,
                             magnitudes ? sums.magnitude.data() + first : nullptr);
        }
        sums.mass = units.mass(rows);
        return sums;
    }

    // What is left when the rows of `part` are taken out.
    [[nodiscard]] ClassSums minus(const ClassSums& part) const {
        ClassSums rest(edge.size());
        for (std::size_t l = 0; l < edge.size(); ++l) {
            rest.edge[l] = edge[l] - part.edge[l];
            rest.magnitude[l] = magnitude[l] - part.magnitude[l];
        }
        rest.mass = mass - part.mass;
        return rest;
    }

    // Edge of the constant classifier with its best votes.
    [[nodiscard]] UnitSum constant_edge() const {
        UnitSum sum = 0;
        for (const Unit t : edge) {
            sum += t < 0 ? -UnitSum{t} : UnitSum{t};
        }
        return sum;
    }
};

}  // namespace mhb
