// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_COUNT_WINDOW_HPP
#define DASHPOT_POLICY_COUNT_WINDOW_HPP

#include <dashpot/core/contract.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/detail/window_rule.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dashpot::inline v0 {

/// Opens the circuit at a failure rate, or a rate of slow calls, among the last so many calls.
///
/// **Contract.** Judges exactly the last `size` calls, after each of them, successes too, once there
/// are `minimum_calls`. Opens at the rate, not above it; rates are never rounded: 99 of 200 is not 0.5.
/// **Threads.** A value. **Cost.** O(1) per call; a quarter of a byte per call of the window.
/// **Errors.** validate() refuses a size or minimum of 0, a minimum above the size, rates outside (0,
/// 1].
struct CountWindow {
    /// Calls in the window. 1 or more. Default 100.
    std::uint32_t size = 100;
    /// Calls that must be there before any verdict. 1 to `size`. Default 10.
    std::uint32_t minimum_calls = 10;
    /// The failure rate that opens the circuit, a ratio in (0, 1]. Default 0.5.
    double failure_rate = 0.5;
    /// Judge slow calls too. Default: no.
    std::optional<SlowCalls> slow_calls = std::nullopt;

    friend bool operator==(const CountWindow&, const CountWindow&) = default;

    constexpr void validate() const {
        if (size == 0) refuse_option("CountWindow::size must be 1 or more");
        if (minimum_calls == 0 || minimum_calls > size) {
            refuse_option("CountWindow::minimum_calls must be 1 or more and at most size: "
                          "the window never holds more");
        }
        if (!is_rate(failure_rate)) {
            refuse_option("CountWindow::failure_rate must be a ratio in (0, 1]: for 50 % write 0.5");
        }
        if (slow_calls) slow_calls->validate();
    }

    [[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> slow_after() const noexcept {
        return slow_calls ? std::optional<std::chrono::nanoseconds>{slow_calls->longer_than}
                          : std::nullopt;
    }

    class Tally;
};

/// The last `size` calls: a ring of two bits each, and its sums.
class CountWindow::Tally {
  public:
    constexpr explicit Tally(const CountWindow& policy)
        : rule_{policy.minimum_calls, policy.failure_rate, policy.slow_calls}, size_{policy.size},
          ring_((std::size_t{policy.size} + calls_per_word - 1) / calls_per_word) {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        std::uint64_t& word = ring_[next_ / calls_per_word];
        const std::uint32_t shift = next_ % calls_per_word * bits_per_call;
        if (sums_.calls == size_) {
            const std::uint64_t oldest = word >> shift;
            sums_.subtract({1, oldest & failed_bit ? 1U : 0U, oldest & slow_bit ? 1U : 0U});
        }
        sums_.add(call);
        word &= ~((failed_bit | slow_bit) << shift);
        word |= ((call.failed ? failed_bit : 0) | (call.slow ? slow_bit : 0)) << shift;
        next_ = next_ + 1 == size_ ? 0 : next_ + 1;
        return rule_.judge(sums_);
    }

    constexpr void clear() noexcept { // bits of calls not held are never read
        sums_ = {};
        next_ = 0;
    }

    [[nodiscard]] constexpr Counts counts(Instant /*now*/) const noexcept {
        return rule_.counts(sums_);
    }

    /// Full and clean: a success pushes out a success.
    [[nodiscard]] constexpr bool quiet() const noexcept {
        return sums_.calls == size_ && sums_.failures == 0 && sums_.slow == 0;
    }

  private:
    static constexpr std::uint32_t bits_per_call = 2;
    static constexpr std::uint32_t calls_per_word = 64 / bits_per_call;
    static constexpr std::uint64_t failed_bit = 1;
    static constexpr std::uint64_t slow_bit = 2;

    detail::WindowRule rule_;
    std::uint32_t size_;
    std::uint32_t next_ = 0; // where the next call goes; when full, the oldest call
    detail::WindowSums sums_;
    std::vector<std::uint64_t> ring_;
};

static_assert(FailurePolicy<CountWindow>);

} // namespace dashpot::inline v0

#endif
