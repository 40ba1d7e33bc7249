#include "cuts/decide.hpp"

#include <algorithm>

namespace mhb {
namespace {

template <class Stored>
void look_up(const std::vector<std::uint8_t>& answer, const Stored* bins,
             std::span<const RowIndex> rows, std::uint8_t* right) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        right[i] = answer[bins[rows[i]]];
    }
}

}  // namespace

void decide(const Term& term, const BinnedMatrix& matrix, std::span<const RowIndex> rows,
            std::uint8_t* right) {
    const FeatureInfo& info = matrix.feature(term.feature);
    // Values, then missing, then unseen.
    std::vector<std::uint8_t> answer(info.value_bins + 2);
    for (std::uint32_t bin = 0; bin < answer.size(); ++bin) {
        answer[bin] = term.goes_right(static_cast<Bin>(bin), info) ? 1 : 0;
    }
    switch (matrix.place(term.feature).storage) {
        case Storage::Narrow:
            look_up(answer, matrix.column(term.feature).narrow.data(), rows, right);
            break;
        case Storage::Wide:
            look_up(answer, matrix.column(term.feature).wide.data(), rows, right);
            break;
        case Storage::Sparse:
            std::ranges::transform(
                rows, right, [&](RowIndex row) { return answer[matrix.bin(row, term.feature)]; });
            break;
    }
}

void decide(const Cut& cut, const BinnedMatrix& matrix, std::span<const RowIndex> rows,
            std::uint8_t* right) {
    if (cut.terms.size() == 1) {
        decide(cut.terms.front(), matrix, rows, right);
        return;
    }
    std::fill_n(right, rows.size(), std::uint8_t{1});
    std::vector<std::uint8_t> of_term(rows.size());
    for (const Term& term : cut.terms) {
        decide(term, matrix, rows, of_term.data());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            right[i] = right[i] == of_term[i] ? 1 : 0;  // the product of two signs
        }
    }
}

}  // namespace mhb
