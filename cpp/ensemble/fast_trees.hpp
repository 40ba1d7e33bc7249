// FastTrees: trees of single-threshold cuts, laid out for batches of rows.
//
// Several rows step down the same tree side by side, without a branch: a leaf is a node that leads
// to itself, and everybody takes as many steps as the tree is deep. The rows' loads overlap, and no
// exit is mispredicted. Trees with categories or products are not fast; they are walked row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ensemble/arrays.hpp"

namespace mhb {

struct FastNode {
    double threshold = 0;
    std::uint32_t feature = 0;
    std::uint32_t missing_right = 0;
    std::int32_t next[2] = {0, 0};  // left, right; within the tree
};

class FastTrees {
public:
    // Rows of one tree, or trees of one row, that step together.
    static constexpr std::size_t kSideBySide = 8;

    // Adds the next tree: `n_leaves` leaves and these nodes. Places: inner nodes, then leaves.
    void append(std::span<const FlatNode> nodes, std::size_t n_leaves,
                const std::vector<FlatTerm>& terms);
    void truncate(std::size_t n_trees);

    [[nodiscard]] bool is_fast(std::size_t tree) const { return depth_[tree] != kSlow; }

    // The same for kSideBySide trees from this one on.
    [[nodiscard]] bool are_fast(std::size_t tree) const;

    // leaf[i] of kSideBySide rows of values, `width` apart; slot says where a feature's value is.
    void find_leaves(std::size_t tree, const double* values, std::size_t width,
                     const std::int32_t* slot, std::uint32_t* leaf) const;

    // leaf[i] of one row (a value a feature) in kSideBySide trees from this one on.
    void find_leaves_of_row(std::size_t tree, const double* values, std::uint32_t* leaf) const;

private:
    [[nodiscard]] static std::int32_t step(const FastNode& node, double value) {
        // As numbers, not as conditions: a branch here would be mispredicted half the time.
        const auto right = static_cast<std::uint32_t>(value >= node.threshold);
        const auto left = static_cast<std::uint32_t>(value < node.threshold);
        const std::uint32_t missing = 1U ^ (right | left);
        return node.next[right | (missing & node.missing_right)];
    }

    static constexpr std::uint32_t kSlow = ~0U;

    std::vector<FastNode> nodes_;
    std::vector<std::size_t> begin_ = {0};  // n_trees + 1
    std::vector<std::uint32_t> n_inner_;
    std::vector<std::uint32_t> depth_;
};

}  // namespace mhb
