// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_PROBE_GATE_HPP
#define DASHPOT_POLICY_DETAIL_PROBE_GATE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/half_open.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// One half-open period: grants its probes and judges their outcomes.
///
/// **Contract.** At most `probes` probes are in flight or answered at any time. A probe that was given
/// back may be granted again. The caller that records an outcome must hold a probe of the current
/// period, or must have called claim_unnamed() for a probe of allow(). **Threads.** It is a value
/// without synchronization and is passed the time.
class ProbeGate {
  public:
    enum class Verdict : std::uint8_t { undecided, close, reopen };

    constexpr explicit ProbeGate(const HalfOpen& options) noexcept : options_{options} {}

    /// Starts a new period. A probe may stay unanswered for `probe_timeout`.
    constexpr void restart(std::chrono::nanoseconds probe_timeout) noexcept {
        *this = ProbeGate{options_};
        probe_timeout_ = probe_timeout;
    }

    [[nodiscard]] constexpr bool all_out() const noexcept { return granted_ == options_.probes; }

    /// Grants a probe. It may only be called if not all probes are granted. A probe that allow()
    /// grants is unnamed: any caller can answer it.
    constexpr void grant(Instant now, bool unnamed) noexcept {
        DASHPOT_ASSERT(!all_out());
        ++granted_;
        if (unnamed) ++unnamed_;
        // A thread may be delayed after it has read the time. Its older time must not shorten the
        // timeout of the other probes.
        last_granted_ = granted_ == 1 ? now : (std::max)(last_granted_, now);
    }

    /// Returns the wait during which no other caller gets a probe; its length is 0 unless all probes
    /// are granted. If all are granted, some probe is unanswered: otherwise the period would have been
    /// decided.
    [[nodiscard]] constexpr Wait wait() const noexcept {
        return all_out() ? Wait{last_granted_, probe_timeout_} : Wait{};
    }

    /// Takes the right to answer one of allow()'s probes. Returns false if none of them is unanswered.
    constexpr bool claim_unnamed() noexcept {
        if (unnamed_ == 0) return false;
        --unnamed_;
        return true;
    }

    constexpr Verdict record(const FinishedCall& call) noexcept {
        if (call.slow) ++slow_;
        if (call.failed || call.slow) {
            ++failed_;
            return options_.probes - failed_ < options_.successes_needed() ? Verdict::reopen
                                                                           : Verdict::undecided;
        }
        ++succeeded_;
        return succeeded_ >= options_.successes_needed() ? Verdict::close : Verdict::undecided;
    }

    /// Gives a probe back without an outcome. The probe can then be granted again.
    constexpr void give_back() noexcept { --granted_; }

    [[nodiscard]] constexpr std::uint32_t in_flight() const noexcept {
        return granted_ - succeeded_ - failed_;
    }

    /// Returns the counts of the answered probes.
    [[nodiscard]] constexpr Counts counts() const noexcept {
        return {.calls = std::uint64_t{succeeded_} + failed_, .failures = failed_, .slow = slow_};
    }

  private:
    HalfOpen options_;
    std::chrono::nanoseconds probe_timeout_{0};
    Instant last_granted_{};
    std::uint32_t granted_ = 0; // in flight or answered
    std::uint32_t unnamed_ = 0; // granted by allow() and unanswered
    std::uint32_t succeeded_ = 0;
    std::uint32_t failed_ = 0;
    std::uint32_t slow_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
