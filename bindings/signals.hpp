// Ctrl-C while the core computes: heard within a twentieth of a second or so, between two tasks.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <utility>

#include "base/threads.hpp"

namespace mhb::python {

// Asks Python for signals a few times a second; remembers the exception that came of it.
class SignalWatch {
public:
    bool operator()() {
        const auto now = Clock::now();
        if (now - last_ < kPeriod) {
            return error_.has_value();
        }
        last_ = now;
        const nanobind::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) {
            error_.emplace();
        }
        return error_.has_value();
    }
    void rethrow() {
        if (error_) {
            throw std::move(*error_);
        }
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kPeriod{50};
    Clock::time_point last_ = Clock::now();
    std::optional<nanobind::python_error> error_;
};

// compute(should_stop), with the GIL released. Where it is given up half-way (by Interrupted), the
// signal's exception follows.
template <class Compute>
void interruptible(const Compute& compute) {
    SignalWatch watch;
    {
        const nanobind::gil_scoped_release release;
        try {
            compute([&] { return watch(); });
        } catch (const Interrupted&) {  // NOLINT(bugprone-empty-catch): rethrow tells
        }
    }
    watch.rethrow();
}

// The same for what runs in a pool of its own.
template <class Compute>
void interruptible(std::size_t n_threads, const Compute& compute) {
    interruptible([&](const ShouldStop& should_stop) {
        ThreadPool pool(n_threads);
        const ThreadPool::Watch watching(pool, should_stop);
        compute(pool);
    });
}

}  // namespace mhb::python
