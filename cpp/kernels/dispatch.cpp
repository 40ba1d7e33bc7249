#include <cstdlib>
#include <stdexcept>

#include "kernels/kernels.hpp"

namespace mhb {
namespace {

std::vector<const Kernels*> find_usable() {
    std::vector<const Kernels*> tables;
#ifdef MHBOOST_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        tables.push_back(&avx512_kernels());
    }
    if (__builtin_cpu_supports("avx2")) {
        tables.push_back(&avx2_kernels());
    }
#endif
    tables.push_back(&baseline_kernels());
    return tables;
}

}  // namespace

const std::vector<const Kernels*>& usable_kernels() {
    static const std::vector<const Kernels*> tables = find_usable();
    return tables;
}

const Kernels& active_kernels() {
    const char* wanted = std::getenv("MHBOOST_KERNEL");  // NOLINT(concurrency-mt-unsafe)
    if (wanted == nullptr || *wanted == '\0') {
        return *usable_kernels().front();
    }
    std::string names;
    for (const Kernels* table : usable_kernels()) {
        if (std::string(wanted) == table->name) {
            return *table;
        }
        names += names.empty() ? table->name : std::string(", ") + table->name;
    }
    throw std::invalid_argument("MHBOOST_KERNEL=" + std::string(wanted) +
                                ": this machine can run " + names);
}

}  // namespace mhb
