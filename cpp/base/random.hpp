// Random draws that depend on (seed, round, purpose) alone, never on what was drawn before: a model
// continued after a pause draws what an uninterrupted one would have drawn.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace mhb {

enum class Draw : std::uint64_t {
    Rows = 1,
    TreeFeatures = 2,
    NodeFeatures = 3,
    Classes = 4,
    BinRows = 5
};

// splitmix64 (Steele, Lea & Flood 2014): one multiply-xor chain per number.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t round, Draw purpose)
        : state_(mix(mix(seed) ^ mix(round * 8 + static_cast<std::uint64_t>(purpose)))) {}

    std::uint64_t next() {
        state_ += kStep;
        return mix(state_);
    }

    // Uniform on 0 .. n-1, by the high half of a product (bias below n / 2^32).
    std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

    // k of 0 .. n-1 without replacement, in rising order.
    std::vector<std::uint32_t> sample(std::uint32_t n, std::uint32_t k) {
        std::vector<std::uint32_t> items(n);
        std::iota(items.begin(), items.end(), 0U);
        for (std::uint32_t i = 0; i < k; ++i) {
            std::swap(items[i], items[i + below(n - i)]);
        }
        items.resize(k);
        std::sort(items.begin(), items.end());
        return items;
    }

private:
    static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;

    static std::uint64_t mix(std::uint64_t z) {
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

    std::uint64_t state_;
};

}  // namespace mhb
