// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_RETRY_HPP
#define DASHPOT_PIPELINE_RETRY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/pipeline/retry_stats.hpp>
#include <dashpot/policy/backoff.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace dashpot::inline DASHPOT_ABI {

/// Makes a failed call again, a few times, with waits in between.
///
///     dashpot::RetryBudget budget; // one for all calls of a target
///     auto protect =
///         dashpot::pipeline(dashpot::Retry{.max_attempts = 3, .budget = &budget}, target);
///
/// A Retry repeats calls that may have been executed. Add it only if repeating them is safe.
///
/// **Contract.** Failures are tried again. Successes, ignored outcomes and refusals end the call.
/// - The wait before attempt n + 1 is `wait.delay(n - 1)`, or what the target asked for if that is
///   longer.
/// - There is no further attempt after a stop was requested, if the wait would end at the deadline or
///   later, or if the budget is empty.
/// - The caller gets the last attempt's own value, exception or refusal.
/// - Guards inside are left before the wait; guards outside are held through it.
///
/// **Threads.** A value. The position of a call, such as the attempt's number, belongs to the call
/// alone.
/// **Cost.** A call that succeeds: one comparison, and a deposit if there is a budget. No allocation.
/// **Errors.** validate() refuses `max_attempts` of 0, waits that Backoff refuses other than a
/// constant wait of 0, and a negative `max_retry_after`.
struct Retry {
    /// The most attempts of one call, the first included. 1 means no retry. Must be 1 or more.
    /// Default 3.
    std::uint32_t max_attempts = 3;
    /// The waits between attempts. A constant wait of 0 means no wait. Default: exponential from
    /// 100 ms to 10 s, with full jitter. With a seed every call draws the same waits, for tests.
    Backoff wait = ExponentialBackoff{
        .initial = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}, .jitter = 1.0};
    /// The longest wait that the target may ask for. If it asks for more, the call ends. Must be 0 or
    /// more. Default 1 min.
    Nanoseconds max_retry_after = std::chrono::minutes{1};
    /// Limits the retries of all calls that share it. It must outlive the pipeline. Default: none.
    RetryBudget* budget = nullptr;
    /// Counts what happens. It must outlive the pipeline. Default: none.
    RetryStats* stats = nullptr;
    /// Also tries refusals of guards inside again, after at least their `retry_after`. Default: no.
    bool retry_refusals = false;

    friend bool operator==(const Retry&, const Retry&) = default;

    /// Writes the options as the initializer that makes them; a pointer only states that it is set.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Retry& options) {
        detail::FieldPrinter printer{out, "Retry"};
        printer.field("max_attempts", options.max_attempts)
            .field("wait", options.wait)
            .field("max_retry_after", options.max_retry_after);
        if (options.budget != nullptr) printer.field("budget", "&budget");
        if (options.stats != nullptr) printer.field("stats", "&stats");
        return printer.field("retry_refusals", options.retry_refusals).end();
    }

    constexpr void validate() const {
        if (max_attempts == 0) {
            refuse_option("Retry::max_attempts", max_attempts,
                          "must be 1 or more; 1 means no retry, because the first call counts");
        }
        if (const Nanoseconds first = wait.curve().initial; wait == Backoff{first}) { // a constant wait
            if (first.count() < 0) refuse_option("Retry::wait", first, "must be 0s or longer");
        } else {
            wait.validate();
        }
        if (max_retry_after.count() < 0) {
            refuse_option("Retry::max_retry_after", max_retry_after, "must be 0s or longer");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
