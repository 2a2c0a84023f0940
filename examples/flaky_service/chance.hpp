// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_FLAKY_SERVICE_CHANCE_HPP
#define DASHPOT_EXAMPLES_FLAKY_SERVICE_CHANCE_HPP

#include <cstdint>
#include <mutex>
#include <random>

namespace flaky_service {

/// Decides by chance: the same seed gives the same decisions, on every platform.
///
/// **Threads.** Every member may be called from any thread at any time.
class Chance {
  public:
    explicit Chance(std::uint64_t seed) : engine_{seed} {}

    /// True with this probability: never for 0, always for 1.
    [[nodiscard]] bool strikes(double probability) {
        // By hand, since what std::uniform_real_distribution makes of an engine is each library's own.
        constexpr double unit = 1.0 / (std::uint64_t{1} << 53U);
        const std::lock_guard lock{mutex_};
        return static_cast<double>(engine_() >> 11U) * unit < probability;
    }

  private:
    std::mutex mutex_;
    std::mt19937_64 engine_; // guarded by mutex_
};

} // namespace flaky_service

#endif
