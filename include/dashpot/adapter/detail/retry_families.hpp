// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_RETRY_FAMILIES_HPP
#define DASHPOT_ADAPTER_DETAIL_RETRY_FAMILIES_HPP

#include <dashpot/adapter/metric_family.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/pipeline/retry_stats.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

// The families of pipelines, in the form of limit_families.hpp.

struct RetryReading {
    std::uint64_t attempts;
    std::uint64_t retries;
    std::uint64_t fallbacks;
    std::array<std::uint64_t, gave_up_count> gave_up;
};

template <class Family>
void visit_retries(Family&& family) {
    using enum MetricFamily::Type;
    using Label = MetricLabel;

    family({"dashpot_retry_attempts_total", counter, "Attempts, first attempts included."},
           [](auto& series, Label name, const RetryReading& now) { series.add(now.attempts, name); });
    family({"dashpot_retry_retries_total", counter, "Attempts that followed another of the same call."},
           [](auto& series, Label name, const RetryReading& now) { series.add(now.retries, name); });
    family({"dashpot_retry_given_up_total", counter,
            "Calls that ended although another attempt would have been made, by the reason."},
           [](auto& series, Label name, const RetryReading& now) {
               for (std::size_t i = 0; i != now.gave_up.size(); ++i)
                   series.add(now.gave_up[i], name, Label{"reason", to_string(static_cast<GaveUp>(i))});
           });
    family({"dashpot_fallback_answers_total", counter, "Calls that a fallback answered."},
           [](auto& series, Label name, const RetryReading& now) { series.add(now.fallbacks, name); });
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
