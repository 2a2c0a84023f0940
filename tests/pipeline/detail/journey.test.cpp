// SPDX-License-Identifier: MIT
#include <dashpot/dashpot.hpp>
#include <dashpot/pipeline/detail/journey.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "../script.hpp"
#include "catch.hpp"

#include <chrono>
#include <exception>
#include <string>

namespace tests::pipeline_detail_journey {

using namespace support;
using dashpot::Backoff;
using dashpot::Error;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Refused;
using dashpot::Result;
using dashpot::Retry;
using dashpot::Timeout;
using dashpot::detail::Ending;
using dashpot::detail::Journey;
using dashpot::detail::Need;
using dashpot::detail::PassageScope;
using dashpot::detail::StepByStep;

template <class... Stages>
Journey<int, ManualClock, Stages...> journey_through(const std::tuple<const Stages*...>& stages,
                                                     const PassageScope<ManualClock>& scope) {
    return {stages, scope};
}

struct Fixture {
    ManualClock clock;
    Ending ending;
    PassageScope<ManualClock> scope = [this] {
        PassageScope<ManualClock> made{};
        made.clock = &clock;
        made.ending = &ending;
        return made;
    }();

    void judge(Outcome outcome) {
        ++ending.calls;
        ending.verdict = {outcome};
    }
};

TEST_CASE("JourneyTest: ACallPassesTheStagesInwardsAndBack") {
    Fixture at;
    std::string text;
    Journal a{'a', text};
    Journal b{'b', text};
    const auto inner = pipeline(b, Timeout{1s});
    const auto protect = pipeline(a, inner).with(at.clock);
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::call);
    CHECK(text == "ab");
    CHECK(journey.scope().deadline == dashpot::Deadline{dashpot::Instant{1s}});
    CHECK(journey.scope().clock == &at.clock);
    at.judge(Outcome::success);
    journey.end(7);
    CHECK(journey.proceed() == Need::over);
    CHECK(text == "absbsa");
    CHECK(journey.travel().result == Result<int>{7});
}

TEST_CASE("JourneyTest: ACallThatIsDestroyedGivesItsPermitsBackTheInnermostFirst") {
    Fixture at;
    std::string text;
    Journal a{'a', text};
    Journal b{'b', text};
    const auto protect = pipeline(a, Retry{}, b);
    {
        auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
        CHECK(journey.proceed() == Need::call);
    }
    CHECK(text == "abrbra");
}

TEST_CASE("JourneyTest: ADestroyedCallIsIgnoredByABreakerAndATarget") {
    Fixture at;
    dashpot::CircuitBreaker<> breaker{dashpot::ConsecutiveFailures{1}};
    dashpot::Target<> target{"prices", {.policy = dashpot::ConsecutiveFailures{1}}};
    const auto protect = pipeline(breaker, target);
    {
        auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
        CHECK(journey.proceed() == Need::call);
        CHECK(target.bulkhead().in_flight() == 1);
    }
    CHECK(target.bulkhead().in_flight() == 0);
    CHECK(target.breaker().state() == dashpot::State::closed);
    CHECK(breaker.state() == dashpot::State::closed);
}

TEST_CASE("JourneyTest: ARetryWithoutAWaitGoesOnAtOnceAndEndsAtTheDeadline") {
    Fixture at;
    const auto at_once = pipeline(Retry{.max_attempts = 2, .wait = Backoff{0s}});
    auto journey = journey_through(StepByStep::stages_of(at_once), at.scope);
    CHECK(journey.proceed() == Need::call);
    at.judge(Outcome::failure);
    journey.end(1);
    CHECK(journey.proceed() == Need::call);
    at.scope.deadline = dashpot::Deadline{dashpot::Instant{200ms}};
    const auto later = pipeline(Retry{.max_attempts = 2, .wait = Backoff{100ms}});
    auto late = journey_through(StepByStep::stages_of(later), at.scope);
    CHECK(late.proceed() == Need::call);
    at.judge(Outcome::failure);
    late.end(1);
    CHECK(late.proceed() == Need::sleep);
    at.clock.advance(200ms); // overslept
    late.wake();
    CHECK(late.proceed() == Need::over);
    CHECK(late.travel().result == Result<int>{1});
}

TEST_CASE("JourneyTest: ARetryAsksForASleepAndThenForAnotherCall") {
    Fixture at;
    std::string text;
    Journal a{'a', text};
    const auto protect = pipeline(Retry{.max_attempts = 2, .wait = Backoff{100ms}}, a);
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::call);
    CHECK(journey.scope().attempt == 1);
    at.judge(Outcome::failure);
    journey.fail(std::make_exception_ptr(Trouble{1}));
    CHECK(journey.proceed() == Need::sleep);
    CHECK(journey.pause().until == dashpot::Instant{100ms});
    CHECK(text == "afa"); // nothing inside is held
    at.clock.advance(100ms);
    journey.wake();
    CHECK(journey.proceed() == Need::call);
    CHECK(journey.scope().attempt == 2);
    at.judge(Outcome::success);
    journey.end(2);
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().thrown == nullptr);
}

TEST_CASE("JourneyTest: ACancelledSleepEndsTheCallWithItsLastAttemptIgnored") {
    Fixture at;
    std::string text;
    Journal a{'a', text};
    dashpot::RetryBudget budget{{.capacity = 1}};
    const auto protect = pipeline(Fallback{[](const Refusal&) { return 9; }}, a,
                                  Retry{.wait = Backoff{100ms}, .budget = &budget});
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::call);
    at.judge(Outcome::failure);
    journey.fail(std::make_exception_ptr(Trouble{1}));
    CHECK(journey.proceed() == Need::sleep);
    journey.travel().is_cancelled = true;
    journey.wake();
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().thrown != nullptr);
    CHECK(text == "aia");
    CHECK(budget.balance() == 1.0);
}

TEST_CASE("JourneyTest: ACallThatIsCancelledInAnAttemptDoesNotWaitForAnother") {
    Fixture at;
    dashpot::RetryBudget budget{{.capacity = 1}};
    const auto protect = pipeline(Retry{.wait = Backoff{100ms}, .budget = &budget});
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::call);
    at.judge(Outcome::failure);
    journey.fail(std::make_exception_ptr(Trouble{1}));
    journey.travel().is_cancelled = true;
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().thrown != nullptr);
    CHECK(at.ending.is_failure());
    CHECK(budget.balance() == 1.0);
}

TEST_CASE("JourneyTest: ACallIsRefusedOnItsWay") {
    Fixture at;
    std::string text;
    Journal a{'a', text};
    Journal b{'b', text};
    b.refuses = Refusal{Error::throttled};
    const auto protect = pipeline(a, b);
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().result->error() == Error::throttled);
    CHECK(text == "ara");
}

TEST_CASE("JourneyTest: AQueueIsWaitedForAndItsSlotIsGivenBack") {
    Fixture at;
    dashpot::QueuedBulkhead<> queue{{.max_concurrent = 1}};
    const auto protect = pipeline(queue);
    {
        auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
        CHECK(journey.proceed() == Need::queue);
        CHECK(journey.pause().queue->longest_sleep() == 1h); // its clock is a timer's
        journey.pause().slot = journey.pause().queue->try_acquire();
        journey.wake();
        CHECK(journey.proceed() == Need::call);
        CHECK(queue.in_flight() == 1);
    }
    CHECK(queue.in_flight() == 0);
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::queue);
    journey.pause().refusal = Refusal{Error::queue_timeout};
    journey.wake();
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().result->error() == Error::queue_timeout);
}

TEST_CASE("JourneyTest: AnExceptionOfAGuardEndsTheCallThere") {
    struct Throwing {
        [[noreturn]] Journal::Permit try_acquire() { throw Trouble{2}; }
    } guard;
    Fixture at;
    std::string text;
    Journal a{'a', text};
    const auto protect = pipeline(a, guard);
    auto journey = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(journey.proceed() == Need::over);
    CHECK(journey.travel().thrown != nullptr);
    CHECK(text == "afa"); // as in a synchronous call
}

TEST_CASE("JourneyTest: AFallbackAnswersARefusalAnExceptionAndItsHandlerMayThrow") {
    struct Handler {
        int operator()(const Refusal&) const { throw Trouble{3}; }
        int operator()(const std::exception_ptr&) const { return 8; }
    };
    Fixture at;
    const auto protect = pipeline(Fallback{Handler{}});
    auto thrown = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(thrown.proceed() == Need::call);
    at.judge(Outcome::failure);
    thrown.fail(std::make_exception_ptr(Trouble{1}));
    CHECK(thrown.proceed() == Need::over);
    CHECK(thrown.travel().result == Result<int>{8});
    at.ending = {};
    auto refused = journey_through(StepByStep::stages_of(protect), at.scope);
    CHECK(refused.proceed() == Need::call);
    refused.end(at.scope.refuse({Error::throttled}));
    CHECK(refused.proceed() == Need::over);
    CHECK(refused.travel().thrown != nullptr);
}

} // namespace tests::pipeline_detail_journey
