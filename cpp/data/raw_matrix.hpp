// RawMatrix: a borrowed view of the user's numbers, of any type and stride, dense or sparse.
//
// It owns nothing; whoever makes one keeps the arrays alive. Values are read as double, in blocks,
// so that no copy of the whole matrix is ever made. NaN is a missing value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mhb {

enum class DType : std::uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 };

struct ColumnView {
    const std::byte* data = nullptr;
    std::ptrdiff_t stride = 0;  // in bytes, from one row to the next
    DType dtype = DType::F64;
};

// One compressed axis (columns for CSC, rows for CSR), sorted indices along the other.
struct CompressedView {
    std::span<const std::int64_t> indptr;
    std::span<const std::int32_t> indices;
    std::span<const double> data;
};

enum class Layout : std::uint8_t { Dense, SparseColumns, SparseRows };

class RawMatrix {
public:
    static RawMatrix dense(std::size_t n_rows, std::vector<ColumnView> columns);
    static RawMatrix sparse_columns(std::size_t n_rows, CompressedView view);
    static RawMatrix sparse_rows(std::size_t n_features, CompressedView view);

    [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
    [[nodiscard]] std::size_t n_features() const { return n_features_; }
    [[nodiscard]] Layout layout() const { return layout_; }
    [[nodiscard]] const CompressedView& compressed() const { return compressed_; }

    // Dense only: out[i] = value of row begin + i.
    void read_column(std::size_t feature, std::size_t begin, std::size_t end, double* out) const;

    // Dense only: out[i] = value of row rows[i].
    void read_column(std::size_t feature, std::span<const std::uint32_t> rows, double* out) const;

    // Dense or sparse rows: out[(row - begin) * features.size() + k] = value of features[k].
    // `slot` (one entry a feature, -1 for those not asked for) is the inverse of `features`.
    void read_rows(std::size_t begin, std::size_t end, std::span<const std::uint32_t> features,
                   std::span<const std::int32_t> slot, double* out) const;

private:
    std::size_t n_rows_ = 0;
    std::size_t n_features_ = 0;
    Layout layout_ = Layout::Dense;
    std::vector<ColumnView> columns_;
    CompressedView compressed_;
};

}  // namespace mhb
