// The text of all kernels, with the files that it includes. Included by baseline.cpp, avx2.cpp and
// avx512.cpp, each inside its own namespace and compiled with its own flags; no function here may
// be inline outside of it.

#include "kernels/lanes.inl"

// Calls body with the number of lanes as a constant.
template <class Body>
inline void with_lanes(std::size_t lanes, const Body& body) {
    switch (lanes) {
        case 4: return body(std::integral_constant<int, 4>{});
        case 8: return body(std::integral_constant<int, 8>{});
        case 16: return body(std::integral_constant<int, 16>{});
        default: return body(std::integral_constant<int, 32>{});
    }
}

#include "kernels/wide_rows.inl"

#include "kernels/gains.inl"
#include "kernels/histogram.inl"
#include "kernels/logistic.inl"
#include "kernels/rows.inl"
#include "kernels/scan.inl"
#include "kernels/softmax.inl"
#include "kernels/votes.inl"

constexpr Kernels kTable{.name = kName,
                         .pack = pack,
                         .accumulate_narrow = accumulate<std::uint8_t>,
                         .accumulate_wide = accumulate<std::uint16_t>,
                         .accumulate_sparse = accumulate_sparse,
                         .scan = scan,
                         .subtract = subtract,
                         .row_masses = row_masses,
                         .leaf_sums = leaf_sums,
                         .update = update,
                         .logistic = logistic,
                         .add_signs = add_signs,
                         .newton_values = newton_values,
                         .gini_values = gini_values,
                         .hellinger_values = hellinger_values,
                         .softmax = softmax};
