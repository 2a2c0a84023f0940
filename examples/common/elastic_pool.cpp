// SPDX-License-Identifier: MIT
#include "elastic_pool.hpp"

#include "standard_streams.hpp"

#include <exception>
#include <system_error>
#include <utility>

namespace example {

void ElasticPool::enqueue(std::function<void()> job) {
    std::unique_lock lock{mutex_};
    room_.wait(lock, [this] { return jobs_.size() < max_waiting_; });
    jobs_.push_back({std::move(job), false});
    // Threads that were woken but did not get the lock yet still count as idle, and the jobs they
    // were woken for are still queued, so the comparison is exact.
    if (idle_ < jobs_.size() && !add_thread_locked()) {
        jobs_.back().is_short = true;
        shortage_.job_waits();
        return;
    }
    lock.unlock();
    work_or_end_.notify_one();
}

bool ElasticPool::add_thread_locked() {
    if (threads_.size() >= max_threads_) return false;
    try {
        threads_.emplace_back([this] { work(); });
        return true;
    } catch (const std::system_error&) {
        // The system has no thread to give. Those that exist will come to the job.
        if (threads_.empty()) throw;
        return false;
    }
}

void ElasticPool::work() {
    std::unique_lock lock{mutex_};
    for (;;) {
        if (jobs_.empty()) shortage_.settle(false);
        ++idle_;
        work_or_end_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
        --idle_;
        if (jobs_.empty()) return;
        Job job = std::move(jobs_.front());
        jobs_.pop_front();
        shortage_.settle(job.is_short);
        lock.unlock();
        room_.notify_one();
        try {
            job.run();
        } catch (const std::exception& error) {
            say("a connection was dropped", error.what());
        }
        job.run = nullptr;
        lock.lock();
    }
}

void ElasticPool::shutdown() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard lock{mutex_};
        ending_ = true;
        threads.swap(threads_);
    }
    work_or_end_.notify_all();
    for (std::thread& thread : threads) thread.join();
}

} // namespace example
