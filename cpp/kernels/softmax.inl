// Probabilities of classes from their scores. Vectors run over rows here: classes are added up one
// after the other, so the sums do not depend on the registers.

// Rows that are done at once: a few doubles each stay in the first-level cache.
constexpr std::size_t kSoftmaxRows = 64;

// e^x for -700 <= x <= 0 by 2^n * e^r, |r| <= ln 2 / 2; relative error below 1e-13.
inline double exponential_of(double x) {
    constexpr double kShifter = 6755399441055744.0;  // its last bits hold the nearest whole number
    x = x < -700.0 ? -700.0 : x;
    const double shifted = x * 1.4426950408889634 + kShifter;
    const double n = shifted - kShifter;
    const double r = (x - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
    double y = 1.0 / 6227020800.0;
    y = y * r + 1.0 / 479001600.0;
    y = y * r + 1.0 / 39916800.0;
    y = y * r + 1.0 / 3628800.0;
    y = y * r + 1.0 / 362880.0;
    y = y * r + 1.0 / 40320.0;
    y = y * r + 1.0 / 5040.0;
    y = y * r + 1.0 / 720.0;
    y = y * r + 1.0 / 120.0;
    y = y * r + 1.0 / 24.0;
    y = y * r + 1.0 / 6.0;
    y = y * r + 0.5;
    y = y * r + 1.0;
    y = y * r + 1.0;
    const std::uint64_t power = (__builtin_bit_cast(std::uint64_t, shifted) + 1023U) << 52U;
    return y * __builtin_bit_cast(double, power);
}

void softmax(const ScoreRows& in, const ProbabilityRows& out) {
    double top[kSoftmaxRows];
    double sum[kSoftmaxRows];
    for (std::size_t begin = 0; begin < in.n_rows; begin += kSoftmaxRows) {
        const std::size_t n = in.n_rows - begin < kSoftmaxRows ? in.n_rows - begin : kSoftmaxRows;
        const double* scores = in.scores + begin;
        double* p = out.probabilities + begin;
        double* wrong = out.wrong + begin;
        const std::uint32_t* label = in.label + begin;
        __builtin_memcpy(top, scores, n * sizeof(double));
        for (std::size_t k = 1; k < in.n_classes; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                const double score = scores[k * in.stride + i];
                top[i] = score > top[i] ? score : top[i];
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            sum[i] = 0;
            wrong[i] = 0;
        }
        for (std::size_t k = 0; k < in.n_classes; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                const double z = exponential_of(scores[k * in.stride + i] - top[i]);
                p[k * in.stride + i] = z;
                sum[i] += z;
                wrong[i] += label[i] == k ? 0.0 : z;
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            wrong[i] /= sum[i];
        }
        for (std::size_t k = 0; k < in.n_classes; ++k) {
            for (std::size_t i = 0; i < n; ++i) {
                p[k * in.stride + i] /= sum[i];
            }
        }
    }
}
