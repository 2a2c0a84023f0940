// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CALL_TIMEOUT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CALL_TIMEOUT_HPP

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace relay_hub {

/// The call time-out of one target, which changes together with its guards.
///
/// A probe that does not answer within its probe_timeout is taken for lost, and another goes out. So no
/// probe's call may go on longer, and a half-open period keeps the probe_timeout that it began with.
///
/// **Contract.** Who wants to make a call asks for the version, then the guards, then for the time-out,
/// with that version and the generation that the guards let it in with. What it gets belongs to the
/// same config as the guards that it met; in a half-open period it is no longer than that of the config
/// that the period began with.
/// **Threads.** Every member may be called from any thread at any time. Who asks while the guards
/// change waits until they have.
class CallTimeout {
  public:
    explicit CallTimeout(std::chrono::nanoseconds timeout) : in_force_{timeout} {}

    [[nodiscard]] std::uint64_t version() const {
        const std::lock_guard lock{mutex_};
        return version_;
    }

    /// @return nothing: the config has changed since `version`; begin again
    [[nodiscard]] std::optional<std::chrono::nanoseconds> of(std::uint64_t generation,
                                                             std::uint64_t version) const {
        const std::lock_guard lock{mutex_};
        if (version != version_) return std::nullopt;
        return generation == period_ ? std::min(in_force_, of_period_) : in_force_;
    }

    /// Changes it in one step with the guards.
    /// @param change_guards  returns the generation of the half-open period that is under way then, if
    ///                       one is
    template <class F>
    void change(std::chrono::nanoseconds timeout, F&& change_guards) {
        const std::lock_guard lock{mutex_};
        const std::optional<std::uint64_t> half_open = std::forward<F>(change_guards)();
        if (half_open) {
            of_period_ = *half_open == period_ ? std::min(of_period_, in_force_) : in_force_;
            period_ = *half_open;
        }
        in_force_ = timeout;
        ++version_;
    }

  private:
    mutable std::mutex mutex_;
    std::uint64_t version_ = 0;             // guarded by mutex_
    std::chrono::nanoseconds in_force_;     // guarded by mutex_
    std::uint64_t period_ = 0;              // guarded by mutex_; no generation is 0
    std::chrono::nanoseconds of_period_{0}; // guarded by mutex_
};

} // namespace relay_hub

#endif
