#include "data/raw_matrix.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace mhb {
namespace {

template <class T>
struct ReadAs {
    double operator()(const std::byte* address) const {
        T value;
        std::memcpy(&value, address, sizeof(T));
        return static_cast<double>(value);
    }
};

// Calls visit(reader) with the reader of this type, so that the switch is outside the loops.
template <class Visit>
void with_reader(DType dtype, const Visit& visit) {
    switch (dtype) {
        case DType::Bool:
        case DType::U8: return visit(ReadAs<std::uint8_t>{});
        case DType::I8: return visit(ReadAs<std::int8_t>{});
        case DType::I16: return visit(ReadAs<std::int16_t>{});
        case DType::I32: return visit(ReadAs<std::int32_t>{});
        case DType::I64: return visit(ReadAs<std::int64_t>{});
        case DType::U16: return visit(ReadAs<std::uint16_t>{});
        case DType::U32: return visit(ReadAs<std::uint32_t>{});
        case DType::U64: return visit(ReadAs<std::uint64_t>{});
        case DType::F32: return visit(ReadAs<float>{});
        case DType::F64: return visit(ReadAs<double>{});
    }
}

void check_compressed(const CompressedView& view, std::size_t n_minor) {
    if (view.indptr.empty() || view.indptr.front() != 0 ||
        view.indptr.back() != static_cast<std::int64_t>(view.indices.size()) ||
        view.indices.size() != view.data.size() || !std::ranges::is_sorted(view.indptr)) {
        throw std::invalid_argument("sparse matrix: indptr, indices and data do not fit together");
    }
    for (const std::int32_t index : view.indices) {
        if (index < 0 || static_cast<std::size_t>(index) >= n_minor) {
            throw std::invalid_argument("sparse matrix: index " + std::to_string(index) +
                                        " is outside 0.." + std::to_string(n_minor));
        }
    }
}

}  // namespace

RawMatrix RawMatrix::dense(std::size_t n_rows, std::vector<ColumnView> columns) {
    RawMatrix matrix;
    matrix.n_rows_ = n_rows;
    matrix.n_features_ = columns.size();
    matrix.columns_ = std::move(columns);
    return matrix;
}

RawMatrix RawMatrix::sparse_columns(std::size_t n_rows, CompressedView view) {
    check_compressed(view, n_rows);
    RawMatrix matrix;
    matrix.n_rows_ = n_rows;
    matrix.n_features_ = view.indptr.size() - 1;
    matrix.layout_ = Layout::SparseColumns;
    matrix.compressed_ = view;
    return matrix;
}

RawMatrix RawMatrix::sparse_rows(std::size_t n_features, CompressedView view) {
    check_compressed(view, n_features);
    RawMatrix matrix;
    matrix.n_rows_ = view.indptr.size() - 1;
    matrix.n_features_ = n_features;
    matrix.layout_ = Layout::SparseRows;
    matrix.compressed_ = view;
    return matrix;
}

void RawMatrix::read_column(std::size_t feature, std::size_t begin, std::size_t end,
                            double* out) const {
    const ColumnView& column = columns_.at(feature);
    const std::byte* address = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
    with_reader(column.dtype, [&](const auto& read) {
        for (std::size_t i = 0; i < end - begin; ++i, address += column.stride) {
            out[i] = read(address);
        }
    });
}

void RawMatrix::read_column(std::size_t feature, std::span<const std::uint32_t> rows,
                            double* out) const {
    const ColumnView& column = columns_.at(feature);
    with_reader(column.dtype, [&](const auto& read) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            out[i] = read(column.data + static_cast<std::ptrdiff_t>(rows[i]) * column.stride);
        }
    });
}

void RawMatrix::read_rows(std::size_t begin, std::size_t end,
                          std::span<const std::uint32_t> features,
                          std::span<const std::int32_t> slot, double* out) const {
    const std::size_t width = features.size();
    if (layout_ == Layout::SparseRows) {
        std::fill_n(out, (end - begin) * width, 0.0);
        for (std::size_t row = begin; row < end; ++row) {
            double* target = out + (row - begin) * width;
            const auto first = static_cast<std::size_t>(compressed_.indptr[row]);
            const auto last = static_cast<std::size_t>(compressed_.indptr[row + 1]);
            for (std::size_t entry = first; entry < last; ++entry) {
                const auto feature = static_cast<std::size_t>(compressed_.indices[entry]);
                if (slot[feature] >= 0) {
                    target[slot[feature]] = compressed_.data[entry];
                }
            }
        }
        return;
    }
    if (layout_ != Layout::Dense) {
        throw std::invalid_argument("rows can only be read from a dense or row-compressed matrix");
    }
    for (std::size_t k = 0; k < width; ++k) {
        const ColumnView& column = columns_[features[k]];
        const std::byte* address = column.data + static_cast<std::ptrdiff_t>(begin) * column.stride;
        with_reader(column.dtype, [&](const auto& read) {
            for (std::size_t i = 0; i < end - begin; ++i, address += column.stride) {
                out[i * width + k] = read(address);
            }
        });
    }
}

}  // namespace mhb
