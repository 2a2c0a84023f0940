// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_CONSECUTIVE_FAILURES_HPP
#define DASHPOT_POLICY_CONSECUTIVE_FAILURES_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Opens the circuit after a run of failures with no success in between.
///
/// This is the simplest rule, and it is the right one if traffic is light or if a broken target fails
/// every call. It does not detect a target that fails every other call: use a window for such targets.
///
/// **Contract.** Opens at the `threshold`-th failure in a row. A success ends the run; an ignored call
/// neither ends nor extends it. In its Counts, `calls` and `failures` are the length of the run, and
/// the rates are empty.
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1); a Tally has eight
/// bytes.
/// **Errors.** validate() refuses a threshold of 0.
struct ConsecutiveFailures {
    /// The number of failures in a row that opens the circuit. Must be 1 or more. Default 5.
    std::uint32_t threshold = 5;

    friend bool operator==(const ConsecutiveFailures&, const ConsecutiveFailures&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const ConsecutiveFailures& options) {
        return detail::FieldPrinter{out, "ConsecutiveFailures"}
            .field("threshold", options.threshold)
            .end();
    }

    constexpr void validate() const {
        if (threshold == 0) {
            refuse_option("ConsecutiveFailures::threshold", threshold,
                          "must be 1 or more; to open at the first failure write 1");
        }
    }

    class Tally;
};

/// The length of the current run of failures.
class ConsecutiveFailures::Tally {
  public:
    constexpr explicit Tally(const ConsecutiveFailures& policy) noexcept
        : threshold_{policy.threshold} {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        if (!call.failed) {
            run_ = 0;
            return std::nullopt;
        }
        if (run_ != (std::numeric_limits<std::uint32_t>::max)()) ++run_;
        return run_ >= threshold_ ? std::optional{Reason::consecutive_failures} : std::nullopt;
    }

    [[nodiscard]] constexpr bool would_open(const FinishedCall& call) const noexcept {
        return call.failed && run_ >= threshold_ - 1;
    }

    constexpr void clear() noexcept { run_ = 0; }

    /// Continues the run of `before`.
    constexpr void take_over(const Tally& before) noexcept { run_ = before.run_; }

    [[nodiscard]] constexpr Counts counts(Instant /*now*/) const noexcept {
        return {.calls = run_, .failures = run_};
    }

    /// A success ends a run. If no run has begun, it changes nothing.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        return run_ == 0 ? NextSuccess::skip() : NextSuccess::record();
    }

  private:
    std::uint32_t threshold_;
    std::uint32_t run_ = 0; // after take_over() it may be the threshold or more
};

static_assert(FailurePolicy<ConsecutiveFailures>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
