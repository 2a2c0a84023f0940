// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_LIMIT_WINDOW_HPP
#define DASHPOT_POLICY_DETAIL_LIMIT_WINDOW_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What a window of samples says.
struct WindowSummary {
    double latency = 0; ///< The mean, in nanoseconds; 1 or more.
    std::uint32_t calls = 0;
    std::uint32_t peak = 0; ///< The most calls in flight.
    bool has_drops = false;
    /// The first calls of all began not long ago, so that mostly short ones have ended; or the first
    /// window after that time.
    bool is_early = false;
    Instant ended{};
};

/// Collects samples until a second has passed and there are ten of them.
///
/// **Contract.** Each sample is in exactly one window. A drop is no sample of the latency, but it
/// counts for the peak. A call that ended before it began, because the clock stepped back, is none
/// either.
class LimitWindow {
  public:
    static constexpr std::chrono::nanoseconds length = std::chrono::seconds{1};
    static constexpr std::uint32_t fewest = 10;

    /// Adds a sample. Returns the summary if that ends the window.
    constexpr std::optional<WindowSummary> add(const Sample& sample) noexcept {
        if (!origin_) origin_ = sample.began;
        if (is_empty_ || sample.ended < start_) start_ = sample.ended; // a clock that steps back
        is_empty_ = false;
        now_.peak = sample.in_flight > now_.peak ? sample.in_flight : now_.peak;
        const std::chrono::nanoseconds latency = between(sample.began, sample.ended);
        if (sample.dropped) {
            now_.has_drops = true;
        } else if (latency.count() >= 0) {
            ++now_.calls;
            sum_ += static_cast<double>(latency.count());
        }
        if (now_.calls < fewest || between(start_, sample.ended) < length) return std::nullopt;
        WindowSummary whole = now_;
        whole.latency = sum_ / now_.calls;
        if (!(whole.latency >= 1)) whole.latency = 1;
        whole.ended = sample.ended;
        whole.is_early = is_early_;
        is_early_ = is_early_ &&
                    static_cast<double>(between(*origin_, sample.ended).count()) < 10 * whole.latency;
        clear();
        return whole;
    }

    /// Removes all samples.
    constexpr void clear() noexcept {
        now_ = {};
        sum_ = 0;
        is_empty_ = true;
    }

  private:
    std::optional<Instant> origin_{}; // when the first call of all began
    Instant start_{};
    WindowSummary now_{};
    double sum_ = 0;
    bool is_empty_ = true;
    bool is_early_ = true;
};

/// Refuses limits that contradict each other. `names` are those of the fields.
struct LimitNames {
    const char* initial;
    const char* min;
    const char* max;
};
constexpr void check_limits(std::uint32_t initial, std::uint32_t lowest, std::uint32_t highest,
                            const LimitNames& names) {
    if (lowest == 0) refuse_option(names.min, lowest, "must be 1 or more");
    if (highest < lowest) {
        refuse_option(names.max, highest, "must be at least min, which is ", lowest);
    }
    if (initial < lowest || initial > highest) {
        refuse_option(names.initial, initial, "must be in [min, max], which is [", lowest, ", ",
                      highest, "]");
    }
}

/// Returns the limit after a drop or an overload: `limit` times `billionths` / 10^9, rounded down, at
/// least one less, and at least half.
[[nodiscard]] constexpr std::uint32_t reduced(std::uint32_t limit, std::uint64_t billionths) noexcept {
    const auto product = static_cast<std::uint32_t>(limit * billionths / 1'000'000'000);
    const std::uint32_t less = product < limit ? product : limit - 1;
    const std::uint32_t half = limit - limit / 2;
    return less > half ? less : half;
}

/// Returns the limit after a drop, for a limit with a fraction: a tenth less, at least one less, and at
/// least half.
[[nodiscard]] constexpr double reduced(double limit) noexcept {
    const auto whole = static_cast<double>(static_cast<std::uint32_t>(limit));
    const double least = whole - 1 > limit / 2 ? whole - 1 : limit / 2;
    return limit * 0.9 < least ? limit * 0.9 : least;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
