// ProductSearch: Hamming products (Kégl & Busa-Fekete 2009), phi = product of single-feature cuts.
//
// Term j is the best cut for labels multiplied by the signs of the other terms; terms take turns
// until a full turn leaves the edge as it is. The first is a plain stump, and a term that does not
// help is not kept.
//
//   y phi_1 phi_2 phi_3 = (y phi_1 phi_3) phi_2       so term 2 faces rows whose units are
//                                                      multiplied by phi_1 phi_3
#pragma once

#include <optional>
#include <vector>

#include "search/stump_search.hpp"

namespace mhb {

class ProductSearch : public CutSearch {
public:
    // `terms` searches one term; it must outlive this.
    ProductSearch(const BinnedMatrix& matrix, const Packing& packing, StumpSearch& terms,
                  std::size_t n_terms)
        : matrix_(matrix), packing_(packing), search_(terms), n_terms_(n_terms) {}

    FoundCut search(const CutQuery& query) override;

private:
    using Terms = std::vector<std::optional<Term>>;

    // The units of the query's rows times the signs of all terms but one; returns their sums.
    ClassSums multiply(const CutQuery& query, const Terms& terms, std::size_t except);
    // One turn of term j: true if the edge grew.
    bool improve(const CutQuery& query, std::size_t j, Terms& terms, FoundCut& found);

    const BinnedMatrix& matrix_;
    Packing packing_;
    StumpSearch& search_;
    std::size_t n_terms_;
    NodeUnits signed_units_;
};

}  // namespace mhb
