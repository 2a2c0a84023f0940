// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_LIMIT_FAMILIES_HPP
#define DASHPOT_ADAPTER_DETAIL_LIMIT_FAMILIES_HPP

#include <dashpot/adapter/metric_family.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/guard/detail/rate_core.hpp>
#include <dashpot/guard/retry_budget.hpp>

#include <chrono>

namespace dashpot::inline DASHPOT_ABI::detail {

// The families of the guards that limit. Each function calls `family(about, show)`, and `show` adds the
// samples of one reading to a series.

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
