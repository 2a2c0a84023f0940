// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_VEGAS_HPP
#define DASHPOT_POLICY_VEGAS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/detail/wait.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/policy/detail/limit_window.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>

namespace dashpot::inline DASHPOT_ABI {

/// Estimates how many calls queue at the target, from the latency of a window and the lowest one, and
/// keeps that number small.
///
/// It needs no drops. It keeps latency lower than Gradient, and reacts to smaller queues.
///
/// **Contract.** `queue = limit × (1 − lowest / latency)`. Fewer than 3 × log10(limit) queued calls are
/// too few: the limit grows by log10(limit), in a window in which half of it or more was in flight.
/// Until the first sign of a queue, such a window doubles it. More than twice as many are too many: the
/// limit shrinks by half of the excess. A drop multiplies it by 0.9; a call that began before the last
/// drop does not. It stays in [min, max].
///
/// After `probe_every` windows the lowest latency is measured again. If the limit is fully used, it is
/// halved for that time. If less than half of it is used, the latency is taken as it is.
/// **Threads.** It is a value without synchronization. **Cost.** Each call is O(1).
/// **Errors.** validate() refuses limits that contradict each other, a smoothing outside (0, 1] and a
/// probe_every of 0.
/// **Source.** L. Brakmo, L. Peterson, *TCP Vegas*, 1995; for calls in place of packets, the Vegas
/// limit of Netflix's concurrency-limits.
struct Vegas {
    std::uint32_t initial = 20; ///< The first limit, in [min, max]. Default 20.
    std::uint32_t min = 1;      ///< The lowest limit, 1 or more. Default 1.
    std::uint32_t max = 1000;   ///< The highest limit. Default 1000.
    /// The share of a change that a window makes, in (0, 1]. Default 1: all of it.
    double smoothing = 1.0;
    /// Windows from one measurement of the lowest latency to the next. 1 or more. Default 30.
    std::uint32_t probe_every = 30;

    friend bool operator==(const Vegas&, const Vegas&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Vegas& options) {
        return detail::FieldPrinter{out, "Vegas"}
            .field("initial", options.initial)
            .field("min", options.min)
            .field("max", options.max)
            .field("smoothing", options.smoothing)
            .field("probe_every", options.probe_every)
            .end();
    }

    constexpr void validate() const {
        detail::check_limits(initial, min, max, {"Vegas::initial", "Vegas::min", "Vegas::max"});
        if (!is_rate(smoothing)) refuse_option("Vegas::smoothing", smoothing, "must be in (0, 1]");
        if (probe_every == 0) refuse_option("Vegas::probe_every", probe_every, "must be 1 or more");
    }

    class Estimator;
};

/// The current limit and the lowest latency.
class Vegas::Estimator {
  public:
    constexpr explicit Estimator(const Vegas& policy) noexcept
        : policy_{policy}, limit_{static_cast<double>(policy.initial)} {}

    constexpr void record(const Sample& sample) noexcept {
        if (sample.dropped && !(last_drop_ && sample.began < *last_drop_)) {
            set(detail::reduced(limit_));
            last_drop_ = sample.ended;
            is_starting_ = false;
        }
        if (phase_ == Phase::draining) return drain(sample);
        const auto window = window_.add(sample);
        if (!window) return;
        if (phase_ == Phase::measuring) {
            lowest_ += (window->latency - lowest_) * weight(*window, 50);
            latency_ = 0;
            phase_ = Phase::normal;
        } else {
            judge(*window);
        }
    }

    /// The limit; while the lowest latency is measured, half of it.
    [[nodiscard]] constexpr std::uint32_t limit() const noexcept {
        const auto whole = static_cast<std::uint32_t>(limit_);
        return phase_ == Phase::normal ? whole : (std::max)(whole - whole / 2, policy_.min);
    }

    /// Continues at the limit and with the lowest latency of `before`, as near as the new range allows.
    constexpr void take_over(const Estimator& before) noexcept {
        const Vegas policy = policy_;
        *this = before;
        policy_ = policy;
        set(limit_);
    }

  private:
    enum class Phase : std::uint8_t {
        normal,
        draining, // the limit is halved; calls of before are still under way
        measuring // calls that began with the halved limit
    };

    constexpr void judge(const detail::WindowSummary& window) noexcept {
        const bool is_used = std::uint64_t{window.peak} * 2 >= limit();
        const bool is_full = window.peak >= limit();
        if (lowest_ == 0 || window.is_early) lowest_ = window.latency;
        if (latency_ == 0 || window.is_early) latency_ = window.latency;
        latency_ += (window.latency - latency_) * weight(window, 100);
        if (latency_ < lowest_) lowest_ += (latency_ - lowest_) * weight(window, 2000);
        if (++windows_ >= policy_.probe_every && (is_full || !is_used)) {
            windows_ = 0;
            if (is_full) {
                phase_ = Phase::draining;
                drained_at_.reset();
                drain_for_ = 2 * window.latency;
                return;
            }
            lowest_ += (window.latency - lowest_) * weight(window, 50);
        }
        const double few = (std::max)((std::min)(3 * log10(limit_) + limit_ / 20, limit_ / 5), 1.5);
        const double queued = limit_ * (1 - lowest_ / latency_);
        if (queued > 2 * few) {
            is_starting_ = false;
            set(limit_ - (std::min)((std::max)((queued - 2 * few) / 2, log10(limit_)), limit_ / 2) *
                             policy_.smoothing);
        } else if (queued < few && is_used && !window.has_drops) {
            grow(window);
        }
    }

    constexpr void grow(const detail::WindowSummary& window) noexcept {
        if (!is_starting_) return set(limit_ + log10(limit_) * policy_.smoothing);
        // The calls of the window must have felt the last doubling.
        const bool is_felt =
            !doubled_at_ || static_cast<double>(detail::between(*doubled_at_, window.ended).count()) >=
                                2 * window.latency;
        if (!is_felt) return;
        doubled_at_ = window.ended;
        set(limit_ * 2);
    }

    constexpr void drain(const Sample& sample) noexcept {
        if (!drained_at_) {
            const double most = 9.2e18; // the longest duration, nearly
            drained_at_ = detail::Wait{sample.ended, std::chrono::nanoseconds{static_cast<std::int64_t>(
                                                         (std::min)(drain_for_, most))}};
        }
        if (drained_at_->is_on(sample.began)) return;
        phase_ = Phase::measuring;
        window_.clear();
        (void)window_.add(sample);
    }

    /// Returns how much a window says: half of all, if it has `half` calls.
    [[nodiscard]] static constexpr double weight(const detail::WindowSummary& window,
                                                 double half) noexcept {
        return window.calls / (window.calls + half);
    }

    /// Returns nearly log10(value), at least 1: integers would make small limits stand still.
    [[nodiscard]] static constexpr double log10(double value) noexcept {
        double twos = 0;
        while (value >= 2) {
            value /= 2;
            ++twos;
        }
        return (std::max)((twos + value - 1) * 0.30103, 1.0);
    }

    constexpr void set(double limit) noexcept {
        limit_ = (std::min)((std::max)(limit, static_cast<double>(policy_.min)),
                            static_cast<double>(policy_.max));
    }

    Vegas policy_;
    double limit_;
    detail::LimitWindow window_{};
    double lowest_ = 0;         // nanoseconds; 0 before the first window
    double latency_ = 0;        // smoothed; 0 before the first window, and after a measurement
    std::uint32_t windows_ = 0; // since the lowest latency was measured
    double drain_for_ = 0;
    std::optional<detail::Wait> drained_at_{};
    Phase phase_ = Phase::normal;
    std::optional<Instant> last_drop_{};
    std::optional<Instant> doubled_at_{};
    bool is_starting_ = true; // no sign of a queue yet
};

static_assert(LimitPolicy<Vegas>);

} // namespace dashpot::inline DASHPOT_ABI

#endif
