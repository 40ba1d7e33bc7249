#include "base/threads.hpp"

#include <optional>
#include <utility>

#include "base/denormals.hpp"

namespace mhb {

ThreadPool::ThreadPool(std::size_t n_threads, Denormals denormals)
    : n_threads_(n_threads == 0 ? 1 : n_threads), denormals_(denormals) {}

ThreadPool::~ThreadPool() {
    closing_ = true;
    generation_.fetch_add(1);
    generation_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::start() {
    threads_.reserve(n_threads_ - 1);
    while (threads_.size() + 1 < n_threads_) {
        threads_.emplace_back([this, thread = threads_.size() + 1] { worker(thread); });
    }
}

void ThreadPool::worker(std::size_t thread) {
    std::optional<FlushDenormals> flush;
    if (denormals_ == Denormals::Flush) {
        flush.emplace();
    }
    // Threads start inside the first loop, before its generation is announced.
    std::uint32_t seen = 0;
    while (true) {
        generation_.wait(seen);
        seen = generation_.load();
        if (closing_) {
            return;
        }
        drain(thread);
        if (busy_.fetch_sub(1) == 1) {
            busy_.notify_one();
        }
    }
}

void ThreadPool::ask() const {
    if (should_stop_ != nullptr && (*should_stop_)()) {
        throw Interrupted{};
    }
}

void ThreadPool::drain(std::size_t thread) {
    try {
        for (std::size_t task = next_.fetch_add(1); task < n_tasks_; task = next_.fetch_add(1)) {
            if (thread == 0) {
                ask();
            }
            (*task_)(task, thread);
        }
    } catch (...) {
        next_ = n_tasks_;
        const std::lock_guard<std::mutex> lock(failure_mutex_);
        if (!failure_) {
            failure_ = std::current_exception();
        }
    }
}

void ThreadPool::parallel_for(std::size_t n_tasks, const Task& task) {
    if (n_threads_ == 1 || n_tasks <= 1) {
        for (std::size_t i = 0; i < n_tasks; ++i) {
            ask();
            task(i, 0);
        }
        return;
    }
    if (threads_.empty()) {
        start();
    }
    task_ = &task;
    n_tasks_ = n_tasks;
    next_ = 0;
    busy_ = static_cast<std::uint32_t>(threads_.size());
    generation_.fetch_add(1);
    generation_.notify_all();
    drain(0);
    for (std::uint32_t left = busy_.load(); left != 0; left = busy_.load()) {
        busy_.wait(left);
    }
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

}  // namespace mhb
