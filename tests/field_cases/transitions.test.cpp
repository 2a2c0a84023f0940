// SPDX-License-Identifier: MIT
// When the circuit opens: at the threshold, at the deciding outcome, and not on yesterday's numbers.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <functional>
#include <optional>

namespace tests::field_cases_transitions {

using namespace field;

// yammer/circuitbox#116, arrow-kt/arrow#3344, arlyon/aiobreaker#13
TEMPLATE_TEST_CASE("CircuitBreaker: it opens at the threshold, not one failure late", "", TwoStep,
                   Permits, Entries, Calls) {
    const auto threshold = GENERATE(1, 2, 3, 5, 100);
    TestType form{with_probes(1), {static_cast<std::uint32_t>(threshold)}};
    for (int i = 1; i != threshold; ++i) {
        REQUIRE(fail(form));
        REQUIRE(form.breaker.state() == State::closed);
    }
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
    CHECK(form.breaker.snapshot().failures == static_cast<std::uint64_t>(threshold));
    CHECK_FALSE(fail(form));
}

// App-vNext/Polly#131, Shopify/semian#634
TEMPLATE_TEST_CASE("CircuitBreaker: failures with successes between them never open it", "", TwoStep,
                   Permits, Entries, Calls) {
    const auto threshold = GENERATE(2, 3, 10);
    TestType form{with_probes(1), {static_cast<std::uint32_t>(threshold)}};
    for (int run = 0; run != 10; ++run) {
        for (int i = 1; i != threshold; ++i) REQUIRE(fail(form));
        REQUIRE(succeed(form));
        CHECK(form.breaker.snapshot().failures == 0);
    }
    CHECK(form.breaker.state() == State::closed);
}

// yammer/circuitbox#118
TEMPLATE_TEST_CASE(
    "CircuitBreaker: it opens when the deciding outcome is recorded, not at the next call", "", TwoStep,
    Permits, Entries, Calls) {
    const auto idle = GENERATE(Nanoseconds{0ns}, Nanoseconds{4s}, Nanoseconds{10s}, Nanoseconds{500s});
    TestType form;
    testing::TransitionRecorder heard;
    const auto subscription = form.breaker.on_transition(std::ref(heard));
    REQUIRE(fail(form));
    form.clock.advance(3s);
    REQUIRE(fail(form));
    form.clock.advance(3s);
    REQUIRE(fail(form));
    CHECK(form.breaker.state() == State::open);
    CHECK(heard.path() == "CLOSED->OPEN");
    form.clock.advance(idle);
    CHECK(form.breaker.state() == State::open);
    CHECK(form.breaker.snapshot().opened_at == start + 6s);
    CHECK(form.breaker.snapshot().since == start + 6s);
    CHECK(heard.entries().front().transition.at == start + 6s);
    CHECK(succeed(form) == (idle >= 10s));
}

// redis-rb/redis-client#247, Shopify/semian#264
TEMPLATE_TEST_CASE(
    "CircuitBreaker: after it has closed, failures from before the outage no longer count", "", TwoStep,
    Permits, Entries, Calls) {
    const auto closed_by = GENERATE(0, 1, 2);
    TestType form;
    REQUIRE(open_and_wait(form));
    if (closed_by == 0) REQUIRE(succeed(form)); // a probe
    if (closed_by == 1) form.breaker.reset();
    if (closed_by == 2) {
        form.breaker.disable();
        form.breaker.reset();
    }
    REQUIRE(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 0);
    CHECK(fail(form));
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 2);
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
}

// redis-rb/redis-client#247
TEMPLATE_TEST_CASE("CircuitBreaker: reset() in CLOSED ends the run of failures", "", TwoStep, Permits,
                   Entries, Calls) {
    TestType form;
    REQUIRE(fail(form));
    REQUIRE(fail(form));
    form.breaker.reset();
    CHECK(form.breaker.snapshot().failures == 0);
    CHECK(fail(form));
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::closed);
    CHECK(fail(form));
    CHECK(form.breaker.state() == State::open);
}

namespace {

/// Opens once three in four of at least four calls have failed: judged by whoever brings the fourth.
struct ThreeInFour {
    bool operator==(const ThreeInFour&) const = default;
    void validate() const {}

    class Tally {
      public:
        explicit Tally(const ThreeInFour&) noexcept {}
        std::optional<Reason> record(const FinishedCall& call) noexcept {
            ++counts_.calls;
            if (call.failed) ++counts_.failures;
            if (counts_.calls < 4 || 4 * counts_.failures < 3 * counts_.calls) return std::nullopt;
            return Reason::policy;
        }
        void clear() noexcept { counts_ = {}; }
        Counts counts(Instant) const noexcept { return counts_; }
        bool quiet() const noexcept { return false; }

      private:
        Counts counts_;
    };
};
static_assert(FailurePolicy<ThreeInFour>);

} // namespace

// lerouxrgd/recloser#10
TEST_CASE("CircuitBreaker: a success may be the outcome that opens it, if the policy says so") {
    const auto as_permit = GENERATE(false, true);
    ManualClock clock{start};
    CircuitBreaker<ManualClock, ThreeInFour> breaker{{}, with_probes(1), clock};
    testing::TransitionRecorder heard;
    const auto subscription = breaker.on_transition(std::ref(heard));
    for (int i = 0; i != 3; ++i) {
        breaker.record_failure();
        CHECK(breaker.state() == State::closed); // too few to judge
    }
    clock.advance(2s);
    if (as_permit) {
        CHECK(breaker.try_acquire().success());
    } else {
        breaker.record_success();
    }
    CHECK(breaker.state() == State::open);
    REQUIRE(heard.path() == "CLOSED->OPEN");
    CHECK(heard.entries().front().transition.reason == Reason::policy);
    CHECK(heard.entries().front().transition.at == start + 2s);
    CHECK(heard.entries().front().transition.snapshot.calls == 4);
    CHECK(breaker.retry_after() == 10s);
}

// nodeshift/opossum#217, nodeshift/opossum#288
TEST_CASE(
    "CircuitBreaker: a first call that fails does not open it where the policy wants more of them") {
    ManualClock clock{start};
    CircuitBreaker<ManualClock, ThreeInFour> rate{{}, {}, clock};
    CHECK(rate.try_acquire().failure());
    CHECK(rate.state() == State::closed);
    CHECK_FALSE(rate.snapshot().failure_rate);
    Permits run;
    CHECK(fail(run));
    CHECK(run.breaker.state() == State::closed);
}

// nodeshift/opossum#276, nodeshift/opossum#119
TEST_CASE("CircuitBreaker: what the policy wants before it judges is not wanted of probes") {
    const auto idle = GENERATE(Nanoseconds{10s}, Nanoseconds{1000s});
    ManualClock clock{start};
    CircuitBreaker<ManualClock, ThreeInFour> breaker{{}, with_probes(1), clock};
    for (int i = 0; i != 4; ++i) breaker.record_failure();
    REQUIRE(breaker.state() == State::open);
    clock.advance(idle);
    CHECK(breaker.try_acquire().failure());
    CHECK(breaker.state() == State::open);
    clock.advance(10s);
    CHECK(breaker.try_acquire().success());
    CHECK(breaker.state() == State::closed);
    CHECK(breaker.snapshot().calls == 0);
}

} // namespace tests::field_cases_transitions
