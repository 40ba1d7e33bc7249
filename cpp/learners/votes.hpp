// Casting the votes: once the cuts stand, every leaf says yes or no (or nothing, or how sure) to
// every class. Set on the sums over all rows and classes, whatever the search saw.
#pragma once

#include <span>
#include <vector>

#include "learners/options.hpp"
#include "learners/tree.hpp"
#include "weights/signed_weights.hpp"

namespace mhb {

// n_leaves x n_columns: -1, 0, +1, or any number for real votes.
struct Votes {
    std::size_t n_leaves = 0;
    std::size_t n_columns = 0;
    std::vector<double> values;

    [[nodiscard]] std::span<const double> of_leaf(std::size_t leaf) const {
        return {values.data() + leaf * n_columns, n_columns};
    }
};

// Sums of units over leaves and classes.
struct VoteSummary {
    UnitSum total = 0;  // A: all the weight
    UnitSum voted = 0;  // where the vote is not 0
    UnitSum edge = 0;   // sum of sign(vote) x G
};

// n_rows smooths votes and alphas: a weight below about 1 / n_rows says little.
Votes cast_votes(const Tree& tree, const LeafSums& sums, std::size_t n_columns, std::size_t lanes,
                 double n_rows, const Options& options);

VoteSummary summarise(const Votes& votes, const LeafSums& sums, std::size_t lanes);

// The base coefficient of these votes.
double cast_alpha(const VoteSummary& summary, double n_rows, const Options& options);

// Z, the factor by which h = alpha x votes multiplies the exponential loss.
double energy(const Votes& votes, const VoteSummary& summary, const LeafSums& sums,
              std::size_t lanes, double alpha, VoteKind kind);

}  // namespace mhb
