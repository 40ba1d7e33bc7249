// What the kernels are given: plain data, safe to pass between code of different instruction sets.
//
// A row's class entries are padded with zeros to `lanes` numbers: 4, 8, or a multiple of 16. Loops
// that keep a row in registers take at most kChunkLanes of them; wider problems call them chunk by
// chunk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace mhb {

inline constexpr std::size_t kChunkLanes = 32;

// Edges of a feature take a multiple of this many places.
inline constexpr std::size_t kEdgePad = 16;

// Lanes that n_columns classes take.
inline std::size_t padded_lanes(std::size_t n_columns) {
    if (n_columns <= 4) {
        return 4;
    }
    return n_columns <= 8 ? 8 : (n_columns + 15) / 16 * 16;
}

// Some rows of a matrix: their numbers, or all from `first` on.
struct RowList {
    const RowIndex* rows;  // null: first, first + 1 ...
    std::size_t first;
    std::size_t n_rows;

    [[nodiscard]] RowList part(std::size_t begin, std::size_t end) const {
        return {rows == nullptr ? nullptr : rows + begin, first + begin, end - begin};
    }
};

// What the units of rows are made of, one chunk of lanes: weights x scale, rounded.
struct UnitSource {
    const Weight* weights;  // of row 0, first lane of the chunk
    float scale;            // units per weight
    std::size_t stride;     // from one row to the next
    std::size_t lanes;      // of the chunk: 4, 8, 16 or 32
};

// Units of the listed rows one after the other, one chunk of lanes of them.
struct PackedRows {
    RowList list;
    const Unit* units;   // of the first listed row, first lane of the chunk
    std::size_t stride;  // from one listed row to the next
    std::size_t lanes;
};

// Where packed units go, and what they are added up to.
struct PackedOut {
    Unit* units;  // may be null
    std::size_t stride;
    Unit* sums;        // sums[l] += unit
    Unit* magnitudes;  // [l] += |unit|; may be null
};

// Columns of bins that are added side by side, with the histogram bin where each begins.
template <class Stored>
struct DenseColumns {
    const Stored* const* bins;
    const std::uint32_t* first_bin;
    std::size_t n_columns;  // 1, 2, 4 or 8
};

struct SparseColumns {
    const std::uint64_t* row_begin;
    const std::uint32_t* entries;
};

// One numeric feature's histogram, n_value_bins x lanes.
struct ScanTask {
    const Unit* histogram;
    const Unit* missing;  // the missing values' bin, or null
    const Unit* total;    // of the node
    std::size_t n_value_bins;
    std::size_t lanes;
    bool add;  // add to the edges found for earlier chunks of classes
};

// Where edges sum_l |T_l - 2 L_l| go: [k] has bins 0..k on the - side, k < n_value_bins - 1. Whole
// vectors are stored: both arrays begin on a cache line and have room for a multiple of kEdgePad.
struct ScanEdges {
    Unit* missing_right;
    Unit* missing_left;  // missing values on the - side too; unused where there are none
};

// The largest of each, -1 where there is none. The last is one number: the missing values alone on
// the - side, over the lanes of this chunk only.
struct LargestEdges {
    Unit missing_right = -1;
    Unit missing_left = -1;
    Unit only_missing = -1;
};

// The matrix of signed weights, rows begin .. end of it.
struct WeightRows {
    const Weight* weights;  // of row 0
    std::size_t lanes;
    std::size_t begin;
    std::size_t end;
};

// Factors of the exponential loss, n_leaves x lanes, for the labels that hold and those that do
// not.
struct UpdateTables {
    const std::uint32_t* leaf_of_row;
    const float* for_positive;
    const float* for_negative;
};

// Where updated weights go, and each row's sum of |unit| if that is wanted (else null).
struct UpdatedRows {
    Weight* weights;
    float scale;  // units per weight
    std::uint32_t* row_mass;
};

// What the leaves of a tree say: for each leaf, words of 64 classes; times alpha.
struct SignVotes {
    const std::uint64_t* positive;  // of leaf 0
    std::size_t n_columns;
    double alpha;
};

// Of the logistic loss: sum of the weights, and of base weight x log(1 + exp(-2 margin)).
struct LogisticSums {
    double weight;
    double loss;
};

}  // namespace mhb
