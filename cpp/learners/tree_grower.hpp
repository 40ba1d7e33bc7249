// TreeGrower: the paper's Figure 2. A priority queue of leaves, each with its best cut at hand;
// the leaf that gains most over the vote it would inherit is cut next, N times.
//
//   rows of the tree   | a a a a a a a a a a a a |      one index array, a node is a stretch of it
//   after one cut      | l l l l l | r r r r r r r |    stable, so neighbours in memory stay so
//
// Cost: a search per leaf, O(n K d) each at most; the queue is free beside that.
#pragma once

#include <queue>
#include <vector>

#include "base/interruption.hpp"
#include "base/random.hpp"
#include "learners/options.hpp"
#include "learners/tree.hpp"
#include "search/product_search.hpp"
#include "weights/signed_weights.hpp"

namespace mhb {

// Where a node's lanes depend on the node: sets them, just before the node is searched.
class NodeLanes {
public:
    NodeLanes() = default;
    virtual ~NodeLanes() = default;
    NodeLanes(const NodeLanes&) = delete;
    NodeLanes& operator=(const NodeLanes&) = delete;
    virtual void prepare(std::span<const RowIndex> rows) = 0;
};

class TreeGrower {
public:
    TreeGrower(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool,
               const Options& options);

    // The rows that the next tree is grown on, to be set before; growing puts them in its order.
    std::vector<RowIndex>& rows() { return rows_; }

    // Grows a tree. `draw` tells its random draws from those of others. `leaf_of_row` (one entry a
    // row of the matrix) is set for all rows.
    Tree grow(const RoundUnits& units, std::uint64_t draw, const ShouldStop& should_stop,
              std::vector<std::uint32_t>& leaf_of_row);

    // From now on, lanes are set node by node; null: they are what they are.
    void use(NodeLanes* lanes) { node_lanes_ = lanes; }

    // Sums of the searched units over the leaves of the tree grown last; without magnitudes.
    [[nodiscard]] LeafSums leaf_sums(std::size_t lanes) const;

private:
    // A leaf of the growing tree, with its best cut once that was searched.
    struct Leaf {
        std::size_t begin = 0;  // its stretch of rows_
        std::size_t end = 0;
        ClassSums sums;
        FoundCut found;
        double key = 0;  // edge of the found cut minus edge of the inherited vote, or its gain
        std::int32_t parent = -1;  // inner node
        bool right_side = false;
        bool searched = false;
        bool cut = false;         // became an inner node
        bool corrected = false;   // its cut was the constant
        NodeHistogram histogram;  // empty unless kept
    };
    // Which of the leaf's features are searched, and in what randomness.
    struct Round {
        const RoundUnits* units = nullptr;
        std::vector<std::uint32_t> features;
        RandomStream node_draws{0, 0, Draw::NodeFeatures};
    };

    [[nodiscard]] std::span<const RowIndex> rows_of(const Leaf& leaf) const {
        return {rows_.data() + leaf.begin, leaf.end - leaf.begin};
    }
    void sum_root(Round& round, Leaf& root);
    void sum_children(Round& round, Leaf& parent, Leaf& small, Leaf& large, bool to_be_searched);
    [[nodiscard]] ClassSums take_node(const Round& round, const Leaf& leaf);
    void find_cut(Round& round, Leaf& leaf);
    void enqueue(std::size_t leaf, UnitSum inherited_edge);
    [[nodiscard]] bool by_gain() const { return options_.gain.criterion != Criterion::Edge; }
    void cut_leaf(Round& round, Tree& tree, std::size_t index, bool search_children_too);
    [[nodiscard]] std::size_t partition(const Leaf& leaf, const Cut& cut);
    void release(NodeHistogram& histogram);
    void remember_unknown_side(const Round& round, const Leaf& leaf, Cut& cut,
                               bool heavier_right) const;
    [[nodiscard]] std::vector<std::int8_t> node_votes(const ClassSums& left, const ClassSums& right,
                                                      std::size_t n_columns) const;
    void number_leaves(Tree& tree, std::vector<std::uint32_t>& leaf_of_row);
    void route_the_others(const Tree& tree, std::vector<std::uint32_t>& leaf_of_row);
    NodeHistogram take_buffer(std::size_t size);

    const BinnedMatrix& matrix_;
    ThreadPool& pool_;
    Options options_;
    Packing packing_;
    StumpSearch stumps_;
    ProductSearch products_;
    CutSearch& search_;
    NodeLanes* node_lanes_ = nullptr;
    NodeUnits node_units_;  // of the leaf that is searched next, if it has no histogram
    std::vector<RowIndex> rows_;
    std::vector<RowIndex> scratch_;
    std::vector<std::uint8_t> right_;  // per row of the leaf being cut
    std::vector<Leaf> leaves_;
    std::priority_queue<std::pair<double, std::int64_t>>
        queue_;                           // key, minus the leaf: older first
    std::vector<NodeHistogram> buffers_;  // free ones, to use again
};

}  // namespace mhb
