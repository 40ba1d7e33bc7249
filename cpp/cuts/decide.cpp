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

// A row's entries are few, but rows of a node lie anywhere: they are asked for in time.
void look_up(const std::vector<std::uint8_t>& answer, const SparseGroup& group,
             std::uint32_t column, std::span<const RowIndex> rows, std::uint8_t* right) {
    constexpr std::size_t kAhead = 16;
    const std::uint32_t first = group.offset[column];
    const std::uint32_t last = group.offset[column + 1];
    const std::uint8_t background = answer[group.background[column] - first];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i + 2 * kAhead < rows.size()) {
            __builtin_prefetch(&group.row_begin[rows[i + 2 * kAhead]]);
            __builtin_prefetch(&group.entries[group.row_begin[rows[i + kAhead]]]);
        }
        const std::uint32_t* end = group.entries.data() + group.row_begin[rows[i] + 1];
        const std::uint32_t* entry =
            std::lower_bound(group.entries.data() + group.row_begin[rows[i]], end, first);
        right[i] = entry != end && *entry < last ? answer[*entry - first] : background;
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
    const BinnedMatrix::Place& place = matrix.place(term.feature);
    switch (place.storage) {
        case Storage::Narrow:
            look_up(answer, matrix.column(term.feature).narrow.data(), rows, right);
            break;
        case Storage::Wide:
            look_up(answer, matrix.column(term.feature).wide.data(), rows, right);
            break;
        case Storage::Sparse:
            look_up(answer, matrix.group(place.group), place.column, rows, right);
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
