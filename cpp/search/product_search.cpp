#include "search/product_search.hpp"

#include <algorithm>

namespace mhb {

void ProductSearch::multiply(const CutQuery& query, const Terms& terms, std::size_t except) {
    const std::size_t lanes = query.units->lanes;
    signed_units_.n_columns = query.units->n_columns;
    signed_units_.lanes = lanes;
    signed_units_.values.resize(query.units->values.size());
    for (const RowIndex row : query.rows) {
        bool positive = true;
        for (std::size_t j = 0; j < terms.size(); ++j) {
            if (j != except && terms[j]) {
                const Bin bin = matrix_.bin(row, terms[j]->feature);
                positive =
                    positive == terms[j]->goes_right(bin, matrix_.feature(terms[j]->feature));
            }
        }
        const Unit* from = query.units->row(row);
        Unit* to = signed_units_.values.data() + row * lanes;
        for (std::size_t l = 0; l < lanes; ++l) {
            to[l] = positive ? from[l] : -from[l];
        }
    }
}

bool ProductSearch::improve(const CutQuery& query, std::size_t j, Terms& terms, FoundCut& found) {
    multiply(query, terms, j);
    const ClassSums sums = ClassSums::over(kernels_, signed_units_, query.rows);
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
