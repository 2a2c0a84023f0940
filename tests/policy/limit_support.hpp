// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_POLICY_LIMIT_SUPPORT_HPP
#define DASHPOT_TESTS_POLICY_LIMIT_SUPPORT_HPP

#include <dashpot/core/duration.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <chrono>
#include <cstdint>

/// What the tests of the limit policies share.
namespace limit_support {

using dashpot::Instant;
using dashpot::Sample;
using std::chrono::nanoseconds;

/// Ends at `now` after `latency`.
constexpr Sample call(nanoseconds now, nanoseconds latency, std::uint32_t in_flight,
                      bool is_dropped = false) {
    return {Instant{now - latency}, Instant{now}, in_flight, is_dropped};
}

/// Feeds an estimator whole windows: ten calls a second.
template <class Estimator>
class Feed {
  public:
    template <class P>
    constexpr explicit Feed(const P& policy) : estimator{policy} {}

    /// `windows` windows of calls that take `latency`, with `in_flight` of them at once.
    constexpr void windows(int windows, nanoseconds latency, std::uint32_t in_flight) {
        for (int i = 0; i != windows * 10; ++i) {
            now += std::chrono::milliseconds{112}; // ten of them, and more than a second
            estimator.record(call(now, latency, in_flight));
        }
    }
    /// The same with as many in flight as the limit allows.
    constexpr void saturated(int windows_of_it, nanoseconds latency) {
        for (int i = 0; i != windows_of_it; ++i) windows(1, latency, estimator.limit());
    }
    constexpr void drop(std::uint32_t in_flight) {
        now += std::chrono::milliseconds{1};
        estimator.record(call(now, nanoseconds{1}, in_flight, true));
    }

    Estimator estimator;
    nanoseconds now{std::chrono::hours{1}};
};

} // namespace limit_support

#endif
