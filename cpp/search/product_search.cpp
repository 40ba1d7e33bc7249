#include "search/product_search.hpp"

#include <algorithm>

#include "cuts/decide.hpp"

namespace mhb {

ClassSums ProductSearch::multiply(const CutQuery& query, const Terms& terms, std::size_t except) {
    Cut others;
    for (std::size_t j = 0; j < terms.size(); ++j) {
        if (j != except && terms[j]) {
            others.terms.push_back(*terms[j]);
        }
    }
    std::vector<std::uint8_t> positive(query.units->rows().size());
    decide(others, matrix_, query.units->rows(), positive.data());
    return signed_units_.take_signed(packing_, *query.units, positive, query.sums->mass);
}

bool ProductSearch::improve(const CutQuery& query, std::size_t j, Terms& terms, FoundCut& found) {
    const ClassSums sums = multiply(query, terms, j);
    const FoundCut term = search_.search({.classes = query.classes,
                                          .sums = &sums,
                                          .features = query.features,
                                          .units = &signed_units_});
    const bool ternary = packing_.magnitudes;
    const bool better = ternary ? term.energy < found.energy : term.edge > found.edge;
    if (!better) {
        return false;
    }
    found.edge = term.edge;
    found.energy = term.energy;
    terms[j] = term.cut.constant() ? std::nullopt : std::optional<Term>(term.cut.terms.front());
    return true;
}

FoundCut ProductSearch::search(const CutQuery& query) {
    FoundCut found = search_.search(query);
    if (found.cut.constant()) {
        return found;
    }
    Terms terms(n_terms_);
    terms[0] = found.cut.terms.front();
    std::size_t since_change = 1;
    for (std::size_t j = 1; since_change < n_terms_ + 1; j = (j + 1) % n_terms_) {
        since_change = improve(query, j, terms, found) ? 1 : since_change + 1;
    }
    found.cut.terms.clear();
    for (const std::optional<Term>& term : terms) {
        if (term) {
            found.cut.terms.push_back(*term);
        }
    }
    return found;
}

}  // namespace mhb
