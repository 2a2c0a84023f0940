// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_ELASTIC_POOL_HPP
#define DASHPOT_EXAMPLES_COMMON_ELASTIC_POOL_HPP

#include "thread_shortage.hpp"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace example {

/// The threads of a server: made when needed, up to a bound, and kept. The bound may change; threads
/// that are there stay.
///
/// A job that finds no thread waits in a queue and is announced to the ThreadShortage. The queue is
/// bounded too: with it full, enqueue() waits, the server stops accepting, and the kernel's backlog
/// takes over. No job is ever lost.
class ElasticPool {
  public:
    /// @param max_threads  looked at whenever a thread is needed
    ElasticPool(const std::atomic<std::size_t>& max_threads, std::size_t max_waiting,
                ThreadShortage& shortage)
        : max_threads_{max_threads}, max_waiting_{max_waiting}, shortage_{shortage} {}
    ~ElasticPool() { shutdown(); }
    ElasticPool(const ElasticPool&) = delete;
    ElasticPool& operator=(const ElasticPool&) = delete;

    void enqueue(std::function<void()> job);
    /// Runs what is queued, then ends the threads.
    void shutdown();

  private:
    struct Job {
        std::function<void()> run;
        bool is_short; // known to the shortage as waiting
    };

    void work();
    bool add_thread_locked();

    const std::atomic<std::size_t>& max_threads_;
    const std::size_t max_waiting_;
    ThreadShortage& shortage_;

    std::mutex mutex_;
    std::condition_variable work_or_end_;
    std::condition_variable room_;
    std::deque<Job> jobs_;             // guarded by mutex_
    std::vector<std::thread> threads_; // guarded by mutex_
    std::size_t idle_ = 0;             // guarded by mutex_
    bool ending_ = false;              // guarded by mutex_
};

} // namespace example

#endif
