// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_POLICY_WINDOW_MODEL_HPP
#define DASHPOT_TESTS_POLICY_WINDOW_MODEL_HPP

#include "property.hpp"

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

/// What the policies must say, from nothing but the list of all calls: each question counts them anew.
/// And what property tests of time need besides: times that overflow nothing.
namespace model {

using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::SlowCalls;
using dashpot::TimeWindow;

/// Nanoseconds since the clock's epoch.
using Time = std::int64_t;
/// All that ended since the window was last emptied, oldest first.
using Calls = std::vector<FinishedCall>;

inline constexpr Time first = std::numeric_limits<Time>::min();
inline constexpr Time last = std::numeric_limits<Time>::max();

inline Instant at(Time time) { return Instant{std::chrono::nanoseconds{time}}; }
inline Time time_of(Instant instant) { return instant.time_since_epoch().count(); }
inline Time plus(Time a, Time b) {
    if (b > 0 && a > last - b) return last;
    return b < 0 && a < first - b ? first : a + b;
}

// Which calls a window holds.

inline Calls held(const CountWindow& policy, const Calls& all, Time /*now*/) {
    Calls calls;
    for (std::size_t i = 0; i != all.size(); ++i) {
        if (all.size() - i <= policy.size) calls.push_back(all[i]);
    }
    return calls;
}

inline Calls held(const TimeWindow& policy, const Calls& all, Time now) {
    const Time length = policy.length.count() / policy.buckets;
    const auto bucket = [&](Time time) {
        return time >= 0 ? time / length : -((-(time + 1)) / length) - 1;
    };

    Time latest = first; // a clock that steps back is held at the latest time that a call has shown
    std::vector<std::pair<Time, FinishedCall>> placed;
    for (const FinishedCall& call : all) {
        latest = std::max(latest, time_of(call.at));
        placed.emplace_back(bucket(latest), call);
    }
    const Time oldest = plus(bucket(std::max(now, latest)), 1 - Time{policy.buckets});
    Calls calls;
    for (const auto& [its, call] : placed) {
        if (its >= oldest) calls.push_back(call);
    }
    return calls;
}

// What another policy takes over, of calls that were recorded up to now.

inline Calls taken_over(const ConsecutiveFailures& /*before*/, const ConsecutiveFailures& /*after*/,
                        const Calls& all) {
    return all;
}

inline Calls taken_over(const CountWindow& before, const CountWindow& after, const Calls& all) {
    return held(after, held(before, all, 0), 0);
}

inline Calls taken_over(const TimeWindow& before, const TimeWindow& after, const Calls& all) {
    if (before.length / before.buckets != after.length / after.buckets) return {};
    return held(after, held(before, all, first), first); // as of the latest call
}

// What it shows, and what it says.

inline Counts counted(const ConsecutiveFailures& /*policy*/, const Calls& all, Time /*now*/) {
    Counts run;
    for (const FinishedCall& call : all) run.calls = call.failed ? run.calls + 1 : 0;
    run.failures = run.calls;
    return run;
}

template <class Window>
Counts counted(const Window& policy, const Calls& all, Time now) {
    Counts counts;
    for (const FinishedCall& call : held(policy, all, now)) {
        ++counts.calls;
        if (call.failed) ++counts.failures;
        if (call.slow && policy.slow_calls) ++counts.slow;
    }
    if (counts.calls < policy.minimum_calls) return counts;
    counts.failure_rate = double(counts.failures) / double(counts.calls);
    if (policy.slow_calls) counts.slow_rate = double(counts.slow) / double(counts.calls);
    return counts;
}

inline std::optional<Reason> verdict(const ConsecutiveFailures& policy, const Counts& counts) {
    return counts.failures >= policy.threshold ? std::optional{Reason::consecutive_failures}
                                               : std::nullopt;
}

template <class Window>
std::optional<Reason> verdict(const Window& policy, const Counts& counts) {
    const bool fails = counts.failure_rate.value_or(-1) >= policy.failure_rate;
    const bool drags = policy.slow_calls && counts.slow_rate.value_or(-1) >= policy.slow_calls->rate;
    if (fails && drags) return Reason::failure_rate_and_slow_rate;
    if (fails) return Reason::failure_rate;
    return drags ? std::optional{Reason::slow_rate} : std::nullopt;
}

// Chance, and what it brings to light.

/// Any rates, often the ones that do not fit into a double.
template <class Dice, class Window>
Window with_some_rates(Dice& dice, Window policy) {
    const double any = double(1 + dice.below(20)) / 20;
    policy.failure_rate = dice.template pick<double>({0.01, 0.3, 0.5, 2.0 / 3, 0.75, 1.0, any});
    if (dice.below(2) == 0) {
        policy.slow_calls = SlowCalls{.longer_than = std::chrono::seconds{1},
                                      .rate = dice.template pick<double>({0.07, 0.5, 1.0, any})};
    }
    return policy;
}

} // namespace model

#endif
