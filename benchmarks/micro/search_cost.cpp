// What a cut costs: the search over a whole node beside a bare load-add-store loop.
//
//   search_cost ROWS FEATURES BINS CLASSES   ->   one line of JSON
//
// Both add the same number of vectors; the bare loop's stay in the first-level cache. The search
// clears and scans its histograms too. Repeats take turns, the least CPU time counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "data/binner.hpp"
#include "search/stump_search.hpp"

namespace {

using namespace mhb;

constexpr int kRepeats = 15;

struct Shape {
    std::size_t rows, features, bins, classes;
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Body>
double seconds_of(const Body& body) {
    const double began = cpu_seconds();
    body();
    return cpu_seconds() - began;
}

// ------------------------------------------------------------------------------- the bare loop

// One vector is added to `n` places of `Bytes` bytes each, round and round through 16 KB.
template <std::size_t Bytes>
struct Places {
    using Vector __attribute__((vector_size(Bytes), may_alias)) = Unit;
};
template <std::size_t Bytes>
[[gnu::always_inline]] inline void add_to_buffer(Unit* buffer, std::size_t n) {
    using Vector = typename Places<Bytes>::Vector;
    constexpr std::size_t kPlaces = 16384 / Bytes;
    auto* place = reinterpret_cast<Vector*>(buffer);
    const Vector one = Vector{} + 1;
    for (std::size_t i = 0; i < n; i += kPlaces) {
        for (std::size_t k = 0; k < kPlaces; ++k) {
            place[k] += one;
        }
        asm volatile("" : : "r"(place) : "memory");  // or passes would be merged
    }
}
#ifdef MHBOOST_X86
[[gnu::target("avx512f"), gnu::noinline]] void bare_64(Unit* buffer, std::size_t n) {
    add_to_buffer<64>(buffer, n);
}
[[gnu::target("avx2"), gnu::noinline]] void bare_32(Unit* buffer, std::size_t n) {
    add_to_buffer<32>(buffer, n);
}
#endif
[[gnu::noinline]] void bare_16(Unit* buffer, std::size_t n) { add_to_buffer<16>(buffer, n); }

struct BareLoop {
    std::size_t lanes;
    void (*run)(Unit*, std::size_t);
};

BareLoop bare_loop(const std::string& kernel) {
#ifdef MHBOOST_X86
    if (kernel == "avx512") {
        return {16, bare_64};
    }
    if (kernel == "avx2") {
        return {8, bare_32};
    }
#endif
    return {4, bare_16};
}

// ------------------------------------------------------------------------------- the search

BinnedMatrix random_matrix(const Shape& shape, RandomStream& random) {
    std::vector<double> values(shape.rows * shape.features);
    for (double& value : values) {
        value = random.below(static_cast<std::uint32_t>(shape.bins));
    }
    ThreadPool pool(1);
    Binner binner(
        {.max_bins = shape.bins, .categories = std::vector<std::uint32_t>(shape.features, 0)});
    std::vector<ColumnView> columns;
    for (std::size_t j = 0; j < shape.features; ++j) {
        columns.push_back({.data = reinterpret_cast<const std::byte*>(&values[j * shape.rows]),
                           .stride = sizeof(double),
                           .dtype = DType::F64});
    }
    const RawMatrix raw = RawMatrix::dense(shape.rows, std::move(columns));
    binner.fit(raw, pool);
    return binner.transform(raw, pool);
}

// Weights that are whole numbers of units, one unit each.
RoundUnits random_units(const Shape& shape, RandomStream& random) {
    RoundUnits units;
    units.classes = ClassLanes(shape.classes);
    units.n_rows = shape.rows;
    units.sampled.resize(shape.rows * units.classes.lanes);
    units.weights = units.sampled.data();
    units.scale = 1;
    units.row_mass.resize(shape.rows);
    const auto most = static_cast<std::uint32_t>(1'000'000'000 / (shape.rows * shape.classes));
    for (std::size_t i = 0; i < shape.rows; ++i) {
        for (std::size_t l = 0; l < shape.classes; ++l) {
            const std::uint32_t size = random.below(most);
            const auto weight = static_cast<Weight>(size);
            units.sampled[i * units.classes.lanes + l] = l == i % shape.classes ? weight : -weight;
            units.row_mass[i] += size;
        }
    }
    return units;
}

// What a tree's root costs: a histogram of everything if it is worth keeping, else block by block.
FoundCut search_root(StumpSearch& search, const Packing& packing, const RoundUnits& units,
                     std::span<const RowIndex> rows, std::span<const std::uint32_t> features,
                     NodeHistogram& histogram, NodeUnits& packed) {
    const std::size_t size = search.histogram_size(units.classes, features);
    const bool whole = size > 0 && search.worth_keeping(rows.size());
    const ClassSums sums =
        whole ? search.add_up(units, rows, features, histogram) : packed.take(packing, units, rows);
    return search.search({.classes = units.classes,
                          .sums = &sums,
                          .features = features,
                          .histogram = whole ? &histogram : nullptr,
                          .units = &packed});
}

void report(const Shape& shape) {
    RandomStream random(1, 0, Draw::Rows);
    const BinnedMatrix matrix = random_matrix(shape, random);
    const RoundUnits units = random_units(shape, random);
    const Kernels& kernels = active_kernels();
    ThreadPool pool(1);
    StumpSearch search(matrix, kernels, pool, false);
    std::vector<RowIndex> rows(shape.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    std::vector<std::uint32_t> features(shape.features);
    std::iota(features.begin(), features.end(), 0U);
    const Packing packing{.kernels = kernels, .pool = pool};
    NodeHistogram histogram;
    NodeUnits packed;

    const BareLoop bare = bare_loop(kernels.name);
    const std::size_t vectors = std::max<std::size_t>(units.classes.lanes / bare.lanes, 1);
    const std::size_t n_adds = shape.rows * shape.features * vectors;
    AlignedVector<Unit> buffer(16384 / sizeof(Unit), 0);
    double of_search = 1e9;
    double of_loop = 1e9;
    UnitSum edge = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
        of_search = std::min(
            of_search, seconds_of([&] {
                edge = search_root(search, packing, units, rows, features, histogram, packed).edge;
            }));
        of_loop = std::min(of_loop, seconds_of([&] { bare.run(buffer.data(), n_adds); }));
    }
    const double ns = 1e9 / static_cast<double>(n_adds);
    std::printf(
        "{\"rows\": %zu, \"features\": %zu, \"bins\": %zu, \"classes\": %zu, "
        "\"kernel\": \"%s\", \"search_ns\": %.4f, \"bare_ns\": %.4f, \"ratio\": %.3f, "
        "\"edge\": %lld}\n",
        shape.rows, shape.features, shape.bins, shape.classes, kernels.name, of_search * ns,
        of_loop * ns, of_search / of_loop, static_cast<long long>(edge));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: search_cost ROWS FEATURES BINS CLASSES\n");
        return 2;
    }
    report({.rows = std::strtoull(argv[1], nullptr, 10),
            .features = std::strtoull(argv[2], nullptr, 10),
            .bins = std::strtoull(argv[3], nullptr, 10),
            .classes = std::strtoull(argv[4], nullptr, 10)});
    return 0;
}
