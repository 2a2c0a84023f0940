// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_LOAD_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_LOAD_HPP

#include "sample.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace relay_demo {

struct LoadOptions {
    int port = 0;
    std::string target{};
    std::size_t clients = 1;
    /// What a client waits after each answer.
    std::chrono::milliseconds pause{0};
    /// How many calls each client makes, at most.
    std::size_t calls = std::numeric_limits<std::size_t>::max();
    /// How long a client waits for an answer, as it tells the hub. None: as long as it takes.
    std::optional<std::chrono::milliseconds> patience{};
};

/// Clients that call the hub, each on a thread of its own and one call at a time.
class Load {
  public:
    explicit Load(LoadOptions options);
    ~Load();
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    /// What was answered since it began, or was last asked. Does not stop it.
    [[nodiscard]] Sample take();

    /// Waits for all calls, but not longer than `limit`, and begins no more. What is answered after
    /// that is not part of the measured time.
    [[nodiscard]] Sample finish(std::chrono::milliseconds limit);

  private:
    void run_client();

    const LoadOptions options_;
    std::atomic<bool> is_stopping_ = false;
    std::atomic<std::size_t> running_;
    std::mutex mutex_;
    Sample sample_; // guarded by mutex_
    std::vector<std::thread> clients_;
};

} // namespace relay_demo

#endif
