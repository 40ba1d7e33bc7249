#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kernels.hpp"

namespace mhb::baseline {
namespace {

constexpr const char* kName = "baseline";
constexpr int kNativeLanes = 4;

#include "kernels/loops.inl"

}  // namespace
}  // namespace mhb::baseline

const mhb::Kernels& mhb::baseline_kernels() { return baseline::kTable; }
