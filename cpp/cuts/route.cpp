#include "cuts/route.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "cuts/decide.hpp"

namespace mhb {
namespace {

// Rows that go down together: enough for a table of answers, few enough for the cache.
constexpr std::size_t kRowGrain = 8192;

struct Stretch {
    std::int32_t link;
    std::size_t begin;
    std::size_t end;
};

// Sends a piece of rows down; their order is lost.
class Piece {
public:
    Piece(std::span<const CutNode> nodes, const BinnedMatrix& matrix, std::vector<RowIndex> rows)
        : nodes_(nodes),
          matrix_(matrix),
          rows_(std::move(rows)),
          scratch_(rows_.size()),
          sides_(rows_.size()) {}

    void route(std::uint32_t* leaf_of_row) {
        std::vector<Stretch> open = {{nodes_.empty() ? ~0 : 0, 0, rows_.size()}};
        while (!open.empty()) {
            const Stretch at = open.back();
            open.pop_back();
            if (at.link < 0) {
                for (std::size_t i = at.begin; i < at.end; ++i) {
                    leaf_of_row[rows_[i]] = static_cast<std::uint32_t>(~at.link);
                }
            } else if (at.begin < at.end) {
                const CutNode& node = nodes_[static_cast<std::size_t>(at.link)];
                const std::size_t middle = split(*node.cut, at.begin, at.end);
                open.push_back({node.left, at.begin, middle});
                open.push_back({node.right, middle, at.end});
            }
        }
    }

private:
    std::size_t split(const Cut& cut, std::size_t begin, std::size_t end) {
        decide(cut, matrix_, {rows_.data() + begin, end - begin}, sides_.data());
        std::size_t left = begin;
        std::size_t right = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const RowIndex row = rows_[i];
            const std::uint8_t side = sides_[i - begin];
            rows_[left] = row;
            scratch_[right] = row;
            left += 1U - side;
            right += side;
        }
        std::copy_n(scratch_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
        return left;
    }

    std::span<const CutNode> nodes_;
    const BinnedMatrix& matrix_;
    std::vector<RowIndex> rows_;
    std::vector<RowIndex> scratch_;
    std::vector<std::uint8_t> sides_;
};

}  // namespace

void route(std::span<const CutNode> nodes, const BinnedMatrix& matrix,
           std::span<const RowIndex> rows, ThreadPool& pool, std::uint32_t* leaf_of_row) {
    parallel_rows(pool, rows.size(), kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      const auto piece = rows.subspan(begin, end - begin);
                      Piece(nodes, matrix, {piece.begin(), piece.end()}).route(leaf_of_row);
                  });
}

void route(std::span<const CutNode> nodes, const BinnedMatrix& matrix, ThreadPool& pool,
           std::uint32_t* leaf_of_row) {
    parallel_rows(pool, matrix.n_rows(), kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      std::vector<RowIndex> piece(end - begin);
                      std::iota(piece.begin(), piece.end(), static_cast<RowIndex>(begin));
                      Piece(nodes, matrix, std::move(piece)).route(leaf_of_row);
                  });
}

}  // namespace mhb
