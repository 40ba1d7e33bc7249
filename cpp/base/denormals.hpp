// Weights of rows that are long right shrink towards zero; below the smallest normal float every
// operation on them is an order of magnitude slower. While one of these lives, its thread
// flushes such results to zero.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace mhb {

class FlushDenormals {
public:
#if defined(__x86_64__)
    FlushDenormals() : saved_(_mm_getcsr()) {
        _mm_setcsr(saved_ | kFlushToZero | kDenormalsAreZero);
    }
    ~FlushDenormals() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
    FlushDenormals() {
        asm volatile("mrs %0, fpcr" : "=r"(saved_));
        asm volatile("msr fpcr, %0" : : "r"(saved_ | kFlushToZero));
    }
    ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }
#else
    FlushDenormals() = default;
    ~FlushDenormals() = default;
#endif
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
#if defined(__x86_64__)
    static constexpr unsigned kFlushToZero = 0x8000;
    static constexpr unsigned kDenormalsAreZero = 0x0040;
    unsigned saved_;
#elif defined(__aarch64__)
    static constexpr std::uint64_t kFlushToZero = std::uint64_t{1} << 24;
    std::uint64_t saved_ = 0;
#endif
};

}  // namespace mhb
