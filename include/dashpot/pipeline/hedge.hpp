// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_HEDGE_HPP
#define DASHPOT_PIPELINE_HEDGE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/retry_budget.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>

namespace dashpot::inline DASHPOT_ABI {

/// Starts another attempt of a slow call while the first one is still under way.
///
///     dashpot::RetryBudget budget{{.ratio = 0.05}}; // at most 5 % more calls
///     auto protect =
///         dashpot::pipeline(dashpot::Hedge{.after = 50ms, .budget = &budget}, target);
///
/// A Hedge repeats calls that may have been executed. Add it only if repeating them is safe.
///
/// **Contract.** Only asynchronous code can use a pipeline with a Hedge: see adapter/asio.hpp.
/// - Another attempt is started if the latest one has not answered after `after`, and at once if an
///   attempt failed. Each attempt passes the guards inside.
/// - The first attempt that ends in a success or in an ignored outcome decides. The other attempts are
///   cancelled and recorded as ignored. The call returns after they have ended.
/// - If all attempts fail, the last failure surfaces.
/// - A guard's refusal of one attempt does not end the others. If no attempt is made at all, the last
///   refusal surfaces.
///
/// **Threads.** A value.
/// **Cost.** Each attempt runs in a coroutine thread of its own; the call arms one timer.
/// **Errors.** validate() refuses `max_attempts` of 0 and a negative `after`.
/// **Source.** J. Dean and L. A. Barroso, "The Tail at Scale", 2013: hedged requests.
struct Hedge {
    /// How long the latest attempt may take before the next one starts. Must be 0 or more; 0 starts all
    /// attempts at once. Default 100 ms.
    Nanoseconds after = std::chrono::milliseconds{100};
    /// The most attempts of one call, the first included. 1 means no hedge. Must be 1 or more.
    /// Default 2.
    std::uint32_t max_attempts = 2;
    /// Limits the extra attempts of all calls that share it. It must outlive the pipeline. Default:
    /// none.
    RetryBudget* budget = nullptr;

    friend bool operator==(const Hedge&, const Hedge&) = default;

    /// Writes the options as the initializer that makes them; a pointer only states that it is set.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Hedge& options) {
        detail::FieldPrinter printer{out, "Hedge"};
        printer.field("after", options.after).field("max_attempts", options.max_attempts);
        if (options.budget != nullptr) printer.field("budget", "&budget");
        return printer.end();
    }

    constexpr void validate() const {
        if (after.count() < 0) refuse_option("Hedge::after", after, "must be 0s or longer");
        if (max_attempts == 0) {
            refuse_option("Hedge::max_attempts", max_attempts,
                          "must be 1 or more; 1 means no hedge, because the first call counts");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
