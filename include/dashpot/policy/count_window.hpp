// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_COUNT_WINDOW_HPP
#define DASHPOT_POLICY_COUNT_WINDOW_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/fixed_array.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/policy/detail/window_rule.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>
#include <dashpot/policy/slow_calls.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Opens the circuit at a failure rate, or at a rate of slow calls, among the last `size` calls.
///
/// **Contract.** Judges exactly the last `size` calls. It judges after each call, including successes,
/// as soon as the window holds `minimum_calls`. The circuit opens if the rate is reached; the rate
/// need not be exceeded. Rates are never rounded: 99 of 200 is not 0.5.
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1). The window has a
/// quarter of a byte per call.
/// **Errors.** validate() refuses a size or minimum of 0, a minimum above the size, and rates outside
/// (0, 1].
struct CountWindow {
    /// The number of calls in the window. Must be 1 or more. Default 100.
    std::uint32_t size = 100;
    /// The number of calls that the window must hold before it is judged. Range 1 to `size`. Default
    /// 10.
    std::uint32_t minimum_calls = 10;
    /// The failure rate that opens the circuit, a ratio in (0, 1]. Default 0.5.
    double failure_rate = 0.5;
    /// The rule for slow calls. Default: empty; slow calls are not judged.
    std::optional<SlowCalls> slow_calls = std::nullopt;

    friend bool operator==(const CountWindow&, const CountWindow&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const CountWindow& options) {
        return detail::FieldPrinter{out, "CountWindow"}
            .field("size", options.size)
            .field("minimum_calls", options.minimum_calls)
            .field("failure_rate", options.failure_rate)
            .optional("slow_calls", options.slow_calls)
            .end();
    }

    constexpr void validate() const {
        if (size == 0) refuse_option("CountWindow::size", size, "must be 1 or more");
        if (minimum_calls == 0 || minimum_calls > size) {
            refuse_option("CountWindow::minimum_calls", minimum_calls, "must be in [1, ", size,
                          "]; the window holds at most CountWindow::size calls");
        }
        if (!is_rate(failure_rate)) {
            refuse_option("CountWindow::failure_rate", failure_rate,
                          "must be in (0, 1]; for 50 % write 0.5");
        }
        if (slow_calls) slow_calls->validate();
    }

    [[nodiscard]] constexpr std::optional<std::chrono::nanoseconds> slow_after() const noexcept {
        return slow_calls ? std::optional<std::chrono::nanoseconds>{slow_calls->longer_than}
                          : std::nullopt;
    }

    class Tally;
};

/// The last `size` calls, as a ring of two bits per call, and their sums.
class CountWindow::Tally {
  public:
    constexpr explicit Tally(const CountWindow& policy)
        : rule_{policy.minimum_calls, policy.failure_rate, policy.slow_calls}, size_{policy.size},
          ring_(words_for(policy.size)) {}

    constexpr std::optional<Reason> record(const FinishedCall& call) noexcept {
        put(call);
        return rule_.judge(sums_);
    }

    [[nodiscard]] constexpr bool would_open(const FinishedCall& call) const noexcept {
        return rule_.judge(with(call)).has_value();
    }

    /// In a window that is full and clean, a success replaces a success and changes nothing.
    [[nodiscard]] constexpr NextSuccess next_success() const noexcept {
        if (sums_.calls == size_ && sums_.is_clean()) return NextSuccess::skip();
        return rule_.successes_open_nothing(sums_) ? NextSuccess::count() : NextSuccess::record();
    }

    /// Records successes that are not slow.
    /// **Cost.** O(count / 32), at most O(size / 32).
    constexpr void record_successes(std::uint64_t count) noexcept {
        auto rest = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, size_));
        const std::uint64_t held = std::min<std::uint64_t>(sums_.calls + rest, size_);
        while (rest != 0) {
            const std::uint32_t first = next_ % calls_per_word;
            const std::uint32_t some = (std::min)({rest, calls_per_word - first, size_ - next_});
            const std::uint64_t bits =
                (some == calls_per_word ? ~std::uint64_t{0}
                                        : (std::uint64_t{1} << some * bits_per_call) - 1)
                << first * bits_per_call;
            std::uint64_t& word = ring_[next_ / calls_per_word];
            sums_.failures -= static_cast<std::uint64_t>(std::popcount(word & bits & failed_bits));
            sums_.slow -= static_cast<std::uint64_t>(std::popcount(word & bits & ~failed_bits));
            word &= ~bits;
            next_ = next_ + some == size_ ? 0 : next_ + some;
            rest -= some;
        }
        sums_.calls = held;
    }

    constexpr void clear() noexcept {
        if (!sums_.is_clean()) std::fill(ring_.begin(), ring_.end(), std::uint64_t{0});
        sums_ = {};
        next_ = 0;
    }

    /// Takes over the newest calls that fit, exactly.
    /// **Cost.** O(size / 32) if both sizes are equal, otherwise O(size).
    constexpr void take_over(const Tally& before) noexcept {
        if (before.size_ == size_) {
            std::copy(before.ring_.begin(), before.ring_.end(), ring_.begin());
            next_ = before.next_;
            sums_ = before.sums_;
            return;
        }
        const auto held = static_cast<std::uint32_t>(before.sums_.calls);
        for (std::uint32_t age = (std::min)(held, size_); age != 0; --age) put(before.call_of_age(age));
    }

    [[nodiscard]] constexpr Counts counts(Instant /*now*/) const noexcept {
        return rule_.counts(sums_);
    }

    /// Returns the number of words of the ring that holds `size` calls. It does not add to `size`
    /// before the division: such a sum would wrap on 32-bit targets.
    [[nodiscard]] static constexpr std::uint32_t words_for(std::uint32_t size) noexcept {
        return size / calls_per_word + (size % calls_per_word == 0 ? 0 : 1);
    }

  private:
    /// Returns the sums as they would be after one more call.
    [[nodiscard]] constexpr detail::WindowSums with(const FinishedCall& call) const noexcept {
        detail::WindowSums sums = sums_;
        if (sums.calls == size_) {
            const FinishedCall oldest = call_at(next_);
            sums.subtract({1, oldest.failed ? 1U : 0U, oldest.slow ? 1U : 0U});
        }
        sums.add(call);
        return sums;
    }

    constexpr void put(const FinishedCall& call) noexcept {
        sums_ = with(call);
        std::uint64_t& word = ring_[next_ / calls_per_word];
        const std::uint32_t shift = next_ % calls_per_word * bits_per_call;
        word &= ~((failed_bit | slow_bit) << shift);
        word |= ((call.failed ? failed_bit : 0) | (call.slow ? slow_bit : 0)) << shift;
        next_ = next_ + 1 == size_ ? 0 : next_ + 1;
    }

    [[nodiscard]] constexpr FinishedCall call_at(std::uint32_t place) const noexcept {
        const std::uint64_t bits =
            ring_[place / calls_per_word] >> place % calls_per_word * bits_per_call;
        return {.failed = (bits & failed_bit) != 0, .slow = (bits & slow_bit) != 0};
    }

    /// Returns the call of that age. The newest call has age 1.
    [[nodiscard]] constexpr FinishedCall call_of_age(std::uint32_t age) const noexcept {
        return call_at(next_ >= age ? next_ - age : size_ - (age - next_));
    }

    static constexpr std::uint32_t bits_per_call = 2;
    static constexpr std::uint32_t calls_per_word = 64 / bits_per_call;
    static constexpr std::uint64_t failed_bit = 1;
    static constexpr std::uint64_t slow_bit = 2;
    static constexpr std::uint64_t failed_bits = 0x5555'5555'5555'5555; // for all calls in a word

    detail::WindowRule rule_;
    std::uint32_t size_;
    std::uint32_t next_ = 0; // index of the next call; of the oldest one if the window is full
    detail::WindowSums sums_;
    detail::FixedArray<std::uint64_t> ring_; // the bits of unused places are 0
};

static_assert(FailurePolicy<CountWindow>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
