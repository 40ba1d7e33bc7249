// How a long computation learns that its caller wants it to stop.
#pragma once

#include <exception>
#include <functional>

namespace mhb {

// Asked between the nodes of a tree; answers true to stop. Cheap: the asker does not ration it.
using ShouldStop = std::function<bool()>;

// Thrown inside a round that is given up; caught by the booster, which drops the round.
struct Interrupted : std::exception {
    [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace mhb
