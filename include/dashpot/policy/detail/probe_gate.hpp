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

/// One half-open period: hands out its probes and judges their answers.
///
/// **Contract.** At most `probes` are out or answered at any time; one given back may be handed out
/// again. Whoever answers holds a probe of this very period, or answers for allow() through
/// claim_unnamed(). **Threads.** None: a value, told the time.
class ProbeGate {
  public:
    enum class Verdict : std::uint8_t { undecided, close, reopen };

    constexpr explicit ProbeGate(const HalfOpen& options) noexcept : options_{options} {}

    /// Starts a new period in which an unanswered probe is waited for `probe_timeout` long.
    constexpr void restart(std::chrono::nanoseconds probe_timeout) noexcept {
        *this = ProbeGate{options_};
        probe_timeout_ = probe_timeout;
    }

    [[nodiscard]] constexpr bool all_out() const noexcept { return granted_ == options_.probes; }

    /// Hands out a probe; only while not all are out. An unnamed one, given through allow(), can be
    /// answered by anybody.
    constexpr void grant(Instant now, bool unnamed) noexcept {
        DASHPOT_ASSERT(!all_out());
        ++granted_;
        if (unnamed) ++unnamed_;
        // A taker who was held up since it read the time must not shorten the time of the others.
        last_granted_ = granted_ == 1 ? now : (std::max)(last_granted_, now);
    }

    /// While it is on, nobody else gets a probe: all are out, and not for too long. Some probe is
    /// unanswered whenever all are out, or there would have been a verdict.
    [[nodiscard]] constexpr Wait wait() const noexcept {
        return all_out() ? Wait{last_granted_, probe_timeout_} : Wait{};
    }

    /// Takes the right to answer one of allow()'s probes; false when none of them is unanswered.
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

    /// A probe that says nothing: its place is free again.
    constexpr void give_back() noexcept { --granted_; }

    [[nodiscard]] constexpr std::uint32_t in_flight() const noexcept {
        return granted_ - succeeded_ - failed_;
    }

    /// The answered probes.
    [[nodiscard]] constexpr Counts counts() const noexcept {
        return {.calls = std::uint64_t{succeeded_} + failed_, .failures = failed_, .slow = slow_};
    }

  private:
    HalfOpen options_;
    std::chrono::nanoseconds probe_timeout_{0};
    Instant last_granted_{};
    std::uint32_t granted_ = 0; // out or answered
    std::uint32_t unnamed_ = 0; // out through allow() and unanswered
    std::uint32_t succeeded_ = 0;
    std::uint32_t failed_ = 0;
    std::uint32_t slow_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
