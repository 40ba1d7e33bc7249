// Words of Python to enums of the core.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "boosters/evaluation.hpp"

namespace mhb::python {

template <class Choice, std::size_t n>
using Choices = std::array<std::pair<const char*, Choice>, n>;

inline constexpr Choices<Metric, 3> kMetrics = {{{"error", Metric::Error},
                                                 {"log_loss", Metric::LogLoss},
                                                 {"exponential", Metric::Exponential}}};

template <class Choice, std::size_t n>
Choice choose(const std::string& parameter, const std::string& given,
              const Choices<Choice, n>& choices) {
    std::string names;
    for (const auto& [name, choice] : choices) {
        if (given == name) {
            return choice;
        }
        names += (names.empty() ? "'" : ", '") + std::string(name) + "'";
    }
    throw std::invalid_argument(parameter + "='" + given + "': one of " + names + " is wanted");
}

}  // namespace mhb::python
