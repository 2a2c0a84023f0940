// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_LOAD_HPP
#define DASHPOT_TESTS_SOAK_LOAD_HPP

#include "ledger.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace soak {

/// Clients that call the hub: for CORE more than its compartment holds, for CLAIM fewer, and one that
/// sends what is no request. Each is a thread and makes one call at a time, each on a connection of
/// its own: an answer is then for this request, and a break too.
class Load {
  public:
    /// It begins paused.
    Load(int port, Ledger& ledger, std::uint64_t seed);
    ~Load();
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;

    void resume();
    /// Begins no more calls, and returns when those under way are answered or broken.
    void pause();

  private:
    void run(const std::string& target, std::chrono::milliseconds pause_between, std::uint64_t seed);
    [[nodiscard]] bool begin_call();
    void end_call();

    const int port_;
    Ledger& ledger_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_paused_ = true;     // guarded by mutex_
    bool is_over_ = false;      // guarded by mutex_
    std::size_t under_way_ = 0; // guarded by mutex_
    std::vector<std::thread> clients_;
};

} // namespace soak

#endif
