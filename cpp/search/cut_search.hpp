// What every learner of cuts answers to: the best cut for a set of rows.
#pragma once

#include <cstdint>
#include <span>

#include "cuts/cut.hpp"
#include "search/unit_matrix.hpp"

namespace mhb {

// All histograms of a node's features one after the other; see StumpSearch for who keeps one.
using NodeHistogram = AlignedVector<Unit>;

// A question to the search. Rows, units and sums belong to the asker.
struct CutQuery {
    std::span<const RowIndex> rows;
    const UnitMatrix* units = nullptr;
    const ClassSums* sums = nullptr;          // over these rows
    std::span<const std::uint32_t> features;  // to be searched, rising
    NodeHistogram* histogram = nullptr;       // keep the histogram here, if not null
    const NodeHistogram* sibling = nullptr;   // `histogram` is the parent's: subtract this one
};

struct FoundCut {
    Cut cut;
    UnitSum edge =
        0;  // with its best votes: discrete, or ternary ones (real votes search as discrete)
    double energy = 0;  // with its best ternary votes; set when votes are ternary
};

class CutSearch {
public:
    virtual ~CutSearch() = default;
    virtual FoundCut search(const CutQuery& query) = 0;
    // Units that a node's kept histogram takes, or 0 if this search cannot use one.
    [[nodiscard]] virtual std::size_t histogram_size(
        const UnitMatrix& units, std::span<const std::uint32_t> features) const = 0;
};

}  // namespace mhb
