// The hot loops, as plain functions over plain data.
//
// One text (`loops.inl`) is compiled once per instruction set, each time in a namespace of its own;
// a table of pointers is picked at first use. Vectors run over classes, never over rows: all sums
// are whole numbers, and floating-point work is element by element, so every table gives the same
// bits. MHBOOST_KERNEL=baseline|avx2|avx512 forces one.
//
// A row's class entries are padded with zeros to `lanes` numbers: 4, 8, or a multiple of 16. Loops
// that keep a row in registers take at most kChunkLanes of them; wider problems call them chunk by
// chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace mhb {

inline constexpr std::size_t kChunkLanes = 32;

// Lanes that n_columns classes take.
inline std::size_t padded_lanes(std::size_t n_columns) {
    if (n_columns <= 4) {
        return 4;
    }
    return n_columns <= 8 ? 8 : (n_columns + 15) / 16 * 16;
}

// Some rows of a matrix of units, one chunk of lanes of them.
struct UnitRows {
    const RowIndex* rows;
    std::size_t n_rows;
    const Unit* units;   // of row 0, first lane of the chunk
    std::size_t stride;  // units from one row to the next
    std::size_t lanes;   // of the chunk: 4, 8, 16, 32, 48 or 64
};

// The columns of a dense group that are searched, with the histogram bin where each begins.
template <class Stored>
struct DenseColumns {
    const Stored* bins;
    std::size_t width;  // of a row of the group
    const std::uint32_t* column;
    const std::uint32_t* first_bin;
    std::size_t n_columns;
};

struct SparseColumns {
    const std::uint64_t* row_begin;
    const std::uint32_t* entries;
};

// One numeric feature's histogram, n_value_bins x lanes; see ScanEdges for what comes out.
struct ScanTask {
    const Unit* histogram;
    const Unit* missing;  // the missing values' bin, or null
    const Unit* total;    // of the node
    std::size_t n_value_bins;
    std::size_t lanes;
    bool add;  // add to the edges found for earlier chunks of classes
};

// Edges sum_l |T_l - 2 L_l|, over the lanes of a chunk.
struct ScanEdges {
    Unit* missing_right;  // [k]: bins 0..k on the - side, k < n_value_bins - 1
    Unit* missing_left;   // the same with the missing values on the - side; null without missing
                          // values
    Unit* only_missing;   // one number: the missing values alone on the - side
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

// Where updated weights go, and their units and rows' masses if those are wanted (else null).
struct UpdatedRows {
    Weight* weights;
    float scale;  // units per weight
    Unit* units;
    std::uint32_t* row_mass;
};

// Of the logistic loss: sum of the weights, and of base weight x log(1 + exp(-2 margin)).
struct LogisticSums {
    double weight;
    double loss;
};

struct Kernels {
    const char* name;

    // histogram[bin] += units of each row, for each column. The histogram has `lanes` units a bin.
    void (*accumulate_narrow)(const UnitRows&, const DenseColumns<std::uint8_t>&, Unit* histogram);
    void (*accumulate_wide)(const UnitRows&, const DenseColumns<std::uint16_t>&, Unit* histogram);
    void (*accumulate_sparse)(const UnitRows&, const SparseColumns&, Unit* histogram);

    void (*scan)(const ScanTask&, const ScanEdges&);

    // difference[i] = whole[i] - part[i]; in place where difference == whole.
    void (*subtract)(const Unit* whole, const Unit* part, std::size_t n, Unit* difference);

    // sums[l] += unit, magnitudes[l] += |unit| (unless null), over the rows.
    void (*sum_rows)(const UnitRows&, Unit* sums, Unit* magnitudes);

    // units = round(weights * scale), and each row's sum of |unit|.
    void (*quantise)(const WeightRows&, float scale, Unit* units, std::uint32_t* row_mass);

    // The same into sums per leaf, without storing units: sums, magnitudes are n_leaves x lanes.
    void (*leaf_sums)(const WeightRows&, float scale, const std::uint32_t* leaf_of_row, Unit* sums,
                      Unit* magnitudes);

    // out.weights = weights x factor of (leaf, class, sign of weight), quantised in the same pass;
    // returns the sum of |weight|. In place is fine.
    double (*update)(const WeightRows&, const UpdateTables&, const UpdatedRows& out);

    // Logistic loss: margins += step of (leaf, class) x sign of weight; out = weight x sigmoid(-2
    // margin).
    LogisticSums (*logistic)(const WeightRows& initial, const std::uint32_t* leaf_of_row,
                             const float* step, float* margins, Weight* out);
};

// Tables that this processor can run, best first.
const std::vector<const Kernels*>& usable_kernels();

// The table in use: MHBOOST_KERNEL or the best. Throws std::invalid_argument for a bad name.
const Kernels& active_kernels();

// What each instruction set's file offers.
const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace mhb
