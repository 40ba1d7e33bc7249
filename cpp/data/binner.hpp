// Binner: learns each feature's cut points from the training values, then turns values into bins.
//
//   thresholds   b_0 < b_1 < ... < b_(m-1)        halfway between neighbouring distinct values
//   bin of x     number of thresholds <= x        0 .. m
//   NaN          bin m + 1, "missing"
//
// A feature with at most max_bins distinct values keeps a threshold between any two of them (exact
// cuts); one with more gets max_bins bins of about equally many rows. A categorical feature's bin
// is its code 0 .. C-1; C stands for missing and C + 1 for a category that training did not see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/threads.hpp"
#include "data/binned_matrix.hpp"
#include "data/raw_matrix.hpp"

namespace mhb {

inline constexpr std::size_t kMaxBins = 65535;

// What the training values of one feature looked like.
struct FeatureBins {
    std::vector<double> thresholds;  // numeric features; rising
    std::uint32_t n_categories = 0;  // 0: numeric
    bool has_missing = false;

    [[nodiscard]] bool categorical() const { return n_categories > 0; }
    [[nodiscard]] std::size_t value_bins() const {
        return categorical() ? n_categories : thresholds.size() + 1;
    }
    [[nodiscard]] Bin bin(double value) const;
};

struct BinnerOptions {
    std::size_t max_bins = 256;  // a missing value's bin counts; 0: exact, up to kMaxBins
    std::vector<std::uint32_t> categories;  // per feature: how many, 0 if numeric
    std::uint64_t seed = 0;  // of the rows that quantiles of long columns are taken from
};

class Binner {
public:
    explicit Binner(BinnerOptions options) : options_(std::move(options)) {}
    explicit Binner(std::vector<FeatureBins> features) : features_(std::move(features)) {}

    void fit(const RawMatrix& raw, ThreadPool& pool);
    [[nodiscard]] BinnedMatrix transform(const RawMatrix& raw, ThreadPool& pool) const;

    [[nodiscard]] const std::vector<FeatureBins>& features() const { return features_; }

private:
    BinnerOptions options_;
    std::vector<FeatureBins> features_;
};

}  // namespace mhb
