// Boosters of trees whose leaves name classes: SAMME and SAMME.R, AdaBoost.M1 and M2,
// single-label AdaBoost.MH, AdaBoost.MM.
//
//   method    weights       tree grown by   leaf says                   alpha from
//   SAMME     w_i           Gini            the heaviest class          error, log (K - 1)
//   SAMME.R   w_i           Gini            a number for each class     -
//   M1        w_i           Gini            the heaviest class          error
//   MH        w_il          Gini            +1 on one class, else -1    edge
//   MM        w_il, l != y  Hellinger       a class                     costs saved and caused
//   M2        w_il, l != y  Hellinger       a set of classes            pseudo-loss
//
// Gini's weight of a row is the sum of its weights. By Hellinger's rule, a row speaks for its own
// class with that sum, and against each other class with its weight.
#pragma once

#include <vector>

#include "boosters/rival.hpp"

namespace mhb {

enum class SingleLabelMethod : std::uint8_t { Samme, SammeR, M1, MH, MM, M2 };

class SingleLabelBoost : public Rival {
public:
    SingleLabelBoost(const Binner& binner, const BinnedMatrix& matrix, const LabelledRows& rows,
                     SingleLabelMethod method, const Options& options);

private:
    // What a tree's leaves say: of each internal class (two where there is one score column).
    struct Said {
        std::vector<double> votes;         // n_leaves x n_classes
        std::vector<std::uint32_t> label;  // n_leaves, where a leaf names one class
        double alpha = 0;
        double edge = 0;
        bool perfect = false;
    };

    Outcome round(std::uint64_t number, const ShouldStop& should_stop) override;
    void start_weights();
    void lay_out_lanes();
    double fill_units();
    [[nodiscard]] std::vector<double> sum_leaves(std::size_t n_leaves);
    [[nodiscard]] Said say(const Tree& tree);
    [[nodiscard]] double said_right(const Said& said);
    void say_by_error(Said& said);
    void say_probabilities(const std::vector<double>& sums, Said& said) const;
    void say_mh(Said& said);
    void say_mm(Said& said);
    void say_m2(Said& said);
    // Multiplies weights; returns their sum, which becomes 1 again.
    double reweight(const Said& said);
    struct Factors {
        double right;
        double wrong;
    };
    [[nodiscard]] Factors factors(const Said& said) const;
    [[nodiscard]] double factor(const Said& said, const Factors& by, std::size_t k,
                                std::size_t row) const;
    [[nodiscard]] Hypothesis hypothesis_of(const Tree& tree, const Said& said, double unit) const;

    [[nodiscard]] bool by_class() const { return method_ >= SingleLabelMethod::MH; }
    [[nodiscard]] bool by_gini() const { return method_ <= SingleLabelMethod::MH; }
    // What row is for its own class, and against others.
    [[nodiscard]] double weight_for(std::size_t k, std::size_t row) const {
        return by_class() && method_ != SingleLabelMethod::MH ? row_sum_[row]
                                                              : weight_[place(k, row)];
    }
    [[nodiscard]] std::size_t place(std::size_t k, std::size_t row) const {
        return by_class() ? k * rows_.n_rows() + row : row;
    }

    SingleLabelMethod method_;
    std::vector<double> weight_;     // n_rows, or n_classes x n_rows
    std::vector<double> row_sum_;    // n_rows: of weight_ over classes
    std::vector<std::size_t> lane_;  // of each class
    std::size_t against_ = 0;        // from a class's lane to that of weights against it
    AlignedVector<Weight> lanes_;
    double log_scale_ = 0;  // of the product of all sums before they became 1
};

}  // namespace mhb
