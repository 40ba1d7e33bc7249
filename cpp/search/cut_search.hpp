// What every learner of cuts answers to: the best cut for a set of rows.
#pragma once

#include <cstdint>
#include <span>

#include "cuts/cut.hpp"
#include "search/node_units.hpp"

namespace mhb {

// All histograms of a node's features one after the other; see BlockPlan for the order.
using NodeHistogram = AlignedVector<Unit>;

// A question to the search. All of it belongs to the asker.
struct CutQuery {
    ClassLanes classes;
    const ClassSums* sums = nullptr;                   // over the node's rows
    std::span<const std::uint32_t> features;           // to be searched, rising
    const NodeHistogram* histogram = nullptr;          // of the node, if it is at hand
    std::span<const std::uint32_t> in_histogram = {};  // the features that it is of; else
    const NodeUnits* units = nullptr;                  // the node's rows, to make one
};

struct FoundCut {
    Cut cut;
    UnitSum edge =
        0;  // with its best votes: discrete, or ternary ones (real votes search as discrete)
    double energy = 0;  // with its best ternary votes; set when votes are ternary
    double gain = 0;    // over the uncut node, in units; set where a rule of gains compares cuts
};

class CutSearch {
public:
    virtual ~CutSearch() = default;
    virtual FoundCut search(const CutQuery& query) = 0;
};

}  // namespace mhb
