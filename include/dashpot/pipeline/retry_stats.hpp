// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_RETRY_STATS_HPP
#define DASHPOT_PIPELINE_RETRY_STATS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/threading.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// Why a Retry gave up, although the last attempt ended in a way that it tries again.
enum class GaveUp : std::uint8_t {
    attempts,    ///< All attempts were made.
    deadline,    ///< The wait would have ended at the deadline or later.
    budget,      ///< The retry budget was empty.
    stop,        ///< A stop was requested.
    retry_after, ///< The target asked for a longer wait than Retry::max_retry_after.
};

/// Returns the name of the enumerator, for example "deadline".
[[nodiscard]] constexpr std::string_view to_string(GaveUp reason) noexcept {
    switch (reason) {
    case GaveUp::attempts: return "attempts";
    case GaveUp::deadline: return "deadline";
    case GaveUp::budget: return "budget";
    case GaveUp::stop: return "stop";
    case GaveUp::retry_after: return "retry_after";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, GaveUp reason) {
    return out << to_string(reason);
}

namespace detail {
inline constexpr std::size_t gave_up_count = 5;
}

/// Counts what the Retry of one or of many pipelines does, and how often a Fallback answers.
///
///     dashpot::RetryStats stats;
///     auto protect = dashpot::pipeline(dashpot::Retry{.stats = &stats}, target);
///
/// **Contract.** The numbers only grow. Several strategies may share one object, which must outlive
/// their pipelines. If all counts of one instant are read one by one, they may differ by the calls in
/// between.
/// **Threads.** Any thread may call every member at any time.
/// **Cost.** One relaxed atomic increment per attempt, and one for each other count.
class RetryStats {
  public:
    RetryStats() noexcept = default;

    RetryStats(const RetryStats&) = delete;
    RetryStats& operator=(const RetryStats&) = delete;

    /// Returns the number of attempts, first attempts included.
    [[nodiscard]] std::uint64_t attempts() const noexcept { return value_of(attempts_); }
    /// Returns the number of attempts that followed another attempt of the same call.
    [[nodiscard]] std::uint64_t retries() const noexcept { return value_of(retries_); }
    /// Returns the number of calls that were given up for this reason.
    [[nodiscard]] std::uint64_t gave_up(GaveUp reason) const noexcept {
        return value_of(gave_up_[static_cast<std::size_t>(reason)]);
    }
    /// Returns the number of calls that a Fallback answered.
    [[nodiscard]] std::uint64_t fallbacks() const noexcept { return value_of(fallbacks_); }

    /// Called by the pipeline, and by adapters.
    void count_attempt() noexcept { add_one(attempts_); }
    void count_retry() noexcept { add_one(retries_); }
    void count_gave_up(GaveUp reason) noexcept { add_one(gave_up_[static_cast<std::size_t>(reason)]); }
    void count_fallback() noexcept { add_one(fallbacks_); }

  private:
    using Count = threading::atomic<std::uint64_t>;

    [[nodiscard]] static std::uint64_t value_of(const Count& count) noexcept {
        return count.load(std::memory_order_relaxed);
    }
    static void add_one(Count& count) noexcept { count.fetch_add(1, std::memory_order_relaxed); }

    Count attempts_{0};
    Count retries_{0};
    Count fallbacks_{0};
    std::array<Count, detail::gave_up_count> gave_up_{};
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
