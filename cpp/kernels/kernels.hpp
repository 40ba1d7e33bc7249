// The hot loops, as plain functions over plain data.
//
// One text (`loops.inl`) is compiled once per instruction set, each time in a namespace of its own;
// a table of pointers is picked at first use. Vectors run over classes, never over rows: all sums
// are whole numbers, and floating-point work is element by element, so every table gives the same
// bits. MHBOOST_KERNEL=baseline|avx2|avx512 forces one.
#pragma once

#include <string>
#include <vector>

#include "kernels/arguments.hpp"
#include "kernels/gain_arguments.hpp"

namespace mhb {

struct Kernels {
    const char* name;

    // Copies the units of rows next to each other and adds them up.
    void (*pack)(const RowList&, const UnitSource&, const PackedOut&);

    // histogram[bin] += units of each row, for each column. The histogram has `lanes` units a bin.
    void (*accumulate_narrow)(const PackedRows&, const DenseColumns<std::uint8_t>&,
                              Unit* histogram);
    void (*accumulate_wide)(const PackedRows&, const DenseColumns<std::uint16_t>&, Unit* histogram);
    void (*accumulate_sparse)(const PackedRows&, const SparseColumns&, Unit* histogram);

    LargestEdges (*scan)(const ScanTask&, const ScanEdges&);

    // difference[i] = whole[i] - part[i]; in place where difference == whole.
    void (*subtract)(const Unit* whole, const Unit* part, std::size_t n, Unit* difference);

    // Each row's sum of |unit|, where units = round(weights * scale).
    void (*row_masses)(const WeightRows&, float scale, std::uint32_t* row_mass);

    // Sums of units per leaf: sums, magnitudes are n_leaves x lanes.
    void (*leaf_sums)(const WeightRows&, float scale, const std::uint32_t* leaf_of_row, Unit* sums,
                      Unit* magnitudes);

    // out.weights = weights x factor of (leaf, class, sign of weight), and their masses in units;
    // returns the sum of |weight|. In place is fine.
    double (*update)(const WeightRows&, const UpdateTables&, const UpdatedRows& out);

    // Logistic loss: margins += step of (leaf, class) x sign of weight; out = weight x sigmoid(-2
    // margin).
    LogisticSums (*logistic)(const WeightRows& initial, const std::uint32_t* leaf_of_row,
                             const float* step, float* margins, Weight* out);

    // scores (n_rows x n_columns) += alpha x the votes of each row's leaf.
    void (*add_signs)(const SignVotes&, const std::uint32_t* leaf_of_row, std::size_t n_rows,
                      double* scores);

    // values[k]: sum over classes of G^2 / H on both sides of the cut after bin k; returns that of
    // no cut. Half of a chunk's lanes are gradients, the other half curvatures.
    double (*newton_values)(const GainTask&, double* values);

    // The same with sum_l L_l^2 / W, W in the last lane of each chunk.
    double (*gini_values)(const GainTask&, double* values);

    // The same with sum_l (sqrt A_l - sqrt B_l)^2, A and B in the halves of each chunk.
    double (*hellinger_values)(const GainTask&, double* values);

    void (*softmax)(const ScoreRows&, const ProbabilityRows&);
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
