// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_LIMIT_FAMILIES_HPP
#define DASHPOT_ADAPTER_DETAIL_LIMIT_FAMILIES_HPP

#include <dashpot/adapter/metric_family.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/guard/detail/rate_core.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/guard/throttler.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace dashpot::inline DASHPOT_ABI::detail {

// The families of the guards that limit. Each function calls `family(about, show)`, and `show` adds the
// samples of one reading to a series.

struct BulkheadReading {
    std::uint32_t max;
    std::uint32_t available;
    std::uint32_t in_flight;
    std::uint64_t refused;
    std::optional<std::uint32_t> max_queued{}; // empty if there is no queue
    std::uint32_t queued = 0;
};

template <class Family>
void visit_bulkheads(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;

    family({"dashpot_bulkhead_max", gauge, "Calls that may be in flight at once."},
           [](auto& series, Label name, const BulkheadReading& now) { series.add(now.max, name); });
    family(
        {"dashpot_bulkhead_available", gauge, "Calls that may still come in."},
        [](auto& series, Label name, const BulkheadReading& now) { series.add(now.available, name); });
    family(
        {"dashpot_bulkhead_in_flight", gauge, "Calls in flight."},
        [](auto& series, Label name, const BulkheadReading& now) { series.add(now.in_flight, name); });
    family({"dashpot_bulkhead_refused_total", counter, "Calls refused because all slots were taken."},
           [](auto& series, Label name, const BulkheadReading& now) { series.add(now.refused, name); });
    family({"dashpot_bulkhead_queue_capacity", gauge, "Calls that may wait for a slot at once."},
           [](auto& series, Label name, const BulkheadReading& now) {
               if (now.max_queued) series.add(*now.max_queued, name);
           });
    family({"dashpot_bulkhead_queue_depth", gauge, "Calls that wait for a slot."},
           [](auto& series, Label name, const BulkheadReading& now) {
               if (now.max_queued) series.add(now.queued, name);
           });
}

struct LimiterReading {
    std::uint32_t limit;
    std::uint32_t in_flight;
    std::uint64_t refused;
};

template <class Family>
void visit_adaptive_limiters(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;

    family(
        {"dashpot_adaptive_limiter_limit", gauge, "Calls that may be in flight at once, as learned."},
        [](auto& series, Label name, const LimiterReading& now) { series.add(now.limit, name); });
    family(
        {"dashpot_adaptive_limiter_in_flight", gauge, "Calls in flight."},
        [](auto& series, Label name, const LimiterReading& now) { series.add(now.in_flight, name); });
    family({"dashpot_adaptive_limiter_refused_total", counter, "Calls refused because of the limit."},
           [](auto& series, Label name, const LimiterReading& now) { series.add(now.refused, name); });
}

template <class Family>
void visit_rate_limiters(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;
    using Reading = RateCore::Snapshot;
    family({"dashpot_rate_limiter_limit_per_second", gauge, "Permits that are granted per second."},
           [](auto& series, Label name, const Reading& now) {
               series.add(now.limit.permits / std::chrono::duration<double>{now.limit.per}.count(),
                          name);
           });
    family({"dashpot_rate_limiter_burst", gauge, "Permits that can be saved up."},
           [](auto& series, Label name, const Reading& now) {
               series.add(now.limit.burst.value_or(now.limit.permits), name);
           });
    family({"dashpot_rate_limiter_available", gauge, "Permits that can be taken now."},
           [](auto& series, Label name, const Reading& now) { series.add(now.available, name); });
    family({"dashpot_rate_limiter_waiting", gauge, "Threads that wait for permits."},
           [](auto& series, Label name, const Reading& now) { series.add(now.waiting, name); });
    family({"dashpot_rate_limiter_refused_total", counter,
            "Requests refused because the permits could not be had in time."},
           [](auto& series, Label name, const Reading& now) { series.add(now.refused, name); });
}

template <class Family>
void visit_throttlers(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;
    using Reading = ThrottlerSnapshot;
    family(
        {"dashpot_throttler_refuse_probability", gauge,
         "The share of the next calls that is refused, 0 to 1."},
        [](auto& series, Label name, const Reading& now) { series.add(now.refuse_probability, name); });
    family({"dashpot_throttler_requests", gauge,
            "Calls in the window, with those that the throttler refused."},
           [](auto& series, Label name, const Reading& now) { series.add(now.requests, name); });
    family({"dashpot_throttler_accepts", gauge, "Calls in the window that succeeded."},
           [](auto& series, Label name, const Reading& now) { series.add(now.accepts, name); });
    family({"dashpot_throttler_refused_total", counter, "Calls that the throttler refused."},
           [](auto& series, Label name, const Reading& now) { series.add(now.refused, name); });
}

template <class Family>
void visit_retry_budgets(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;
    using Reading = RetryBudget::Snapshot;
    family({"dashpot_retry_budget_balance", gauge, "Tokens for extra attempts that are left."},
           [](auto& series, Label name, const Reading& now) { series.add(now.balance, name); });
    family(
        {"dashpot_retry_budget_capacity", gauge, "Tokens that the budget holds at most."},
        [](auto& series, Label name, const Reading& now) { series.add(now.options.capacity, name); });
    family({"dashpot_retry_budget_refused_total", counter,
            "Extra attempts refused because no token was left."},
           [](auto& series, Label name, const Reading& now) { series.add(now.refused, name); });
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
