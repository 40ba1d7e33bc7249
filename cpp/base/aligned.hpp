// Vectors that start on a cache line, for the kernels' whole-register loads.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace mhb {

inline constexpr std::size_t kAlignment = 64;

template <class T>
struct AlignedAllocator {
    using value_type = T;
    AlignedAllocator() = default;
    template <class U>
    explicit AlignedAllocator(const AlignedAllocator<U>& /*other*/) {}

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{kAlignment}));
    }
    void deallocate(T* pointer, std::size_t /*count*/) noexcept {
        ::operator delete(pointer, std::align_val_t{kAlignment});
    }
    template <class U>
    bool operator==(const AlignedAllocator<U>& /*other*/) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace mhb
