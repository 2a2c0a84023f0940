// SPDX-License-Identifier: MIT
#include <dashpot/policy/backoff.hpp>

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests::policy_backoff {

using namespace std::chrono_literals;
using dashpot::Backoff;
using dashpot::BreakerOptions;
using dashpot::CircuitBreaker;
using dashpot::ExponentialBackoff;
using dashpot::State;
using dashpot::detail::next_chance;
using dashpot::testing::ManualClock;
using std::chrono::hours;
using std::chrono::nanoseconds;

namespace {

constexpr std::uint32_t last_attempt = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t least_chance = 0;
constexpr std::uint64_t most_chance = ~std::uint64_t{0};
constexpr std::uint64_t half_a_chance = std::uint64_t{1} << 63U;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr bool is_valid(const Backoff& backoff) {
    backoff.validate(); // a refusal is no constant expression
    return true;
}

static_assert(is_valid(10s) && is_valid(1ns) && is_valid(hours::max()) &&
              is_valid(ExponentialBackoff{}));
static_assert(Backoff{10s}.delay(0) == 10s && Backoff{10s}.delay(last_attempt, most_chance) == 10s);
static_assert(Backoff{ExponentialBackoff{}}.delay(0) == 1s &&
              Backoff{ExponentialBackoff{}}.delay(3) == 8s);
static_assert(Backoff{ExponentialBackoff{}}.delay(9) == 5min); // 512 s would be above the cap
static_assert(std::convertible_to<std::chrono::minutes, Backoff>);
static_assert(std::convertible_to<ExponentialBackoff, Backoff>);
static_assert(!std::convertible_to<int, Backoff> && !std::convertible_to<double, Backoff>);
static_assert(!std::convertible_to<std::chrono::duration<double>, Backoff>); // no rounding unasked

/// The message with which it is refused; nothing if it is not.
std::string refusal(const Backoff& backoff) {
    try {
        backoff.validate();
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return {};
}

using Breaker = CircuitBreaker<ManualClock>;

/// The same, from the constructor of a breaker.
std::string breaker_refusal(const Backoff& backoff) {
    try {
        const Breaker breaker{{}, {.reset_timeout = backoff}, ManualClock{}};
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return {};
}

/// Waits out the OPEN state and returns how long it was; the one probe then fails.
nanoseconds wait_and_fail(Breaker& breaker, ManualClock& clock) {
    const nanoseconds wait = breaker.retry_after();
    clock.advance(wait - 1ns);
    CHECK_FALSE(breaker.allow()); // not one tick before
    clock.advance(1ns);
    auto probe = breaker.try_acquire();
    CHECK(probe);
    CHECK(probe.failure());
    CHECK(breaker.state() == State::open);
    return wait;
}

std::vector<nanoseconds> waits(const Backoff& backoff, int times) {
    ManualClock clock;
    Breaker breaker{{}, {.reset_timeout = backoff}, clock};
    breaker.trip();
    std::vector<nanoseconds> all;
    for (int i = 0; i != times; ++i) all.push_back(wait_and_fail(breaker, clock));
    return all;
}

} // namespace

TEST_CASE("Backoff: of a plain duration is always that duration", "[policy]") {
    const nanoseconds wait = GENERATE(as<nanoseconds>{}, 1ns, 10s, 24h * 365, nanoseconds::max());
    const Backoff backoff{wait};
    for (const std::uint32_t attempt : {0U, 1U, 2U, 1000U, last_attempt}) {
        CHECK(backoff.delay(attempt) == wait);
        CHECK(backoff.delay(attempt, most_chance) == wait);
    }
    CHECK(refusal(backoff).empty());
    CHECK_FALSE(backoff.seed());
}

TEST_CASE("Backoff: means the same in every unit, and forever saturates", "[policy]") {
    CHECK(Backoff{2s} == Backoff{2000ms});
    CHECK(Backoff{2s} == Backoff{2'000'000us});
    CHECK(Backoff{2s} != Backoff{2s + 1ns});
    CHECK(Backoff{hours::max()}.delay(0) == nanoseconds::max());
}

TEST_CASE("Backoff: doubles exactly", "[policy]") {
    const nanoseconds initial = GENERATE(as<nanoseconds>{}, 1ns, 7ns, 1ms, 1s, 1s + 1ns, 90min);
    const Backoff backoff{ExponentialBackoff{.initial = initial, .cap = nanoseconds::max()}};
    nanoseconds exact = initial;
    for (std::uint32_t attempt = 0; exact < nanoseconds::max() / 4; ++attempt, exact *= 2) {
        CHECK(backoff.delay(attempt) == exact);
    }
}

TEST_CASE("Backoff: grows by its factor, to the nanosecond where that is whole", "[policy]") {
    const Backoff triple{ExponentialBackoff{.initial = 1s, .factor = 3.0, .cap = hours::max()}};
    CHECK(triple.delay(1) == 3s);
    CHECK(triple.delay(10) == 59049s);
    const Backoff half_more{ExponentialBackoff{.initial = 8s, .factor = 1.5, .cap = 1h}};
    CHECK(half_more.delay(0) == 8s);
    CHECK(half_more.delay(1) == 12s);
    CHECK(half_more.delay(2) == 18s);
    CHECK(half_more.delay(3) == 27s);
    CHECK(half_more.delay(4) == 40s + 500ms);
    const Backoff leaps{ExponentialBackoff{.initial = 1ns, .factor = 1e9, .cap = hours::max()}};
    CHECK(leaps.delay(1) == 1s);
    CHECK(leaps.delay(2) == 1'000'000'000s);
    CHECK(leaps.delay(3) == nanoseconds::max());
}

TEST_CASE("Backoff: a factor of one stands still", "[policy]") {
    const Backoff backoff{ExponentialBackoff{.initial = 3s, .factor = 1.0, .cap = 1min}};
    CHECK(backoff.delay(0) == 3s);
    CHECK(backoff.delay(1) == 3s);
    CHECK(backoff.delay(last_attempt) == 3s);
}

TEST_CASE("Backoff: stops at its cap, exactly, and stays there", "[policy]") {
    for (const nanoseconds cap : {nanoseconds{8s} - 1ns, nanoseconds{8s}, nanoseconds{8s} + 1ns}) {
        const Backoff backoff{ExponentialBackoff{.initial = 1s, .cap = cap}};
        CAPTURE(cap.count());
        CHECK(backoff.delay(2) == 4s);
        CHECK(backoff.delay(3) == std::min(cap, nanoseconds{8s}));
        CHECK(backoff.delay(4) == cap);
        CHECK(backoff.delay(1000) == cap);
        CHECK(backoff.delay(last_attempt) == cap);
    }
    const Backoff level{ExponentialBackoff{.initial = 5s, .cap = 5s}};
    CHECK(level.delay(0) == 5s);
    CHECK(level.delay(1) == 5s);
}

TEST_CASE("Backoff: overflows nothing, however late the attempt and long the wait", "[policy]") {
    const nanoseconds initial = GENERATE(as<nanoseconds>{}, 1ns, 10s, nanoseconds::max() / 2,
                                         nanoseconds::max() - 1ns, nanoseconds::max());
    const double factor = GENERATE(as<double>{}, 1.1, 2.0, 1e9);
    const Backoff backoff{
        ExponentialBackoff{.initial = initial, .factor = factor, .cap = hours::max()}};
    CAPTURE(initial.count(), factor);
    CHECK(refusal(backoff).empty());
    CHECK(backoff.delay(last_attempt) == nanoseconds::max());
    nanoseconds before = initial;
    for (std::uint32_t attempt = 0; attempt != 600; ++attempt) {
        const nanoseconds wait = backoff.delay(attempt);
        if (wait < before) FAIL("shorter at attempt " << attempt);
        before = wait;
    }
    CHECK(before == nanoseconds::max());
}

TEST_CASE("Backoff: jitter takes away at most its share, by chance", "[policy]") {
    const Backoff backoff{ExponentialBackoff{.initial = 10s, .cap = 1min, .jitter = 0.2}};
    CHECK(backoff.delay(0, least_chance) == 10s);
    CHECK(backoff.delay(0, half_a_chance) == 9s);
    CHECK(backoff.delay(0, most_chance) >= 8s);
    CHECK(backoff.delay(0, most_chance) < 8s + 10ns);
    CHECK(backoff.delay(1, least_chance) == 20s);
    CHECK(backoff.delay(1, half_a_chance) == 18s);
    CHECK(backoff.delay(9, least_chance) == 1min); // never above the cap
    CHECK(backoff.delay(9, most_chance) >= 48s);
}

TEST_CASE("Backoff: whole jitter leaves at least one tick", "[policy]") {
    const nanoseconds wait = GENERATE(as<nanoseconds>{}, 1ns, 2ns, 3ns, 1s, (1LL << 53) * 1ns + 1ns,
                                      nanoseconds::max() - 511ns, nanoseconds::max());
    const Backoff backoff{ExponentialBackoff{.initial = wait, .cap = wait, .jitter = 1.0}};
    CAPTURE(wait.count());
    CHECK(backoff.delay(0, least_chance) == wait);
    CHECK(backoff.delay(0, most_chance) >= 1ns);
    CHECK(backoff.delay(last_attempt, most_chance) >= 1ns);
    CHECK(backoff.delay(0, most_chance) <= wait / 1000 + 1ns);
}

TEST_CASE("Backoff: jitter spreads over the whole of its share", "[policy]") {
    const Backoff backoff{ExponentialBackoff{.initial = 1s, .cap = 1s, .jitter = 0.5}};
    std::uint64_t state = 2024;
    int tenths[5] = {};
    for (int i = 0; i != 10'000; ++i) {
        const nanoseconds wait = backoff.delay(0, next_chance(state));
        if (wait <= 500ms - 1ns || wait > 1s) FAIL("out of its share: " << wait.count());
        ++tenths[(wait - 500ms - 1ns) / 100ms];
    }
    for (const int times : tenths) CHECK((times > 1800 && times < 2200));
}

TEST_CASE("Backoff: its chances are those of splitmix", "[policy]") {
    std::uint64_t state = 1234567; // the first numbers that others publish for this seed
    CHECK(next_chance(state) == 6457827717110365317U);
    CHECK(next_chance(state) == 3203168211198807973U);
    CHECK(next_chance(state) == 9817491932198370423U);
}

TEST_CASE("Backoff: refuses what makes no sense, and names the field", "[policy]") {
    const auto field = [](const ExponentialBackoff& curve) {
        const std::string message = refusal(curve);
        CHECK(breaker_refusal(curve).find(message.substr(0, message.find(' '))) != std::string::npos);
        return message.substr(0, message.find(' '));
    };
    for (const nanoseconds initial : {0ns, -1ns, nanoseconds{-10s}, nanoseconds::min()}) {
        CHECK(field({.initial = initial}) == "ExponentialBackoff::initial");
    }
    CHECK(field({.initial = hours::min()}) == "ExponentialBackoff::initial");
    for (const double factor : {1.0 - 1e-16, 0.5, 0.0, -0.0, -2.0, not_a_number, infinity, -infinity}) {
        CAPTURE(factor);
        CHECK(field({.factor = factor}) == "ExponentialBackoff::factor");
    }
    CHECK(field({.initial = 5s, .cap = 5s - 1ns}) == "ExponentialBackoff::cap");
    CHECK(field({.initial = 5s, .cap = 0s}) == "ExponentialBackoff::cap");
    CHECK(field({.initial = 5s, .cap = hours::min()}) == "ExponentialBackoff::cap");
    CHECK(field({.initial = hours::max()}) == "ExponentialBackoff::cap"); // the default cap is shorter
    CHECK(refusal(ExponentialBackoff{.initial = -90s}) ==
          "ExponentialBackoff::initial is -90s, must be longer than 0s");
    CHECK(refusal(ExponentialBackoff{.factor = 0.75}) ==
          "ExponentialBackoff::factor is 0.75, must be in [1, 1e9]; for waits of one length write 1");
    CHECK(refusal(ExponentialBackoff{.initial = 5s, .cap = 2500ms}) ==
          "ExponentialBackoff::cap is 2500ms, must be 5s or more, the length of "
          "ExponentialBackoff::initial");
    CHECK(refusal(ExponentialBackoff{.jitter = 20}) ==
          "ExponentialBackoff::jitter is 20, must be in [0, 1]; for 50 % write 0.5");
    for (const double jitter : {-0.01, -1.0, 1.0000001, 50.0, not_a_number, infinity, -infinity}) {
        CAPTURE(jitter);
        CHECK(field({.jitter = jitter}) == "ExponentialBackoff::jitter");
    }
}

TEST_CASE("Backoff: a breaker names the option that a plain duration was given for", "[policy]") {
    for (const nanoseconds wait : {0ns, -1ns, nanoseconds{-10s}, nanoseconds::min()}) {
        CHECK(breaker_refusal(wait).find("BreakerOptions::reset_timeout") == 0);
        CHECK_FALSE(refusal(wait).empty());
    }
    CHECK(breaker_refusal(hours::min()).find("BreakerOptions::reset_timeout") == 0);
    CHECK(breaker_refusal(1ns).empty());
    CHECK(breaker_refusal(hours::max()).empty());
}

TEST_CASE("Backoff: takes the ends of its ranges at their word", "[policy]") {
    CHECK(
        refusal(ExponentialBackoff{.initial = 1ns, .factor = 1.0, .cap = 1ns, .jitter = 0.0}).empty());
    CHECK(refusal(ExponentialBackoff{
                      .initial = hours::max(), .factor = 1e9, .cap = hours::max(), .jitter = 1.0})
              .empty());
}

TEST_CASE("Backoff: equals another when every field does", "[policy]") {
    const Backoff backoff{ExponentialBackoff{.seed = 7}};
    CHECK(backoff == Backoff{ExponentialBackoff{.seed = 7}});
    CHECK(backoff != Backoff{ExponentialBackoff{.seed = 8}});
    CHECK(backoff != Backoff{ExponentialBackoff{}});
    CHECK(backoff != Backoff{ExponentialBackoff{.initial = 2s, .seed = 7}});
    CHECK(backoff != Backoff{ExponentialBackoff{.factor = 3, .seed = 7}});
    CHECK(backoff != Backoff{ExponentialBackoff{.cap = 2s, .seed = 7}});
    CHECK(backoff != Backoff{ExponentialBackoff{.jitter = 0.1, .seed = 7}});
    CHECK(backoff.seed() == 7);
}

TEST_CASE("Backoff: a breaker waits longer at each re-opening, up to the cap", "[policy]") {
    CHECK(waits(ExponentialBackoff{.initial = 1s, .cap = 9s}, 6) ==
          std::vector<nanoseconds>{1s, 2s, 4s, 8s, 9s, 9s});
    CHECK(waits(10s, 3) == std::vector<nanoseconds>{10s, 10s, 10s});
}

TEST_CASE("Backoff: a breaker that closed starts over", "[policy]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = ExponentialBackoff{.initial = 1s}}, clock};
    breaker.record_failure();
    wait_and_fail(breaker, clock);
    wait_and_fail(breaker, clock);
    REQUIRE(breaker.retry_after() == 4s);
    SECTION("by a probe") {
        clock.advance(4s);
        REQUIRE(breaker.try_acquire().success());
        breaker.record_failure();
    }
    SECTION("by reset") {
        breaker.reset();
        REQUIRE(breaker.state() == State::closed);
        breaker.trip();
    }
    SECTION("by way of the other commands") {
        breaker.force_open();
        breaker.disable();
        breaker.reset();
        REQUIRE(breaker.state() == State::closed);
        breaker.record_failure();
    }
    CHECK(breaker.state() == State::open);
    CHECK(breaker.retry_after() == 1s);
    CHECK(wait_and_fail(breaker, clock) == 1s);
    CHECK(breaker.retry_after() == 2s);
}

TEST_CASE("Backoff: only a re-opening makes the wait longer", "[policy]") {
    ManualClock clock;
    Breaker breaker{{}, {.reset_timeout = ExponentialBackoff{.initial = 1s}}, clock};
    breaker.trip();
    breaker.trip(); // open already
    CHECK(wait_and_fail(breaker, clock) == 1s);
    clock.advance(2s);
    for (int lost = 0; lost != 3; ++lost) { // half-open periods in which nobody answers
        REQUIRE(breaker.allow());
        clock.advance(10min);
    }
    breaker.trip(); // out of HALF_OPEN, as a failed probe would
    CHECK(breaker.retry_after() == 4s);
}

TEST_CASE("Backoff: a probe is waited for as long as the circuit was open", "[policy]") {
    ManualClock clock;
    const Backoff backoff{ExponentialBackoff{.initial = 1s}};
    const std::optional<nanoseconds> asked_for =
        GENERATE(as<std::optional<nanoseconds>>{}, std::nullopt, 7s);
    BreakerOptions options{.reset_timeout = backoff};
    if (asked_for) options.half_open.probe_timeout = *asked_for;
    Breaker breaker{{}, options, clock};
    breaker.trip();
    wait_and_fail(breaker, clock);
    wait_and_fail(breaker, clock);
    clock.advance(4s);
    auto lost = breaker.try_acquire();
    REQUIRE(lost);
    clock.advance(asked_for.value_or(4s) - 1ns);
    CHECK_FALSE(breaker.allow());
    clock.advance(1ns);
    CHECK(breaker.allow());
    CHECK_FALSE(lost.success());
}

TEST_CASE("Backoff: breakers differ in their jitter, unless they were given one seed", "[policy]") {
    const auto jittered = [](std::optional<std::uint64_t> seed) {
        return waits(ExponentialBackoff{.initial = 1s, .cap = 1min, .jitter = 0.5, .seed = seed}, 8);
    };
    CHECK(jittered(7) == jittered(7));
    CHECK(jittered(0) == jittered(0));
    CHECK(jittered(7) != jittered(8));
    CHECK(jittered(std::nullopt) != jittered(std::nullopt));

    const std::vector<nanoseconds> some = jittered(7);
    for (std::size_t i = 0; i != some.size(); ++i) {
        const nanoseconds whole = std::min<nanoseconds>((1 << i) * 1s, 1min);
        CHECK((some[i] >= whole / 2 && some[i] <= whole));
    }
}

} // namespace tests::policy_backoff
