// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_DETAIL_POLICY_CHECKS_HPP
#define DASHPOT_POLICY_DETAIL_POLICY_CHECKS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <type_traits>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The names of the optional members of a policy and its Tally.
struct OfferNames {
    int slow_after;
    int measure_above;
    int would_open;
    int next_success;
    int quiet;
    int record_successes;
    int take_over;
    int start_again;
    int may_batch_successes; // the name of an earlier version
    int batch_ends;          // the name of an earlier version
};

template <class T>
struct WithOfferNames : T, OfferNames {};

// Has the members of T and of OfferNames. If T has a member of one of these names, whatever its kind,
// shape and access, the name is ambiguous here. A final T cannot be a base class: for a final T,
// overloaded members of one name are not detected.
template <class T>
using BesideOfferNames = typename std::conditional_t<std::is_final_v<T>, std::type_identity<OfferNames>,
                                                     std::type_identity<WithOfferNames<T>>>::type;

template <class T>
concept HasSlowAfter = requires { &T::slow_after; } || !requires { &BesideOfferNames<T>::slow_after; };
template <class T>
concept HasMeasureAbove =
    requires { &T::measure_above; } || !requires { &BesideOfferNames<T>::measure_above; };
template <class T>
concept HasWouldOpen = requires { &T::would_open; } || !requires { &BesideOfferNames<T>::would_open; };
template <class T>
concept HasNextSuccess =
    requires { &T::next_success; } || !requires { &BesideOfferNames<T>::next_success; };
template <class T>
concept HasQuiet = requires { &T::quiet; } || !requires { &BesideOfferNames<T>::quiet; };
template <class T>
concept HasMayBatchSuccesses =
    requires { &T::may_batch_successes; } || !requires { &BesideOfferNames<T>::may_batch_successes; };
template <class T>
concept HasRecordSuccesses =
    requires { &T::record_successes; } || !requires { &BesideOfferNames<T>::record_successes; };
template <class T>
concept HasBatchEnds = requires { &T::batch_ends; } || !requires { &BesideOfferNames<T>::batch_ends; };
template <class T>
concept HasTakeOver = requires { &T::take_over; } || !requires { &BesideOfferNames<T>::take_over; };
template <class T>
concept HasStartAgain =
    requires { &T::start_again; } || !requires { &BesideOfferNames<T>::start_again; };

/// Checks the optional members of P and its Tally. If a member has a shape that no guard calls, the
/// check does not compile and names the member. Without the check, the guard would silently ignore the
/// member.
template <FailurePolicy P>
[[nodiscard]] consteval bool check_offers() noexcept {
    using Tally = typename P::Tally;
    static_assert(JudgesSlowCalls<P> || !HasSlowAfter<P>,
                  "P::slow_after() must be const noexcept and return a duration of whole nanoseconds, "
                  "or an optional of one");
    static_assert(MeasuresCalls<P> || !HasMeasureAbove<P>,
                  "P::measure_above() must be const noexcept and return a duration of whole "
                  "nanoseconds, or an optional of one");
    static_assert(ForeseesOpening<Tally> || !HasWouldOpen<Tally>,
                  "Tally::would_open() must be const noexcept, take a const FinishedCall& and return "
                  "bool");
    static_assert(ForeseesSuccess<Tally> || !HasNextSuccess<Tally>,
                  "Tally::next_success() must be const noexcept and return a NextSuccess");
    static_assert(KnowsQuiet<Tally> || !HasQuiet<Tally>,
                  "Tally::quiet() must be const noexcept and return bool");
    static_assert(!(HasQuiet<Tally> && HasNextSuccess<Tally>),
                  "Tally::quiet() is not called beside next_success(); remove one of them");
    static_assert(RecordsSuccesses<Tally> || !HasRecordSuccesses<Tally>,
                  "Tally::record_successes() must be noexcept and take a std::uint64_t");
    static_assert(ForeseesSuccess<Tally> || !HasRecordSuccesses<Tally>,
                  "Tally::record_successes() is not called without next_success()");
    static_assert(!HasMayBatchSuccesses<Tally> && !HasBatchEnds<Tally>,
                  "Tally::may_batch_successes() and batch_ends() are no longer called; return "
                  "NextSuccess::count() or NextSuccess::count_until() from next_success()");
    static_assert(TakesOver<Tally> || !HasTakeOver<Tally>,
                  "Tally::take_over() must be noexcept and take a const Tally&");
    static_assert(StartsAgain<Tally> || !HasStartAgain<Tally>,
                  "Tally::start_again() must be noexcept and take nothing");
    return true;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
