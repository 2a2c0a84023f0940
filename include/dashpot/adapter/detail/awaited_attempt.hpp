// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_AWAITED_ATTEMPT_HPP
#define DASHPOT_ADAPTER_DETAIL_AWAITED_ATTEMPT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/guard/detail/admitted_call.hpp>
#include <dashpot/pipeline/detail/ending.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// What ended an attempt before its time. The first interruption counts.
enum class Interruption : std::uint8_t {
    none,
    timed_out, ///< Its deadline has passed.
    cancelled, ///< The caller has cancelled the call.
    lost       ///< Another attempt of a Hedge was first.
};

/// What an awaited function ended with: a value, an exception, or nothing if it was not called.
template <class T>
struct Arrival {
    std::optional<Result<T>> value{};
    std::exception_ptr thrown{};
};

/// Judges what an awaited function ended with, and ends the attempt of `journey` with it.
///
/// **Contract.** What an interruption changes:
/// - `timed_out`: an exception and a failure become the refusal `timed_out`, which is a failure. A
///   value that is no failure came late and is returned.
/// - `cancelled`: an exception and a failure are ignored. The caller gets them as they are.
/// - `lost`: everything is ignored.
///
/// If the function was not called, the attempt is refused.
/// **Errors.** An exception of the classifier ends the attempt, ignored.
template <class T, class Journey, class Classify>
void conclude(Journey& journey, Classify& classify, Arrival<T>& arrival, Interruption why) {
    Ending& ending = *journey.scope().ending;
    try {
        if (arrival.thrown) {
            JudgedAttempt attempt{ending};
            if (why == Interruption::timed_out) {
                (void)attempt.record(Verdict{Outcome::failure});
                return journey.end(Refused{{Error::timed_out}});
            }
            if (why != Interruption::none) {
                (void)attempt.record(Verdict{Outcome::ignored});
            } else if constexpr (judges_exceptions<Classify>()) {
                settle(attempt, [&] { return as_judged(std::invoke(classify, arrival.thrown)); });
            }
            return journey.fail(std::move(arrival.thrown));
        }
        if (!arrival.value) {
            return journey.end(journey.scope().refuse(
                {why == Interruption::timed_out ? Error::deadline_exceeded : Error::cancelled}));
        }
        Result<T> result = admitted_call(
            JudgedAttempt{ending},
            [&]() -> T {
                if constexpr (!std::is_void_v<T>) return *std::move(*arrival.value);
            },
            classify);
        if (why == Interruption::lost || (why == Interruption::cancelled && ending.is_failure())) {
            ending.verdict = {Outcome::ignored};
        } else if (why == Interruption::timed_out && ending.is_failure()) {
            ending.verdict = {Outcome::failure};
            result = Refused{{Error::timed_out}};
        }
        journey.end(std::move(result));
    } catch (...) {
        journey.fail(std::current_exception());
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
