// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/awaited_attempt.hpp>

#include "catch.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace tests::adapter_detail_awaited_attempt {

using dashpot::ByException;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Refused;
using dashpot::Result;
using dashpot::detail::Arrival;
using dashpot::detail::conclude;
using dashpot::detail::Ending;
using dashpot::detail::Interruption;

/// Takes what an attempt ended with.
struct Taken {
    struct Scope {
        Ending* ending;
        Refused refuse(const Refusal& refusal) const {
            ending->refuse(refusal);
            return Refused{refusal};
        }
    };
    Ending state{};
    std::optional<Result<int>> result{};
    std::exception_ptr thrown{};

    Scope scope() { return {&state}; }
    void end(Result<int>&& its_result) { result = std::move(its_result); }
    void fail(std::exception_ptr its_exception) { thrown = std::move(its_exception); }
    [[nodiscard]] Outcome outcome() const { return state.verdict.outcome; }
};

template <class Classify = ByException>
Taken concluded(Arrival<int> arrival, Interruption why, Classify classify = {}) {
    Taken taken;
    conclude<int>(taken, classify, arrival, why);
    return taken;
}

Arrival<int> value() {
    Arrival<int> arrival;
    arrival.value.emplace(5);
    return arrival;
}
Arrival<int> exception() {
    Arrival<int> arrival;
    arrival.thrown = std::make_exception_ptr(1);
    return arrival;
}
const auto as_failure = [](int) { return Outcome::failure; };

TEST_CASE("AwaitedAttemptTest: WithoutAnInterruptionTheClassifierJudges") {
    CHECK(concluded(value(), Interruption::none).outcome() == Outcome::success);
    const Taken failed = concluded(value(), Interruption::none, as_failure);
    CHECK(failed.outcome() == Outcome::failure);
    CHECK(failed.result == Result<int>{5});
    CHECK(failed.state.calls == 1);
    const Taken threw = concluded(exception(), Interruption::none);
    CHECK(threw.outcome() == Outcome::failure);
    CHECK(threw.thrown != nullptr);
    const auto ignores = [](const std::exception_ptr&) { return Outcome::ignored; };
    CHECK(concluded(exception(), Interruption::none, ignores).outcome() == Outcome::ignored);
}

TEST_CASE("AwaitedAttemptTest: AtTheDeadlineOnlyAValueThatIsNoFailureCounts") {
    CHECK(concluded(value(), Interruption::timed_out).result == Result<int>{5});
    for (const Taken& late : {concluded(value(), Interruption::timed_out, as_failure),
                              concluded(exception(), Interruption::timed_out)}) {
        CHECK(late.result->error() == Error::timed_out);
        CHECK(late.outcome() == Outcome::failure);
        CHECK_FALSE(late.state.was_refused());
        CHECK(late.state.calls == 1);
    }
}

TEST_CASE("AwaitedAttemptTest: ACancelledFailureIsIgnoredAndReturned") {
    CHECK(concluded(value(), Interruption::cancelled).outcome() == Outcome::success);
    const Taken failed = concluded(value(), Interruption::cancelled, as_failure);
    CHECK(failed.outcome() == Outcome::ignored);
    CHECK(failed.result == Result<int>{5});
    const Taken threw = concluded(exception(), Interruption::cancelled);
    CHECK(threw.outcome() == Outcome::ignored);
    CHECK(threw.thrown != nullptr);
}

TEST_CASE("AwaitedAttemptTest: WhatALoserEndsWithIsIgnored") {
    CHECK(concluded(value(), Interruption::lost).outcome() == Outcome::ignored);
    CHECK(concluded(value(), Interruption::lost, as_failure).outcome() == Outcome::ignored);
    CHECK(concluded(exception(), Interruption::lost).outcome() == Outcome::ignored);
}

TEST_CASE("AwaitedAttemptTest: AnAttemptThatWasNotMadeIsRefused") {
    const Taken late = concluded({}, Interruption::timed_out);
    CHECK(late.result->error() == Error::deadline_exceeded);
    CHECK(late.state.was_refused());
    CHECK(late.state.calls == 0);
    CHECK(concluded({}, Interruption::cancelled).result->error() == Error::cancelled);
}

TEST_CASE("AwaitedAttemptTest: AnExceptionOfTheClassifierEndsTheAttemptIgnored") {
    const auto throws = [](int) -> Outcome { throw 2; };
    const Taken taken = concluded(value(), Interruption::none, throws);
    CHECK(taken.thrown != nullptr);
    CHECK(taken.outcome() == Outcome::ignored);
}

} // namespace tests::adapter_detail_awaited_attempt
