// Votes of leaves, a bit a class, times alpha, added to scores.
//
// A class that is voted against gets alpha with its sign bit flipped. A double is two 32-bit lanes
// here, the second of which holds the sign: comparisons of 32 bits exist in every instruction set.

constexpr int kScoreLanes = kNativeLanes / 2;
using Scores = typename NativeVector<double, kScoreLanes>::type;
using Halves = typename NativeVector<std::uint32_t, kNativeLanes>::type;

void add_signs(const SignVotes& votes, const std::uint32_t* leaf_of_row, std::size_t n_rows,
               double* scores) {
    Halves bit{};
    Halves sign{};
    for (int i = 0; i < kNativeLanes; ++i) {
        bit[i] = 1U << (i / 2);
        sign[i] = i % 2 == 0 ? 0U : 0x80000000U;
    }
    const Scores alpha = Scores{} + votes.alpha;
    const std::size_t n_words = (votes.n_columns + 63) / 64;
    for (std::size_t i = 0; i < n_rows; ++i, scores += votes.n_columns) {
        const std::uint64_t* positive = votes.positive + leaf_of_row[i] * n_words;
        std::size_t l = 0;
        for (; l + kScoreLanes <= votes.n_columns; l += kScoreLanes) {
            const auto word = static_cast<std::uint32_t>(positive[l / 64] >> (l % 64));
            const Halves flip = (Halves)(((Halves{} + word) & bit) == 0U) & sign;
            Scores sum;  // copied: rows of scores are not padded, a vector begins anywhere
            __builtin_memcpy(&sum, scores + l, sizeof(sum));
            sum += (Scores)((Halves)alpha ^ flip);
            __builtin_memcpy(scores + l, &sum, sizeof(sum));
        }
        for (; l < votes.n_columns; ++l) {
            const bool vote = ((positive[l / 64] >> (l % 64)) & 1U) != 0;
            scores[l] += vote ? votes.alpha : -votes.alpha;
        }
    }
}
