// UnitMatrix: what the search sees of the weights: rows x searched classes, whole numbers.
#pragma once

#include <cstddef>
#include <span>

#include "base/aligned.hpp"
#include "base/types.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

struct UnitMatrix {
    AlignedVector<Unit> values;  // n_rows x lanes
    std::size_t n_columns = 0;   // classes; the rest of the lanes are zero
    std::size_t lanes = 0;

    void resize(std::size_t n_rows, std::size_t columns) {
        n_columns = columns;
        lanes = padded_lanes(columns);
        values.resize(n_rows * lanes);
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
};

// Sums of units and of their magnitudes over a set of rows, one number a lane.
struct ClassSums {
    AlignedVector<Unit> edge;       // T_l
    AlignedVector<Unit> magnitude;  // A_l

    explicit ClassSums(std::size_t lanes = 0) : edge(lanes, 0), magnitude(lanes, 0) {}

    // The sums of a set of rows; whole numbers, so in any order.
    static ClassSums over(const Kernels& kernels, const UnitMatrix& units,
                          std::span<const RowIndex> rows) {
        ClassSums sums(units.lanes);
        for (std::size_t chunk = 0; chunk < units.n_chunks(); ++chunk) {
            kernels.sum_rows(units.rows(rows, chunk), sums.edge.data() + chunk * kChunkLanes,
                             sums.magnitude.data() + chunk * kChunkLanes);
        }
        return sums;
    }

    // What is left when the rows of `part` are taken out.
    [[nodiscard]] ClassSums minus(const ClassSums& part) const {
        ClassSums rest(edge.size());
        for (std::size_t l = 0; l < edge.size(); ++l) {
            rest.edge[l] = edge[l] - part.edge[l];
            rest.magnitude[l] = magnitude[l] - part.magnitude[l];
        }
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
    [[nodiscard]] UnitSum mass() const {
        UnitSum sum = 0;
        for (const Unit a : magnitude) {
            sum += a;
        }
        return sum;
    }
};

}  // namespace mhb
