#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace mhb::avx512 {
namespace {

constexpr const char* kName = "avx512";
constexpr int kNativeLanes = 16;

#include "kernels/loops.inl"

}  // namespace
}  // namespace mhb::avx512

const mhb::Kernels& mhb::avx512_kernels() { return avx512::kTable; }
