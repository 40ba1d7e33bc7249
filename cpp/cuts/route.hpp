// route: the leaf of each row in a tree of cuts. Rows go down together, node by node, as in
// training: one cut's table of answers serves them all.
#pragma once

#include <cstdint>
#include <span>

#include "base/threads.hpp"
#include "cuts/cut.hpp"

namespace mhb {

// Children are nodes (>= 0) or leaves (~leaf).
struct CutNode {
    const Cut* cut = nullptr;
    std::int32_t left = 0;
    std::int32_t right = 0;
};

// leaf_of_row[row] is set for these rows. No nodes: leaf 0.
void route(std::span<const CutNode> nodes, const BinnedMatrix& matrix,
           std::span<const RowIndex> rows, ThreadPool& pool, std::uint32_t* leaf_of_row);

// The same for all rows of the matrix.
void route(std::span<const CutNode> nodes, const BinnedMatrix& matrix, ThreadPool& pool,
           std::uint32_t* leaf_of_row);

}  // namespace mhb
