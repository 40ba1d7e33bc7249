#include "learners/tree_grower.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "cuts/decide.hpp"
#include "cuts/route.hpp"
#include "search/ternary.hpp"

namespace mhb {
namespace {

constexpr std::uint32_t kNoLeaf = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kRowGrain = 16'384;

// Edge of votes on rows with these class sums.
UnitSum edge_of(std::span<const std::int8_t> votes, const ClassSums& sums) {
    UnitSum edge = 0;
    for (std::size_t l = 0; l < votes.size(); ++l) {
        edge += UnitSum{votes[l]} * sums.edge[l];
    }
    return edge;
}

}  // namespace

TreeGrower::TreeGrower(const BinnedMatrix& matrix, const Kernels& kernels, ThreadPool& pool,
                       const Options& options)
    : matrix_(matrix),
      pool_(pool),
      options_(options),
      packing_{.kernels = kernels, .pool = pool, .magnitudes = options.votes == VoteKind::Ternary},
      stumps_(matrix, kernels, pool, options.votes == VoteKind::Ternary, options.gain),
      products_(matrix, packing_, stumps_, options.n_terms),
      search_(options.n_terms > 1 ? static_cast<CutSearch&>(products_) : stumps_) {}

Tree TreeGrower::grow(const RoundUnits& units, std::uint64_t draw, const ShouldStop& should_stop,
                      std::vector<std::uint32_t>& leaf_of_row) {
    const ThreadPool::Watch watching(pool_, should_stop);
    Round round;
    round.units = &units;
    round.node_draws = RandomStream(options_.seed, draw, Draw::NodeFeatures);
    round.features.resize(matrix_.n_features());
    std::iota(round.features.begin(), round.features.end(), 0U);
    if (options_.tree_features > 0) {
        round.features = RandomStream(options_.seed, draw, Draw::TreeFeatures)
                             .sample(static_cast<std::uint32_t>(matrix_.n_features()),
                                     static_cast<std::uint32_t>(options_.tree_features));
    }
    scratch_.resize(rows_.size());
    right_.resize(rows_.size());
    leaves_.clear();
    leaves_.reserve(2 * options_.n_inner_nodes + 1);
    queue_ = {};

    Leaf& root = leaves_.emplace_back();
    root.end = rows_.size();
    sum_root(round, root);
    find_cut(round, root);
    enqueue(0, 0);

    Tree tree;
    for (std::size_t used = 1; used <= options_.n_inner_nodes && !queue_.empty(); ++used) {
        if (should_stop()) {
            throw Interrupted{};
        }
        const auto leaf = static_cast<std::size_t>(-queue_.top().second);
        queue_.pop();
        if (leaves_[leaf].found.cut.constant()) {
            leaves_[leaf].corrected = true;
        } else {
            cut_leaf(round, tree, leaf, used < options_.n_inner_nodes);
        }
    }
    number_leaves(tree, leaf_of_row);
    for (Leaf& leaf : leaves_) {
        release(leaf.histogram);
    }
    return tree;
}

// A histogram of everything is begun at the root or not at all. Products see other units than the
// node's, and lanes set per node differ from node to node: they have no use for it.
void TreeGrower::sum_root(Round& round, Leaf& root) {
    const bool same_units = options_.n_terms == 1 && node_lanes_ == nullptr;
    const std::size_t size = same_units && options_.keep_histograms
                                 ? stumps_.histogram_size(round.units->classes, round.features)
                                 : 0;
    const std::size_t drawn =
        std::min(options_.node_features == 0 ? round.features.size() : options_.node_features,
                 round.features.size());
    const double share = static_cast<double>(drawn) / static_cast<double>(round.features.size());
    if (size > 0 && stumps_.worth_keeping(rows_.size(), share, options_.n_inner_nodes)) {
        root.histogram = take_buffer(size);
        root.sums = stumps_.add_up(*round.units, rows_, round.features, root.histogram);
    } else {
        root.sums = take_node(round, root);
    }
}

// The smaller child is added up; the larger one is what is left of the parent, and so is its
// histogram where the parent has one.
void TreeGrower::sum_children(Round& round, Leaf& parent, Leaf& small, Leaf& large,
                              bool to_be_searched) {
    const bool from_parent = to_be_searched && !parent.histogram.empty() &&
                             stumps_.worth_keeping(large.end - large.begin);
    if (from_parent) {
        small.histogram = take_buffer(parent.histogram.size());
        small.sums = stumps_.add_up(*round.units, rows_of(small), round.features, small.histogram);
        large.histogram = std::move(parent.histogram);
        stumps_.subtract(large.histogram, small.histogram);
    } else if (to_be_searched) {
        small.sums = take_node(round, small);
    } else {
        small.sums = sum_rows(packing_, *round.units, rows_of(small));
    }
    large.sums = parent.sums.minus(small.sums);
    release(parent.histogram);
}

// Packs the units of a node that is searched next.
ClassSums TreeGrower::take_node(const Round& round, const Leaf& leaf) {
    if (node_lanes_ != nullptr) {
        node_lanes_->prepare(rows_of(leaf));
    }
    return node_units_.take(packing_, *round.units, rows_of(leaf));
}

void TreeGrower::find_cut(Round& round, Leaf& leaf) {
    std::vector<std::uint32_t> drawn;
    std::span<const std::uint32_t> features = round.features;
    if (options_.node_features > 0 && options_.node_features < features.size()) {
        drawn = round.node_draws.sample(static_cast<std::uint32_t>(features.size()),
                                        static_cast<std::uint32_t>(options_.node_features));
        std::ranges::transform(drawn, drawn.begin(),
                               [&](std::uint32_t i) { return round.features[i]; });
        features = drawn;
    }
    leaf.found = search_.search({.classes = round.units->classes,
                                 .sums = &leaf.sums,
                                 .features = features,
                                 .histogram = leaf.histogram.empty() ? nullptr : &leaf.histogram,
                                 .in_histogram = round.features,
                                 .units = &node_units_});
    leaf.searched = true;
    if (!stumps_.worth_keeping(leaf.end - leaf.begin)) {
        release(leaf.histogram);
    }
}

void TreeGrower::enqueue(std::size_t leaf, UnitSum inherited_edge) {
    const FoundCut& found = leaves_[leaf].found;
    leaves_[leaf].key = by_gain() ? found.gain : static_cast<double>(found.edge - inherited_edge);
    if (leaves_[leaf].key > 0) {
        queue_.emplace(leaves_[leaf].key, -static_cast<std::int64_t>(leaf));
    }
}

NodeHistogram TreeGrower::take_buffer(std::size_t size) {
    NodeHistogram buffer;
    if (!buffers_.empty()) {
        buffer = std::move(buffers_.back());
        buffers_.pop_back();
    }
    buffer.resize(size);
    return buffer;
}

void TreeGrower::release(NodeHistogram& histogram) {
    if (!histogram.empty()) {
        buffers_.push_back(std::exchange(histogram, {}));
    }
}

std::vector<std::int8_t> TreeGrower::node_votes(const ClassSums& left, const ClassSums& right,
                                                std::size_t n_columns) const {
    std::vector<UnitSum> edge(n_columns);
    std::vector<UnitSum> mass(n_columns);
    for (std::size_t l = 0; l < n_columns; ++l) {
        edge[l] = UnitSum{right.edge[l]} - left.edge[l];
        mass[l] = UnitSum{right.magnitude[l]} + left.magnitude[l];
    }
    if (options_.votes == VoteKind::Ternary) {
        return cast_ternary(edge, mass).votes;
    }
    std::vector<std::int8_t> votes(n_columns);
    std::ranges::transform(edge, votes.begin(), [](UnitSum gamma) { return gamma > 0 ? 1 : -1; });
    return votes;
}

// Rows of the leaf in their order, those on the - side first; returns where the + side begins.
std::size_t TreeGrower::partition(const Leaf& leaf, const Cut& cut) {
    const std::size_t n = leaf.end - leaf.begin;
    const std::size_t n_pieces = (n + kRowGrain - 1) / kRowGrain;
    std::vector<std::size_t> n_left(n_pieces, 0);
    RowIndex* rows = rows_.data() + leaf.begin;
    RowIndex* scratch = scratch_.data() + leaf.begin;
    std::uint8_t* sides = right_.data() + leaf.begin;
    // Each piece is split on its own: lefts move to its front, rights wait in scratch.
    //   rows     | a B c D e F |      | a c e . . . |
    //   scratch  |             |      | B D F       |
    parallel_rows(pool_, n, kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      decide(cut, matrix_, {rows + begin, end - begin}, sides + begin);
                      std::size_t left = begin;
                      std::size_t right = begin;
                      for (std::size_t i = begin; i < end; ++i) {
                          const RowIndex row = rows[i];
                          rows[left] = row;
                          scratch[right] = row;
                          left += 1U - sides[i];
                          right += sides[i];
                      }
                      n_left[begin / kRowGrain] = left - begin;
                  });
    std::size_t left = 0;
    for (std::size_t piece = 0; piece < n_pieces; ++piece) {
        std::move(rows + piece * kRowGrain, rows + piece * kRowGrain + n_left[piece], rows + left);
        left += n_left[piece];
    }
    RowIndex* right = rows + left;
    for (std::size_t piece = 0; piece < n_pieces; ++piece) {
        const std::size_t begin = piece * kRowGrain;
        right = std::copy_n(scratch + begin, std::min(kRowGrain, n - begin) - n_left[piece], right);
    }
    return leaf.begin + left;
}

// Missing values that training did not have, and unseen categories, go where the weight goes.
void TreeGrower::remember_unknown_side(const Round& round, const Leaf& leaf, Cut& cut,
                                       bool heavier_right) const {
    std::vector<std::uint8_t> right;
    for (Term& term : cut.terms) {
        bool side = heavier_right;
        if (cut.terms.size() > 1) {
            const std::span<const RowIndex> rows = rows_of(leaf);
            right.resize(rows.size());
            decide(term, matrix_, rows, right.data());
            UnitSum balance = 0;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const UnitSum mass = round.units->row_mass[rows[i]];
                balance += right[i] != 0 ? mass : -mass;
            }
            side = balance >= 0;
        }
        term.unseen_right = side;
        if (!matrix_.feature(term.feature).has_missing) {
            term.missing_right = side;
        }
    }
}

void TreeGrower::cut_leaf(Round& round, Tree& tree, std::size_t index, bool search_children_too) {
    const auto node = static_cast<std::int32_t>(tree.nodes.size());
    Leaf& leaf = leaves_[index];
    leaf.cut = true;
    if (leaf.parent >= 0) {
        TreeNode& parent = tree.nodes[static_cast<std::size_t>(leaf.parent)];
        (leaf.right_side ? parent.right : parent.left) = node;
    }
    const std::size_t middle = partition(leaf, leaf.found.cut);
    Leaf left;
    Leaf right;
    left.begin = leaf.begin;
    left.end = right.begin = middle;
    right.end = leaf.end;
    left.parent = right.parent = node;
    right.right_side = true;
    const bool left_is_small = middle - leaf.begin <= leaf.end - middle;
    Leaf& small = left_is_small ? left : right;
    Leaf& large = left_is_small ? right : left;
    sum_children(round, leaf, small, large, search_children_too);

    remember_unknown_side(round, leaf, leaf.found.cut, right.sums.mass >= left.sums.mass);
    const UnitSum over_constant = leaf.found.edge - leaf.sums.constant_edge();
    const double gain = by_gain() ? leaf.found.gain : static_cast<double>(over_constant);
    tree.nodes.push_back(
        {.cut = leaf.found.cut, .edge = leaf.found.edge, .gain = std::max(gain, 0.0)});

    const auto votes = node_votes(left.sums, right.sums, round.units->classes.n_columns);
    if (search_children_too) {
        find_cut(round, small);
        if (large.histogram.empty()) {
            large.sums = take_node(round, large);
        }
        find_cut(round, large);
    }
    const UnitSum left_inherits = -edge_of(votes, left.sums);
    const UnitSum right_inherits = edge_of(votes, right.sums);
    leaves_.push_back(std::move(left));
    leaves_.push_back(std::move(right));
    if (search_children_too) {
        enqueue(leaves_.size() - 2, left_inherits);
        enqueue(leaves_.size() - 1, right_inherits);
    }
}

LeafSums TreeGrower::leaf_sums(std::size_t lanes) const {
    LeafSums sums;
    for (const Leaf& leaf : leaves_) {
        if (!leaf.cut) {
            sums.edge.insert(sums.edge.end(), leaf.sums.edge.begin(),
                             leaf.sums.edge.begin() + static_cast<std::ptrdiff_t>(lanes));
            sums.mass.push_back(leaf.sums.mass);
        }
    }
    return sums;
}

void TreeGrower::number_leaves(Tree& tree, std::vector<std::uint32_t>& leaf_of_row) {
    struct Stretch {
        std::size_t begin;  // in rows_
        std::uint32_t leaf;
    };
    std::vector<Stretch> stretches;
    tree.n_leaves = 0;
    tree.corrected.clear();
    for (const Leaf& leaf : leaves_) {
        if (leaf.cut) {
            continue;
        }
        const auto number = static_cast<std::uint32_t>(tree.n_leaves++);
        tree.corrected.push_back(leaf.corrected);
        if (leaf.parent >= 0) {
            TreeNode& parent = tree.nodes[static_cast<std::size_t>(leaf.parent)];
            (leaf.right_side ? parent.right : parent.left) = ~static_cast<std::int32_t>(number);
        }
        if (leaf.begin < leaf.end) {
            stretches.push_back({leaf.begin, number});
        }
    }
    std::ranges::sort(stretches, {}, &Stretch::begin);
    const bool saw_all = rows_.size() == leaf_of_row.size();
    if (!saw_all) {
        std::ranges::fill(leaf_of_row, kNoLeaf);
    }
    parallel_rows(pool_, rows_.size(), kRowGrain,
                  [&](std::size_t begin, std::size_t end, std::size_t /*thread*/) {
                      auto next = std::ranges::upper_bound(stretches, begin, {}, &Stretch::begin);
                      for (std::size_t i = begin; i < end; ++i) {
                          while (next != stretches.end() && next->begin <= i) {
                              ++next;
                          }
                          leaf_of_row[rows_[i]] = std::prev(next)->leaf;
                      }
                  });
    if (!saw_all) {
        route_the_others(tree, leaf_of_row);
    }
}

// The rows that the search did not look at.
void TreeGrower::route_the_others(const Tree& tree, std::vector<std::uint32_t>& leaf_of_row) {
    scratch_.clear();
    for (std::size_t row = 0; row < leaf_of_row.size(); ++row) {
        if (leaf_of_row[row] == kNoLeaf) {
            scratch_.push_back(static_cast<RowIndex>(row));
        }
    }
    std::vector<CutNode> nodes;
    nodes.reserve(tree.nodes.size());
    for (const TreeNode& node : tree.nodes) {
        nodes.push_back({.cut = &node.cut, .left = node.left, .right = node.right});
    }
    route(nodes, matrix_, scratch_, pool_, leaf_of_row.data());
}

}  // namespace mhb
