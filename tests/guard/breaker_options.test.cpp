// SPDX-License-Identifier: MIT
#include <dashpot/guard/breaker_options.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace tests::guard_breaker_options {

using namespace std::chrono_literals;
using namespace support;
using dashpot::BreakerOptions;
using dashpot::HalfOpen;

namespace {

/// What a breaker with these options is refused for; empty if it is not.
std::string refusal_of(const BreakerOptions& options, std::uint32_t threshold = 5) {
    return message_of([&] { const Breaker breaker{{threshold}, options, ManualClock{}}; });
}

bool mentions(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("BreakerOptions: ten seconds and one probe by default", "[guard]") {
    STATIC_REQUIRE(BreakerOptions{} ==
                   BreakerOptions{.reset_timeout = 10s, .half_open = {.probes = 1}});
    STATIC_REQUIRE(BreakerOptions{} != BreakerOptions{.reset_timeout = 10s + 1ns});
    STATIC_REQUIRE(BreakerOptions{} != BreakerOptions{.half_open = {.probes = 2}});
    CHECK(refusal_of({}).empty());
}

TEST_CASE("BreakerOptions: a reset timeout of nothing or less is refused by name, a nanosecond is not",
          "[guard]") {
    CHECK(refusal_of({.reset_timeout = 1ns}).empty());
    for (const auto timeout : {std::chrono::nanoseconds{0}, std::chrono::nanoseconds{-1},
                               (std::chrono::nanoseconds::min)()}) {
        CHECK(mentions(refusal_of({.reset_timeout = timeout}), "BreakerOptions::reset_timeout"));
        CHECK(mentions(refusal_of({.reset_timeout = timeout}), "must be longer than 0s"));
    }
    CHECK(mentions(refusal_of({.reset_timeout = (std::chrono::hours::min)()}), "reset_timeout"));
    CHECK(refusal_of({.reset_timeout = -10s}) == "BreakerOptions::reset_timeout (or its "
                                                 "ExponentialBackoff::initial) is -10s, must be "
                                                 "longer than 0s");
}

TEST_CASE("BreakerOptions: hours::max() is forever, not a negative number", "[guard]") {
    const auto for_ever = (std::chrono::hours::max)();
    CHECK(refusal_of({.reset_timeout = for_ever, .half_open = {.probe_timeout = for_ever}}).empty());
}

TEST_CASE("BreakerOptions: what HalfOpen refuses, the breaker refuses in the same words", "[guard]") {
    for (const HalfOpen& half_open :
         {HalfOpen{.probes = 0}, HalfOpen{.probes = 2, .successes_to_close = 3},
          HalfOpen{.probes = 2, .successes_to_close = 0}, HalfOpen{.probe_timeout = 0ns},
          HalfOpen{.probe_timeout = -1h}}) {
        const std::string expected = message_of([&] { half_open.validate(); });
        CHECK_FALSE(expected.empty());
        CHECK(refusal_of({.half_open = half_open}) == expected);
    }
    CHECK(refusal_of({.half_open = {.probes = 2, .successes_to_close = 2}}).empty());
}

TEST_CASE("BreakerOptions: a bad option of the policy is refused by the breaker", "[guard]") {
    CHECK(
        refusal_of({}, 0) ==
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK(refusal_of({}, 1).empty());
}

TEST_CASE("BreakerOptions: every refusal is a std::invalid_argument", "[guard]") {
    const auto make = [](const BreakerOptions& options, std::uint32_t threshold) {
        const Breaker breaker{{threshold}, options, ManualClock{}};
    };
    CHECK_THROWS_AS(make({}, 0), std::invalid_argument);
    CHECK_THROWS_AS(make({.reset_timeout = 0s}, 1), std::invalid_argument);
    CHECK_THROWS_AS(make({.half_open = {.probes = 0}}, 1), std::invalid_argument);
    CHECK_THROWS_AS(make({.half_open = {.probe_timeout = 0s}}, 1), std::invalid_argument);
}

TEST_CASE("BreakerOptions: starts in any state that a command can lead to", "[guard]") {
    using dashpot::State;
    for (const State state :
         {State::closed, State::disabled, State::forced_open, State::metrics_only}) {
        const Breaker breaker{{}, {.initial_state = state}, ManualClock{}};
        CHECK(breaker.state() == state);
        CHECK(breaker.snapshot().state == state);
        CHECK(breaker.snapshot().generation == 1);
    }
    for (const State state : {State::open, State::half_open}) {
        CHECK(refusal_of({.initial_state = state}) ==
              "BreakerOptions::initial_state is " + std::string{dashpot::detail::name_in_code(state)} +
                  ", must be State::closed, State::disabled, State::forced_open or "
                  "State::metrics_only; only calls lead to OPEN and HALF_OPEN");
    }
    CHECK(mentions(refusal_of({.initial_state = static_cast<State>(200)}),
                   "BreakerOptions::initial_state"));
}

} // namespace tests::guard_breaker_options
