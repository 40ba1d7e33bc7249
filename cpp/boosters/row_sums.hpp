// Sums of real numbers over rows: pieces of a fixed size in parallel, then piece after piece. The
// same bits on any number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/threads.hpp"

namespace mhb {

inline constexpr std::size_t kSumGrain = 4096;

// The largest power of two by which a sum stays below 2^30.
inline double unit_for(double sum) {
    return sum > 0 ? std::ldexp(1.0, 29 - std::ilogb(std::max(sum, 1e-280))) : 1.0;
}

template <class Body>
double sum_over_rows(ThreadPool& pool, std::size_t n_rows, const Body& body) {
    std::vector<double> piece((n_rows + kSumGrain - 1) / kSumGrain, 0.0);
    parallel_rows(pool, n_rows, kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      double sum = 0;
                      for (std::size_t row = begin; row < end; ++row) {
                          sum += body(row);
                      }
                      piece[begin / kSumGrain] = sum;
                  });
    return std::accumulate(piece.begin(), piece.end(), 0.0);
}

// n_leaves x n_terms: sums of body(term, row) over the rows of each leaf.
template <class Body>
std::vector<double> sum_over_leaves(ThreadPool& pool, const std::vector<std::uint32_t>& leaf_of_row,
                                    std::size_t n_leaves, std::size_t n_terms, const Body& body) {
    const std::size_t size = n_leaves * n_terms;
    const std::size_t n_rows = leaf_of_row.size();
    std::vector<double> pieces((n_rows + kSumGrain - 1) / kSumGrain * size, 0.0);
    parallel_rows(pool, n_rows, kSumGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      double* sums = pieces.data() + begin / kSumGrain * size;
                      for (std::size_t term = 0; term < n_terms; ++term) {
                          for (std::size_t row = begin; row < end; ++row) {
                              sums[leaf_of_row[row] * n_terms + term] += body(term, row);
                          }
                      }
                  });
    for (std::size_t i = size; i < pieces.size(); ++i) {
        pieces[i % size] += pieces[i];
    }
    pieces.resize(size);
    return pieces;
}

}  // namespace mhb
