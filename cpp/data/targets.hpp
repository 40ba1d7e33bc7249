// Targets: which score columns are positive in which row.
//
// A problem is a list of tasks, each with neighbouring columns: one column for two classes (the
// second is positive), a column a class for more. Multi-label: one column a label.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mhb {

class Targets {
public:
    // indptr, indices: positive columns of each row, rising. task_offsets: first column of each
    // task, and the end.
    Targets(std::vector<std::int64_t> indptr, std::vector<std::int32_t> indices,
            std::vector<std::int32_t> task_offsets);

    [[nodiscard]] std::size_t n_rows() const { return indptr_.size() - 1; }
    [[nodiscard]] std::size_t n_columns() const {
        return static_cast<std::size_t>(task_offsets_.back());
    }
    [[nodiscard]] std::size_t n_tasks() const { return task_offsets_.size() - 1; }
    [[nodiscard]] std::span<const std::int32_t> task_offsets() const { return task_offsets_; }

    [[nodiscard]] std::span<const std::int32_t> positives(std::size_t row) const {
        const auto begin = static_cast<std::size_t>(indptr_[row]);
        const auto end = static_cast<std::size_t>(indptr_[row + 1]);
        return {indices_.data() + begin, end - begin};
    }

private:
    std::vector<std::int64_t> indptr_;
    std::vector<std::int32_t> indices_;
    std::vector<std::int32_t> task_offsets_;
};

}  // namespace mhb
