// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_GRADIENT_HPP
#define DASHPOT_POLICY_GRADIENT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/exact_double.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/policy/detail/limit_window.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Compares the latency of each window with a long-term baseline, and shrinks the limit by the ratio.
///
/// It needs no drops: a queue at the target makes calls slower, and that is its signal. It is the
/// default of AdaptiveLimiter.
///
/// **Contract.** In each window, `gradient = tolerance × baseline / latency`, at least 0.5 and at
/// most 1. The limit moves by the share `smoothing` towards `limit × gradient + queue`. It grows only
/// in a window in which half of it or more was in flight. Until the first sign of a queue, such a
/// window doubles it. A drop multiplies it by 0.9; a call that began before the last drop does not. It
/// stays in [min, max].
///
/// The baseline falls with each faster window. It rises, by a share 1 / long_window per window, while
/// less than half of the limit is in flight: the limiter's own queue cannot raise it. If shrinking the
/// limit did not make calls faster, or the limit is at `min`, the target itself has become slower: then
/// the baseline grows by the factor 1 + 1 / long_window per window.
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1).
/// **Errors.** validate() refuses limits that contradict each other, a tolerance below 1, a smoothing
/// outside (0, 1] and a long_window of 0.
/// **Source.** The idea of comparing a short with a long-term latency is that of the Gradient2 limit of
/// Netflix's concurrency-limits.
struct Gradient {
    std::uint32_t initial = 20; ///< The first limit, in [min, max]. Default 20.
    std::uint32_t min = 4;      ///< The lowest limit, 1 or more. Default 4.
    std::uint32_t max = 1000;   ///< The highest limit. Default 1000.
    /// How many times the baseline a latency may be. 1 or more. Default 1.5.
    double tolerance = 1.5;
    /// The share of the way to the new limit that a window moves, in (0, 1]. Default 0.2.
    double smoothing = 0.2;
    /// How many windows the baseline remembers. 1 or more. Default 600.
    std::uint32_t long_window = 600;
    /// How many calls may queue at the target, so that a higher limit is tried. Default 4.
    std::uint32_t queue = 4;

    friend bool operator==(const Gradient&, const Gradient&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Gradient& options) {
        return detail::FieldPrinter{out, "Gradient"}
            .field("initial", options.initial)
            .field("min", options.min)
            .field("max", options.max)
            .field("tolerance", options.tolerance)
            .field("smoothing", options.smoothing)
            .field("long_window", options.long_window)
            .field("queue", options.queue)
            .end();
    }

    constexpr void validate() const {
        detail::check_limits(initial, min, max,
                             {"Gradient::initial", "Gradient::min", "Gradient::max"});
        if (!detail::is_in(tolerance, 1.0, (std::numeric_limits<double>::max)())) {
            refuse_option("Gradient::tolerance", tolerance, "must be 1 or more");
        }
        if (!is_rate(smoothing)) {
            refuse_option("Gradient::smoothing", smoothing, "must be in (0, 1]");
        }
        if (long_window == 0) refuse_option("Gradient::long_window", long_window, "must be 1 or more");
    }

    class Estimator;
};

/// The current limit and the baseline.
class Gradient::Estimator {
  public:
    constexpr explicit Estimator(const Gradient& policy) noexcept
        : policy_{policy}, limit_{static_cast<double>(policy.initial)} {}

    constexpr void record(const Sample& sample) noexcept {
        if (sample.dropped && !(last_drop_ && sample.began < *last_drop_)) {
            set(detail::reduced(limit_));
            last_drop_ = sample.ended;
            is_starting_ = false;
        }
        if (const auto window = window_.add(sample)) judge(*window);
    }

    [[nodiscard]] constexpr std::uint32_t limit() const noexcept {
        return static_cast<std::uint32_t>(limit_);
    }

    /// Continues at the limit and with the baseline of `before`, as near as the new range allows.
    constexpr void take_over(const Estimator& before) noexcept {
        const Gradient policy = policy_;
        *this = before;
        policy_ = policy;
        set(limit_);
    }

  private:
    constexpr void judge(const detail::WindowSummary& window) noexcept {
        const bool is_used = 2.0 * window.peak >= static_cast<double>(limit());
        learn(window, is_used);
        const double gradient =
            (std::min)((std::max)(policy_.tolerance * baseline_ / window.latency, 0.5), 1.0);
        if (gradient < 1) is_starting_ = false;
        const double wanted = (limit_ + policy_.queue) * gradient;
        if (gradient < 1) {
            if (wanted < limit_) set(limit_ + (wanted - limit_) * policy_.smoothing);
        } else if (is_used && !window.has_drops) {
            grow(window, limit_ + (wanted - limit_) * policy_.smoothing);
        }
    }

    constexpr void learn(const detail::WindowSummary& window, bool is_used) noexcept {
        if (baseline_ == 0 || window.is_early) baseline_ = window.latency;
        // If the latency stays as it is while the limit falls, it is not the limiter's queue.
        if (window.latency > 1.1 * unchanged_ || window.latency < 0.9 * unchanged_) {
            unchanged_ = window.latency;
            limit_then_ = limit_;
        }
        const bool is_no_help = limit_ <= 0.7 * limit_then_ || limit() <= policy_.min;
        const double share = 1.0 / policy_.long_window;
        if (window.latency < baseline_) {
            // Few calls prove little, unless they are much faster.
            const double few = window.latency < 0.7 * baseline_ ? 100.0 : 5000.0;
            const double weight = window.calls / (window.calls + few);
            baseline_ += (window.latency - baseline_) * weight;
        } else if (!is_used) {
            baseline_ += (window.latency - baseline_) * share;
        } else if (is_no_help) {
            baseline_ = (std::min)(baseline_ * (1 + share), window.latency);
        }
    }

    constexpr void grow(const detail::WindowSummary& window, double limit) noexcept {
        if (!is_starting_) return set(limit);
        // The calls of the window must have felt the last doubling.
        const bool is_felt =
            !doubled_at_ || static_cast<double>(detail::between(*doubled_at_, window.ended).count()) >=
                                2 * window.latency;
        if (!is_felt) return;
        doubled_at_ = window.ended;
        set(limit_ * 2);
    }

    constexpr void set(double limit) noexcept {
        limit_ = (std::min)((std::max)(limit, static_cast<double>(policy_.min)),
                            static_cast<double>(policy_.max));
    }

    Gradient policy_;
    double limit_;
    detail::LimitWindow window_{};
    double baseline_ = 0;   // nanoseconds; 0 before the first window
    double unchanged_ = 0;  // the latency has been near this value
    double limit_then_ = 0; // since the limit was this
    std::optional<Instant> last_drop_{};
    std::optional<Instant> doubled_at_{};
    bool is_starting_ = true; // no sign of a queue yet
};

static_assert(LimitPolicy<Gradient>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
