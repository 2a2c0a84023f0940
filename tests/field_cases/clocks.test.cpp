// SPDX-License-Identifier: MIT
// Time as it was not expected: stepped back, standing still, far off, in another unit.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/core/clock.hpp>

#include <chrono>
#include <cstdint>
#include <ratio>
#include <string>
#include <type_traits>

namespace tests::field_cases_clocks {

using namespace field;

namespace {

/// What a breaker did, step by step, as text.
std::string trace(const BreakerOptions& options, Nanoseconds step) {
    ManualClock clock{start};
    Breaker breaker{{2}, options, clock};
    std::string steps;
    for (int i = 0; i != 40; ++i) {
        auto permit = breaker.try_acquire();
        steps += permit ? 'p' : '-';
        if (i % 7 == 0) permit.ignore();
        i % 5 == 0 ? permit.success() : permit.failure();
        steps += to_string(breaker.state())[0];
        steps += std::to_string(breaker.retry_after().count());
        clock.advance(step);
    }
    return steps;
}

/// A clock that tells whole milliseconds.
struct MillisecondClock {
    using duration = std::chrono::milliseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<MillisecondClock>;
    static constexpr bool is_steady = true;

    ManualClock time;
    time_point now() const {
        return time_point{std::chrono::duration_cast<duration>(time.now().time_since_epoch())};
    }
};

} // namespace

// AxonIQ/AxonFramework#1140, DataDog/datadog-agent#43323
TEST_CASE("BreakerOptions: the same duration in another unit behaves the same, step by step") {
    const auto with = [](auto reset, auto probe) {
        return BreakerOptions{.reset_timeout = reset,
                              .half_open = {.probes = 2, .probe_timeout = probe}};
    };
    using namespace std::chrono;
    const std::string in_seconds = trace(with(2s, 4s), 500ms);
    CHECK(in_seconds.find('C') != std::string::npos);
    CHECK(in_seconds.find('O') != std::string::npos);
    CHECK(in_seconds.find('H') != std::string::npos);
    CHECK(in_seconds == trace(with(2000ms, 4000ms), 500'000us));
    CHECK(in_seconds == trace(with(2'000'000us, 4'000'000us), 500'000'000ns));
    CHECK(in_seconds == trace(with(2'000'000'000ns, 4s), 500ms));
    CHECK(in_seconds ==
          trace(with(duration<int, std::ratio<2>>{1}, duration<short, std::ratio<4>>{1}), 500ms));
    CHECK(in_seconds ==
          trace(with(duration<unsigned char>{2}, duration<std::uint64_t, std::milli>{4000}), 500ms));
}

// AxonIQ/AxonFramework#1140
TEST_CASE("BreakerOptions: a bare number is no duration") {
    STATIC_REQUIRE_FALSE(std::is_constructible_v<Backoff, int>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<Backoff, double>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<int, Nanoseconds>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<long, Nanoseconds>);
    STATIC_REQUIRE_FALSE(
        std::is_convertible_v<std::chrono::duration<double>, Nanoseconds>); // would be rounded
}

// fabfuel/circuitbreaker#31, exaring/hoglet#25, yammer/circuitbox#193
TEST_CASE("CircuitBreaker: the wall clock cannot be what it measures with") {
    STATIC_REQUIRE_FALSE(dashpot::Clock<std::chrono::system_clock>);
    STATIC_REQUIRE(dashpot::Clock<std::chrono::steady_clock>);
    STATIC_REQUIRE(dashpot::Clock<ManualClock>);
    STATIC_REQUIRE(dashpot::Clock<CoarseSteadyClock>);
}

// akka/akka-core#20029
TEMPLATE_TEST_CASE("CircuitBreaker: retry_after() is what is left, not what has passed", "", Permits,
                   Entries) {
    const auto wait = GENERATE(Nanoseconds{100s}, Nanoseconds{7ms}, Nanoseconds{10ns});
    TestType form{{.reset_timeout = wait}};
    CHECK(form.breaker.retry_after() == 0ns);
    REQUIRE(open(form));
    const auto rest = [&] {
        const auto permit = form.take();
        REQUIRE_FALSE(permit);
        CHECK(permit.refusal().reason == Error::circuit_open);
        CHECK(form.breaker.snapshot().retry_after == form.breaker.retry_after());
        CHECK(permit.refusal().retry_after == form.breaker.retry_after());
        return form.breaker.retry_after();
    };
    CHECK(rest() == wait);
    form.clock.advance(wait * 3 / 10);
    CHECK(rest() == wait - wait * 3 / 10);
    form.clock.set(start + wait - 1ns);
    CHECK(rest() == 1ns);
    form.clock.advance(1ns);
    CHECK(form.breaker.retry_after() == 0ns);
    form.clock.advance(wait);
    CHECK(form.breaker.retry_after() == 0ns); // never negative
    CHECK(form.breaker.snapshot().retry_after == 0ns);
    CHECK(form.breaker.state() == State::open);
}

// alibaba/sentinel-golang#409
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a clock that steps back ends no wait early, and keeps none much longer", "",
    TwoStep, Permits, Entries, Calls) {
    const auto back =
        GENERATE(Nanoseconds{1ns}, Nanoseconds{5s}, Nanoseconds{990s}, Nanoseconds{2000s});
    TestType form{with_probes(1)};
    REQUIRE(fail(form));
    REQUIRE(fail(form));
    form.clock.advance(-back);
    REQUIRE(fail(form)); // nothing lost, no crash
    REQUIRE(form.breaker.state() == State::open);
    form.clock.advance(-back);
    CHECK_FALSE(succeed(form));
    CHECK(form.breaker.retry_after() > 0ns);
    CHECK(form.breaker.retry_after() <= 10s + back);
    form.clock.advance(10s - 1ns);
    CHECK_FALSE(succeed(form));
    form.clock.advance(2 * back + 1ns);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// alibaba/sentinel-golang#409
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a clock that steps back while a probe is out gives nobody else its place", "",
    TwoStep, Permits, Entries) {
    const auto back = GENERATE(Nanoseconds{1s}, Nanoseconds{5000s});
    TestType form{with_probes(1)};
    REQUIRE(open_and_wait(form));
    auto probe = form.take();
    form.clock.advance(-back);
    CHECK_FALSE(form.take());
    CHECK(form.breaker.retry_after() == 0ns);
    probe.success();
    CHECK(form.breaker.state() == State::closed);
}

// danielfm/pybreaker#107
TEMPLATE_TEST_CASE("CircuitBreaker: no time is rounded, whatever part of a second it begins in", "",
                   TwoStep, Permits, Entries, Calls) {
    const auto begin = GENERATE(1999ms, 1001ms, 500ms, 0ms, -1ms);
    const auto wait =
        GENERATE(Nanoseconds{1000ms}, Nanoseconds{1ms}, Nanoseconds{1ns}, Nanoseconds{2500us});
    TestType form{{.reset_timeout = wait}, {1}};
    form.clock.set(Instant{begin});
    REQUIRE(open(form, 1));
    if (wait > 1ms) {
        form.clock.advance(1ms);
        CHECK_FALSE(succeed(form));
        form.clock.advance(-1ms);
    }
    form.clock.advance(wait - 1ns);
    CHECK_FALSE(succeed(form));
    form.clock.advance(1ns);
    CHECK(succeed(form));
}

// danielfm/pybreaker#107
TEST_CASE("CircuitBreaker: a clock with ticks of its own loses none of them") {
    ManualClock time{Instant{1999ms}};
    CircuitBreaker<MillisecondClock> breaker{{1}, {.reset_timeout = 1000ms}, MillisecondClock{time}};
    breaker.record_failure();
    time.advance(1ms);
    CHECK_FALSE(breaker.allow());
    CHECK(breaker.retry_after() == 999ms);
    time.advance(998ms);
    CHECK_FALSE(breaker.allow());
    time.advance(1ms);
    CHECK(breaker.allow());
}

// envoyproxy/envoy#13545
TEMPLATE_TEST_CASE("CircuitBreaker: at the ends of time nothing overflows", "", TwoStep, Permits,
                   Entries, Calls) {
    const auto begin =
        GENERATE(Instant::min(), Instant{-1ns}, Instant{}, Instant::max() - 1ns, Instant::max());
    const auto wait = GENERATE(Nanoseconds{1ns}, Nanoseconds{std::chrono::hours::max()});
    TestType form{{.reset_timeout = wait}, {1}};
    form.clock.set(begin);
    REQUIRE(open(form, 1));
    CHECK_FALSE(succeed(form));
    CHECK(form.breaker.retry_after() == wait);
    CHECK(form.breaker.snapshot().retry_after == wait);
    form.clock.advance(Nanoseconds::max());
    CHECK(form.breaker.retry_after() >= 0ns);
    form.clock.set(Instant::min());
    CHECK(form.breaker.retry_after() <= wait);
    form.breaker.reset();
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// envoyproxy/envoy#13545
TEST_CASE("CircuitBreaker: a wait of forever lasts until time itself has passed, or until reset()") {
    const auto forever =
        GENERATE(Nanoseconds{std::chrono::hours::max()}, Nanoseconds{std::chrono::seconds::max()},
                 Nanoseconds{Nanoseconds::max()});
    Permits form{{.reset_timeout = forever}, {1}};
    REQUIRE(open(form, 1));
    form.clock.advance(std::chrono::hours{24 * 365 * 200});
    CHECK_FALSE(form.take());
    CHECK(form.breaker.retry_after() > std::chrono::hours{24 * 365 * 90});
    form.breaker.reset();
    CHECK(form.take());
}

// envoyproxy/envoy#13545
TEMPLATE_TEST_CASE(
    "CircuitBreaker: a jump over all of time ends a wait, and a probe's time, without overflow", "",
    Permits, Entries) {
    TestType form{with_probes(1)};
    form.clock.set(Instant::min());
    REQUIRE(open(form));
    form.clock.set(Instant::max());
    auto lost = form.take();
    REQUIRE(lost);
    CHECK_FALSE(form.take());
    form.clock.set(Instant::min());
    CHECK_FALSE(form.take());
    form.breaker.reset();
    REQUIRE(open(form));
    form.clock.advance(10s);
    const auto probe = form.take();
    REQUIRE(probe);
    form.clock.advance(Nanoseconds::max());
    CHECK(form.take());
}

TEMPLATE_TEST_CASE("CircuitBreaker: on a clock that stands still it opens, and stays open", "", TwoStep,
                   Permits, Entries, Calls) {
    const auto at = GENERATE(Instant::min(), Instant{}, Instant::max());
    TestType form{{.reset_timeout = 1ns}};
    form.clock.set(at);
    REQUIRE(open(form));
    for (int i = 0; i != 100; ++i) CHECK_FALSE(succeed(form));
    CHECK(form.breaker.state() == State::open);
}

} // namespace tests::field_cases_clocks
