#include "search/product_search.hpp"

#include <algorithm>

#include "cuts/decide.hpp"

namespace mhb {

void ProductSearch::multiply(const CutQuery& query, const Terms& terms, std::size_t except) {
    const std::size_t lanes = query.units->lanes;
    signed_units_.resize(query.units->row_mass.size(), query.units->n_columns);
    Cut others;
    for (std::size_t j = 0; j < terms.size(); ++j) {
        if (j != except && terms[j]) {
            others.terms.push_back(*terms[j]);
        }
    }
    std::vector<std::uint8_t> positive(query.rows.size());
    decide(others, matrix_, query.rows, positive.data());
    for (std::size_t i = 0; i < query.rows.size(); ++i) {
        const RowIndex row = query.rows[i];
        const Unit* from = query.units->row(row);
        Unit* to = signed_units_.values.data() + row * lanes;
        for (std::size_t l = 0; l < lanes; ++l) {
            to[l] = positive[i] != 0 ? from[l] : -from[l];
        }
        signed_units_.row_mass[row] = query.units->row_mass[row];
    }
}

bool ProductSearch::improve(const CutQuery& query, std::size_t j, Terms& terms, FoundCut& found) {
    multiply(query, terms, j);
    const ClassSums sums = ClassSums::over(kernels_, signed_units_, query.rows, ternary_);
    const FoundCut term = search_.search(
        {.rows = query.rows, .units = &signed_units_, .sums = &sums, .features = query.features});
    const bool better = ternary_ ? term.energy < found.energy : term.edge > found.edge;
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
