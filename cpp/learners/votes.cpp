#include "learners/votes.hpp"

#include <cmath>
#include <numeric>

#include "search/ternary.hpp"

namespace mhb {
namespace {

// Classwise sums of a set of rows: signed, and of magnitudes.
struct Classwise {
    std::vector<UnitSum> edge;
    std::vector<UnitSum> mass;

    explicit Classwise(std::size_t n_columns) : edge(n_columns, 0), mass(n_columns, 0) {}
};

Classwise sums_of_leaf(const LeafSums& sums, std::size_t leaf, std::size_t n_columns,
                       std::size_t lanes) {
    Classwise result(n_columns);
    for (std::size_t l = 0; l < n_columns; ++l) {
        result.edge[l] = sums.edge[leaf * lanes + l];
        result.mass[l] = sums.magnitude.empty() ? 0 : sums.magnitude[leaf * lanes + l];
    }
    return result;
}

// Classwise edges R - L and masses R + L of every inner node, from its leaves up. Children come
// after their parents, so one walk backwards does it.
std::vector<Classwise> sums_of_cuts(const Tree& tree, const LeafSums& sums, std::size_t n_columns,
                                    std::size_t lanes) {
    std::vector<Classwise> rows(tree.nodes.size(),
                                Classwise(n_columns));  // over all rows of the node
    std::vector<Classwise> cuts(tree.nodes.size(), Classwise(n_columns));
    for (std::size_t j = tree.nodes.size(); j-- > 0;) {
        const auto child = [&](std::int32_t link) {
            return link >= 0 ? rows[static_cast<std::size_t>(link)]
                             : sums_of_leaf(sums, leaf_of(link), n_columns, lanes);
        };
        const Classwise left = child(tree.nodes[j].left);
        const Classwise right = child(tree.nodes[j].right);
        for (std::size_t l = 0; l < n_columns; ++l) {
            rows[j].edge[l] = right.edge[l] + left.edge[l];
            rows[j].mass[l] = right.mass[l] + left.mass[l];
            cuts[j].edge[l] = right.edge[l] - left.edge[l];
            cuts[j].mass[l] = rows[j].mass[l];
        }
    }
    return cuts;
}

// Votes on these sums, to be multiplied by the side.
std::vector<double> cast(const Classwise& sums, UnitSum total, double n_rows, VoteKind kind) {
    const std::size_t n = sums.edge.size();
    std::vector<double> votes(n);
    if (kind == VoteKind::Ternary) {
        const TernaryVotes ternary = cast_ternary(sums.edge, sums.mass);
        votes.assign(ternary.votes.begin(), ternary.votes.end());
        return votes;
    }
    const double smoothing = 1.0 / (n_rows * static_cast<double>(n));
    for (std::size_t l = 0; l < n; ++l) {
        if (kind == VoteKind::Discrete) {
            votes[l] = sums.edge[l] > 0 ? 1.0 : -1.0;
        } else {
            const auto all = static_cast<double>(total);
            const double right = static_cast<double>(sums.mass[l] + sums.edge[l]) / 2 / all;
            const double wrong = static_cast<double>(sums.mass[l] - sums.edge[l]) / 2 / all;
            votes[l] = 0.5 * std::log((right + smoothing) / (wrong + smoothing));
        }
    }
    return votes;
}

void set_leaf(Votes& votes, std::size_t leaf, const std::vector<double>& cast_votes, double side) {
    for (std::size_t l = 0; l < votes.n_columns; ++l) {
        votes.values[leaf * votes.n_columns + l] = side * cast_votes[l];
    }
}

}  // namespace

Votes cast_votes(const Tree& tree, const LeafSums& sums, std::size_t n_columns, std::size_t lanes,
                 double n_rows, const Options& options) {
    Votes votes{.n_leaves = tree.n_leaves,
                .n_columns = n_columns,
                .values = std::vector<double>(tree.n_leaves * n_columns)};
    const UnitSum total = std::accumulate(sums.mass.begin(), sums.mass.end(), UnitSum{0});
    for (std::size_t leaf = 0; leaf < tree.n_leaves; ++leaf) {
        if (tree.corrected[leaf] || tree.nodes.empty() ||
            options.leaf_votes == LeafVotes::Leafwise) {
            const Classwise own = sums_of_leaf(sums, leaf, n_columns, lanes);
            set_leaf(votes, leaf, cast(own, total, n_rows, options.votes), 1.0);
        }
    }
    if (options.leaf_votes == LeafVotes::Leafwise) {
        return votes;
    }
    const std::vector<Classwise> cuts = sums_of_cuts(tree, sums, n_columns, lanes);
    for (std::size_t j = 0; j < tree.nodes.size(); ++j) {
        const std::vector<double> node_votes = cast(cuts[j], total, n_rows, options.votes);
        for (const auto& [link, side] :
             {std::pair{tree.nodes[j].left, -1.0}, std::pair{tree.nodes[j].right, 1.0}}) {
            if (link < 0 && !tree.corrected[leaf_of(link)]) {
                set_leaf(votes, leaf_of(link), node_votes, side);
            }
        }
    }
    return votes;
}

VoteSummary summarise(const Votes& votes, const LeafSums& sums, std::size_t lanes) {
    VoteSummary summary;
    summary.total = std::accumulate(sums.mass.begin(), sums.mass.end(), UnitSum{0});
    summary.voted = summary.total;
    for (std::size_t leaf = 0; leaf < votes.n_leaves; ++leaf) {
        const auto of_leaf = votes.of_leaf(leaf);
        for (std::size_t l = 0; l < votes.n_columns; ++l) {
            const UnitSum edge = sums.edge[leaf * lanes + l];
            if (of_leaf[l] != 0) {
                summary.edge += of_leaf[l] > 0 ? edge : -edge;
            } else {
                summary.voted -= sums.magnitude[leaf * lanes + l];
            }
        }
    }
    return summary;
}

double cast_alpha(const VoteSummary& summary, double n_rows, const Options& options) {
    double alpha = 1.0;
    const double s = 0.01 / n_rows;
    const auto total = static_cast<double>(summary.total);
    if (options.votes == VoteKind::Discrete) {
        const double gamma = static_cast<double>(summary.edge) / total;
        alpha = 0.5 * std::log((1 + gamma + s) / (1 - gamma + s));
    } else if (options.votes == VoteKind::Ternary) {
        const double right = static_cast<double>(summary.voted + summary.edge) / 2 / total;
        const double wrong = static_cast<double>(summary.voted - summary.edge) / 2 / total;
        alpha = 0.5 * std::log((right + s / 2) / (wrong + s / 2));
    }
    // The logistic loss log(1 + exp(-2 f y)) is half as steep a bound: half the step never raises
    // it.
    return options.learning_rate * (options.loss == Loss::Logistic ? alpha / 2 : alpha);
}

double energy(const Votes& votes, const VoteSummary& summary, const LeafSums& sums,
              std::size_t lanes, double alpha, VoteKind kind) {
    const auto total = static_cast<double>(summary.total);
    if (kind != VoteKind::Real) {
        const double right = static_cast<double>(summary.voted + summary.edge) / 2 / total;
        const double wrong = static_cast<double>(summary.voted - summary.edge) / 2 / total;
        const double silent = static_cast<double>(summary.total - summary.voted) / total;
        return right * std::exp(-alpha) + wrong * std::exp(alpha) + silent;
    }
    double z = 0;
    for (std::size_t leaf = 0; leaf < votes.n_leaves; ++leaf) {
        const auto of_leaf = votes.of_leaf(leaf);
        for (std::size_t l = 0; l < votes.n_columns; ++l) {
            const UnitSum mass = sums.magnitude[leaf * lanes + l];
            const UnitSum edge = sums.edge[leaf * lanes + l];
            z += static_cast<double>(mass + edge) / 2 / total * std::exp(-alpha * of_leaf[l]) +
                 static_cast<double>(mass - edge) / 2 / total * std::exp(alpha * of_leaf[l]);
        }
    }
    return z;
}

}  // namespace mhb
