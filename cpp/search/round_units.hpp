// RoundUnits: what a round's search sees of the weights: rows x searched classes, whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "kernels/kernels.hpp"

namespace mhb {

// Searched classes in chunks of registers.
struct ClassLanes {
    std::size_t n_columns = 0;  // classes; the rest of the lanes are zero
    std::size_t lanes = 0;

    ClassLanes() = default;
    explicit ClassLanes(std::size_t columns) : n_columns(columns), lanes(padded_lanes(columns)) {}

    [[nodiscard]] std::size_t n_chunks() const { return (lanes + kChunkLanes - 1) / kChunkLanes; }
    [[nodiscard]] std::size_t chunk_lanes(std::size_t chunk) const {
        const std::size_t left = lanes - chunk * kChunkLanes;
        return left < kChunkLanes ? left : kChunkLanes;
    }
    bool operator==(const ClassLanes&) const = default;
};

// Units are made of the weights as they are read: of all classes, or of a copy of some. Owns the
// copy and the rows' masses, not the weights.
struct RoundUnits {
    ClassLanes classes;
    std::size_t n_rows = 0;
    const Weight* weights = nullptr;      // n_rows x lanes
    float scale = 0;                      // units per weight
    AlignedVector<Weight> sampled;        // the copy, if there is one: n_rows x lanes
    std::vector<std::uint32_t> row_mass;  // n_rows: sum of |unit|

    [[nodiscard]] UnitSource source(std::size_t chunk) const {
        return {.weights = weights + chunk * kChunkLanes,
                .scale = scale,
                .stride = classes.lanes,
                .lanes = classes.chunk_lanes(chunk)};
    }
};

}  // namespace mhb
