#include "ensemble/fast_trees.hpp"

#include <algorithm>

namespace mhb {

void FastTrees::append(std::span<const FlatNode> nodes, std::size_t n_leaves,
                       const std::vector<FlatTerm>& terms) {
    const bool fast = std::ranges::all_of(nodes, [&](const FlatNode& node) {
        return node.term_end == node.term_begin + 1 && terms[node.term_begin].set_words == 0;
    });
    const auto n_inner = static_cast<std::int32_t>(nodes.size());
    std::uint32_t depth = 0;
    if (fast) {
        std::vector<std::uint32_t> depth_of(nodes.size() + n_leaves, 0);
        for (std::int32_t j = 0; j < n_inner; ++j) {
            const FlatNode& node = nodes[static_cast<std::size_t>(j)];
            const FlatTerm& term = terms[node.term_begin];
            FastNode packed{.threshold = term.threshold,
                            .feature = term.feature,
                            .missing_right = term.missing_right};
            for (const int side : {0, 1}) {
                const std::int32_t link = side == 0 ? node.left : node.right;
                packed.next[side] = link >= 0 ? link : n_inner + ~link;
                const std::uint32_t below = depth_of[static_cast<std::size_t>(j)] + 1;
                depth_of[static_cast<std::size_t>(packed.next[side])] = below;
                depth = std::max(depth, below);
            }
            nodes_.push_back(packed);
        }
        for (std::int32_t leaf = 0; leaf < static_cast<std::int32_t>(n_leaves); ++leaf) {
            nodes_.push_back({.next = {n_inner + leaf, n_inner + leaf}});
        }
    }
    begin_.push_back(nodes_.size());
    n_inner_.push_back(static_cast<std::uint32_t>(n_inner));
    depth_.push_back(fast ? depth : kSlow);
}

void FastTrees::truncate(std::size_t n_trees) {
    begin_.resize(n_trees + 1);
    n_inner_.resize(n_trees);
    depth_.resize(n_trees);
    nodes_.resize(begin_.back());
}

void FastTrees::find_leaves(std::size_t tree, const double* values, std::size_t width,
                            const std::int32_t* slot, std::uint32_t* leaf) const {
    const FastNode* nodes = nodes_.data() + begin_[tree];
    std::int32_t place[kSideBySide] = {};
    for (std::uint32_t depth = 0; depth < depth_[tree]; ++depth) {
        for (std::size_t i = 0; i < kSideBySide; ++i) {
            const FastNode& node = nodes[place[i]];
            place[i] = step(node, values[i * width + static_cast<std::size_t>(slot[node.feature])]);
        }
    }
    for (std::size_t i = 0; i < kSideBySide; ++i) {
        leaf[i] = static_cast<std::uint32_t>(place[i]) - n_inner_[tree];
    }
}

bool FastTrees::are_fast(std::size_t tree) const {
    return std::all_of(depth_.begin() + static_cast<std::ptrdiff_t>(tree),
                       depth_.begin() + static_cast<std::ptrdiff_t>(tree + kSideBySide),
                       [](std::uint32_t depth) { return depth != kSlow; });
}

void FastTrees::find_leaves_of_row(std::size_t tree, const double* values,
                                   std::uint32_t* leaf) const {
    const FastNode* nodes[kSideBySide];
    std::int32_t place[kSideBySide] = {};
    std::uint32_t deepest = 0;
    for (std::size_t i = 0; i < kSideBySide; ++i) {
        nodes[i] = nodes_.data() + begin_[tree + i];
        deepest = std::max(deepest, depth_[tree + i]);
    }
    for (std::uint32_t depth = 0; depth < deepest; ++depth) {
        for (std::size_t i = 0; i < kSideBySide; ++i) {
            const FastNode& node = nodes[i][place[i]];
            place[i] = step(node, values[node.feature]);
        }
    }
    for (std::size_t i = 0; i < kSideBySide; ++i) {
        leaf[i] = static_cast<std::uint32_t>(place[i]) - n_inner_[tree + i];
    }
}

}  // namespace mhb
