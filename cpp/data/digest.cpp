// The sum over rows and features of a(row) * b(feature, bin), modulo 2^64, with random a and b.
// A background bin adds sum(a) * b for all rows at once, so that sparse storage costs its entries.
#include "data/digest.hpp"

#include <numeric>
#include <vector>

namespace mhb {
namespace {

// splitmix64's finaliser (Steele, Lea & Flood 2014).
std::uint64_t mix(std::uint64_t z) {
    z += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

using Numbers = std::vector<std::uint64_t>;

// b(feature, bin) of all its bins: values, missing, unseen.
Numbers numbers_of(const BinnedMatrix& matrix, std::size_t feature, std::uint64_t seed) {
    Numbers numbers(matrix.feature(feature).value_bins + 2);
    for (std::size_t bin = 0; bin < numbers.size(); ++bin) {
        numbers[bin] = mix(mix(mix(seed) + feature) + bin);
    }
    return numbers;
}

template <class Column>
std::uint64_t sum_column(const Column& column, const Numbers& of_bin, const Numbers& of_row) {
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < column.size(); ++row) {
        sum += of_row[row] * of_bin[column[row]];
    }
    return sum;
}

std::uint64_t sum_group(const BinnedMatrix& matrix, const SparseGroup& group, const Numbers& of_row,
                        std::uint64_t all_rows, std::uint64_t seed) {
    Numbers of_entry;  // what it adds to its background
    std::uint64_t backgrounds = 0;
    for (std::size_t k = 0; k < group.features.size(); ++k) {
        const Numbers of_bin = numbers_of(matrix, group.features[k], seed);
        const std::uint64_t background = of_bin[group.background[k] - group.offset[k]];
        backgrounds += background;
        for (const std::uint64_t number : of_bin) {
            of_entry.push_back(number - background);
        }
    }
    std::uint64_t sum = backgrounds * all_rows;
    for (std::size_t row = 0; row < of_row.size(); ++row) {
        std::uint64_t of_this_row = 0;
        for (std::uint64_t i = group.row_begin[row]; i < group.row_begin[row + 1]; ++i) {
            of_this_row += of_entry[group.entries[i]];
        }
        sum += of_row[row] * of_this_row;
    }
    return sum;
}

}  // namespace

std::uint64_t digest(const BinnedMatrix& matrix, std::uint64_t seed) {
    Numbers of_row(matrix.n_rows());
    for (std::size_t row = 0; row < of_row.size(); ++row) {
        of_row[row] = mix(mix(~seed) + row);
    }
    const std::uint64_t all_rows = std::accumulate(of_row.begin(), of_row.end(), std::uint64_t{0});
    std::uint64_t sum = 0;
    std::vector<bool> group_done(matrix.n_groups(), false);
    for (std::size_t j = 0; j < matrix.n_features(); ++j) {
        const BinnedMatrix::Place& place = matrix.place(j);
        if (place.storage == Storage::Sparse) {
            if (!group_done[place.group]) {
                sum += sum_group(matrix, matrix.group(place.group), of_row, all_rows, seed);
                group_done[place.group] = true;
            }
            continue;
        }
        const Numbers of_bin = numbers_of(matrix, j, seed);
        const DenseColumn& column = matrix.column(j);
        sum += place.storage == Storage::Narrow ? sum_column(column.narrow, of_bin, of_row)
                                                : sum_column(column.wide, of_bin, of_row);
    }
    return sum;
}

}  // namespace mhb
