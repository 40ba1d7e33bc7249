#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace mhb::avx2 {
namespace {

constexpr const char* kName = "avx2";
constexpr int kNativeLanes = 8;

#include "kernels/loops.inl"

}  // namespace
}  // namespace mhb::avx2

const mhb::Kernels& mhb::avx2_kernels() { return avx2::kTable; }
