// NodeUnits: the units of a node's rows, next to each other, and their sums.
//
//   weights   . . a . b . . c . d       the node's rows lie anywhere
//   packed    a b c d                   read again and again, by every block of features
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/threads.hpp"
#include "search/round_units.hpp"

namespace mhb {

// Sums over a set of rows: of units and of their magnitudes a lane, and of everything.
struct ClassSums {
    AlignedVector<Unit> edge;       // T_l
    AlignedVector<Unit> magnitude;  // A_l; all zero where nobody asks
    UnitSum mass = 0;

    explicit ClassSums(std::size_t lanes = 0) : edge(lanes, 0), magnitude(lanes, 0) {}

    void add(const ClassSums& other);
    // What is left when the rows of `part` are taken out.
    [[nodiscard]] ClassSums minus(const ClassSums& part) const;
    // Edge of the constant classifier with its best votes.
    [[nodiscard]] UnitSum constant_edge() const;
};

// Where rows are packed, and whether magnitudes are summed (only ternary votes need them).
struct Packing {
    const Kernels& kernels;
    ThreadPool& pool;
    bool magnitudes = false;
};

// The sums of a set of rows; whole numbers, so in any order. `packed` (row by row, all lanes) may
// be null.
ClassSums sum_rows(const Packing& packing, const RoundUnits& units, std::span<const RowIndex> rows,
                   Unit* packed = nullptr);

// The same on one thread.
ClassSums sum_some_rows(const Packing& packing, const RoundUnits& units,
                        std::span<const RowIndex> rows, Unit* packed);

class NodeUnits {
public:
    // Packs these rows, which must stay where they are.
    ClassSums take(const Packing& packing, const RoundUnits& units, std::span<const RowIndex> rows);

    // Takes the rows of another, each multiplied by +1 (positive[i] != 0) or -1; returns their
    // sums.
    ClassSums take_signed(const Packing& packing, const NodeUnits& other,
                          std::span<const std::uint8_t> positive, UnitSum mass);

    [[nodiscard]] const ClassLanes& classes() const { return classes_; }
    [[nodiscard]] std::span<const RowIndex> rows() const { return rows_; }
    [[nodiscard]] const Unit* row(std::size_t i) const {
        return values_.data() + i * classes_.lanes;
    }
    [[nodiscard]] PackedRows chunk(std::size_t chunk) const {
        return {.list = {.rows = rows_.data(), .first = 0, .n_rows = rows_.size()},
                .units = values_.data() + chunk * kChunkLanes,
                .stride = classes_.lanes,
                .lanes = classes_.chunk_lanes(chunk)};
    }

private:
    ClassLanes classes_;
    std::span<const RowIndex> rows_;
    AlignedVector<Unit> values_;  // rows x lanes
};

}  // namespace mhb
