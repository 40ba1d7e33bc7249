// A small thread pool: owned by whoever computes, never global, so that fork() is safe between
// fits.
//
// Threads start at the first parallel loop. Tasks are handed out one by one; results must not
// depend on which thread runs which task (ours are whole-number sums or rows of their own).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/interruption.hpp"

namespace mhb {

// What a pool's threads do with denormals. Users' values may be as small as they like: only who
// computes with weights flushes, and in its own thread, too.
enum class Denormals : std::uint8_t { Keep, Flush };

class ThreadPool {
public:
    using Task = std::function<void(std::size_t task, std::size_t thread)>;

    explicit ThreadPool(std::size_t n_threads, Denormals denormals = Denormals::Keep);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] std::size_t size() const { return n_threads_; }

    // While one of these lives, the calling thread asks between its tasks whether to stop; the loop
    // that it stops throws Interrupted.
    class Watch {
    public:
        Watch(ThreadPool& pool, const ShouldStop& should_stop) : pool_(pool) {
            pool_.should_stop_ = &should_stop;
        }
        ~Watch() { pool_.should_stop_ = nullptr; }
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;

    private:
        ThreadPool& pool_;
    };

    // Runs task 0 .. n_tasks-1, each once; returns when all are done. The first exception is
    // rethrown here, after the others have stopped. Serial when there is one thread or one task.
    void parallel_for(std::size_t n_tasks, const Task& task);

private:
    void start();
    void worker(std::size_t thread);
    void drain(std::size_t thread);
    void ask() const;

    std::size_t n_threads_;
    Denormals denormals_;
    std::vector<std::thread> threads_;
    std::atomic<std::uint32_t> generation_{0};  // grows by one with every parallel loop
    std::atomic<std::uint32_t> busy_{0};        // workers that have not finished this loop
    std::atomic<bool> closing_{false};
    std::atomic<std::size_t> next_{0};
    std::size_t n_tasks_ = 0;
    const Task* task_ = nullptr;
    const ShouldStop* should_stop_ = nullptr;
    std::mutex failure_mutex_;
    std::exception_ptr failure_;
};

// Splits [0, n) into pieces of `grain` rows and runs body(begin, end, thread) on each.
template <class Body>
void parallel_rows(ThreadPool& pool, std::size_t n, std::size_t grain, const Body& body) {
    const std::size_t n_tasks = (n + grain - 1) / grain;
    pool.parallel_for(n_tasks, [&](std::size_t task, std::size_t thread) {
        const std::size_t begin = task * grain;
        const std::size_t end = begin + grain < n ? begin + grain : n;
        body(begin, end, thread);
    });
}

}  // namespace mhb
