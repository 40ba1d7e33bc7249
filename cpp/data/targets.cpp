#include "data/targets.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mhb {

Targets::Targets(std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices,
                 std::vector<std::int32_t> task_offsets)
    : indptr_(std::move(indptr)),
      indices_(std::move(indices)),
      task_offsets_(std::move(task_offsets)) {
    if (task_offsets_.size() < 2 || task_offsets_.front() != 0 ||
        std::ranges::adjacent_find(task_offsets_, std::greater_equal<>{}) != task_offsets_.end()) {
        throw std::invalid_argument("targets: task_offsets must start at 0 and grow");
    }
    if (indptr_.empty() || indptr_.front() != 0 || !std::ranges::is_sorted(indptr_) ||
        indptr_.back() != static_cast<std::int64_t>(indices_.size())) {
        throw std::invalid_argument("targets: indptr does not fit the indices");
    }
    for (std::size_t row = 0; row < n_rows(); ++row) {
        const auto columns = positives(row);
        const bool inside =
            columns.empty() || (columns.front() >= 0 && columns.back() < task_offsets_.back());
        if (!inside ||
            std::ranges::adjacent_find(columns, std::greater_equal<>{}) != columns.end()) {
            throw std::invalid_argument("targets: row " + std::to_string(row) +
                                        ": positive columns must rise within 0.." +
                                        std::to_string(task_offsets_.back() - 1));
        }
    }
}

}  // namespace mhb
