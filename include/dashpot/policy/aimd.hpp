// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_AIMD_HPP
#define DASHPOT_POLICY_AIMD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/exact_double.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/policy/detail/limit_window.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Additive increase, multiplicative decrease: adds 1 to the limit per window, and shrinks it at a
/// drop.
///
/// It needs a target that refuses calls in an overload, or takes longer than `slow_after`. Without
/// drops it has no signal. For other targets use Gradient or Vegas.
///
/// **Contract.** A drop multiplies the limit by `decrease`, rounded down, but shrinks it by no more
/// than half. A call that began before the last decrease does not shrink it again. A window without a
/// decrease, in which half of the limit or more was in flight, adds 1. The limit stays in [min, max].
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1).
/// **Errors.** validate() refuses limits that contradict each other, a decrease outside (0, 1), and a
/// slow_after of 0 or less.
/// **Source.** D. Chiu, R. Jain, *Analysis of the Increase and Decrease Algorithms for Congestion
/// Avoidance*, 1989.
struct Aimd {
    std::uint32_t initial = 20; ///< The first limit, in [min, max]. Default 20.
    std::uint32_t min = 1;      ///< The lowest limit, 1 or more. Default 1.
    std::uint32_t max = 1000;   ///< The highest limit. Default 1000.
    /// The factor of a drop, in (0, 1). Default 0.9.
    double decrease = 0.9;
    /// A call that takes longer counts as a drop. Must be longer than 0. Default 5 s.
    Nanoseconds slow_after = std::chrono::seconds{5};

    friend bool operator==(const Aimd&, const Aimd&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Aimd& options) {
        return detail::FieldPrinter{out, "Aimd"}
            .field("initial", options.initial)
            .field("min", options.min)
            .field("max", options.max)
            .field("decrease", options.decrease)
            .field("slow_after", options.slow_after)
            .end();
    }

    constexpr void validate() const {
        detail::check_limits(initial, min, max, {"Aimd::initial", "Aimd::min", "Aimd::max"});
        const bool is_fraction =
            detail::bits_of(decrease) != 0 && detail::bits_of(decrease) < detail::bits_of(1.0);
        if (!is_fraction) {
            refuse_option("Aimd::decrease", decrease, "must be in (0, 1); to cut a tenth write 0.9");
        }
        if (slow_after.count() <= 0) {
            refuse_option("Aimd::slow_after", slow_after, "must be longer than 0s");
        }
    }

    class Estimator;
};

/// The current limit, and when it was last decreased.
class Aimd::Estimator {
  public:
    constexpr explicit Estimator(const Aimd& policy) noexcept
        : policy_{policy}, limit_{policy.initial},
          billionths_{static_cast<std::uint64_t>(policy.decrease * 1e9 + 0.5)} {}

    constexpr void record(const Sample& sample) noexcept {
        Sample judged = sample;
        judged.dropped |= detail::between(sample.began, sample.ended) > policy_.slow_after;
        if (judged.dropped && !(last_decrease_ && judged.began < *last_decrease_)) {
            limit_ = (std::max)(detail::reduced(limit_, billionths_), policy_.min);
            last_decrease_ = judged.ended;
            was_decreased_ = true;
        }
        const auto window = window_.add(judged);
        if (!window) return;
        if (!was_decreased_ && std::uint64_t{window->peak} * 2 >= limit_ && limit_ < policy_.max) {
            ++limit_;
        }
        was_decreased_ = false;
    }

    [[nodiscard]] constexpr std::uint32_t limit() const noexcept { return limit_; }

    /// Continues at the limit of `before`, as near as the new range allows.
    constexpr void take_over(const Estimator& before) noexcept {
        const Aimd policy = policy_;
        const std::uint64_t billionths = billionths_;
        *this = before;
        policy_ = policy;
        billionths_ = billionths;
        limit_ = (std::min)((std::max)(limit_, policy_.min), policy_.max);
    }

  private:
    Aimd policy_;
    std::uint32_t limit_;
    std::uint64_t billionths_;
    detail::LimitWindow window_{};
    std::optional<Instant> last_decrease_{};
    bool was_decreased_ = false; // in this window
};

static_assert(LimitPolicy<Aimd>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
