// SPDX-License-Identifier: MIT
#include <dashpot/guard/throttler.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace tests::guard_throttler {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Throttle;
using dashpot::testing::ManualClock;
using Throttler = dashpot::Throttler<ManualClock>;

namespace {

void answer(Throttler& throttler, int calls, Outcome outcome) {
    for (int i = 0; i != calls; ++i) {
        auto permit = throttler.try_acquire();
        REQUIRE(permit);
        CHECK(permit.record(outcome));
    }
}

int refused_of(Throttler& throttler, int calls) {
    int refused = 0;
    for (int i = 0; i != calls; ++i) refused += throttler.try_acquire() ? 0 : 1;
    return refused;
}

} // namespace

TEST_CASE("Throttler: admits everything while the target accepts enough", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 1}, clock};
    answer(throttler, 100, Outcome::success);
    answer(throttler, 100, Outcome::failure); // half: what the factor allows
    CHECK(throttler.refuse_probability() == 0);
    CHECK(refused_of(throttler, 100) == 0);
    CHECK(throttler.refused() == 0);
}

TEST_CASE("Throttler: refuses the share that the formula says, and says why", "[guard]") {
    ManualClock clock;
    Throttler throttler{{}, clock};
    answer(throttler, 20, Outcome::failure);
    CHECK(throttler.refuse_probability() == 0.9);
    const auto first = throttler.try_acquire();
    CHECK(first);
    for (int i = 0; i != 9; ++i) {
        const auto permit = throttler.try_acquire();
        CHECK_FALSE(permit);
        CHECK(permit.refusal() == Refusal{Error::throttled});
    }
    CHECK(throttler.refused() == 9);
    CHECK(throttler.snapshot().requests == 29);
    CHECK(refused_of(throttler, 1000) == 900);
}

TEST_CASE("Throttler: counts calls when they are answered, and ignored ones not at all", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 1}, clock};
    auto permit = throttler.try_acquire();
    CHECK(throttler.snapshot().requests == 0);
    CHECK(permit.success());
    CHECK_FALSE(permit.failure()); // once
    CHECK_FALSE(permit);
    answer(throttler, 5, Outcome::ignored);
    { const auto dropped = throttler.try_acquire(); }
    auto released = throttler.try_acquire();
    released.release();
    const auto now = throttler.snapshot();
    CHECK(now.requests == 1);
    CHECK(now.accepts == 1);
    CHECK(throttler.try_acquire().failure(2s));
    CHECK(throttler.snapshot().requests == 2);
}

TEST_CASE("Throttler: a permit that an exception drops is a failure", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 1}, clock};
    try {
        auto permit = throttler.try_acquire();
        const auto moved = std::move(permit);
        throw 42;
    } catch (int) {}
    CHECK(throttler.snapshot().requests == 1);
    CHECK(throttler.snapshot().accepts == 0);
}

TEST_CASE("Throttler: the window moves with the time, also without calls", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 10}, clock};
    answer(throttler, 100, Outcome::success);
    clock.advance(5s);
    answer(throttler, 60, Outcome::failure);
    CHECK(throttler.refuse_probability() == 0);
    clock.advance(5s - 1ns);
    CHECK(refused_of(throttler, 10) == 0);
    clock.advance(1ns); // the successes leave
    CHECK(throttler.refuse_probability() == 0.9);
    CHECK(refused_of(throttler, 10) == 9);
    clock.advance(20s);
    CHECK(throttler.refuse_probability() == 0);
    CHECK(refused_of(throttler, 10) == 0);
}

TEST_CASE("Throttler: successes of several buckets are each in their own", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.length = 3s, .buckets = 3, .minimum_calls = 1}, clock};
    for (std::uint64_t second = 0; second != 5; ++second) {
        answer(throttler, 10, Outcome::success);
        CHECK(throttler.snapshot().accepts == (second < 3 ? 10 * (second + 1) : 30));
        clock.advance(1s);
    }
    CHECK(throttler.snapshot().accepts == 20);
}

TEST_CASE("Throttler: call() records what the classifier says", "[guard]") {
    ManualClock clock;
    Throttler throttler{{.minimum_calls = 2}, clock};
    CHECK(throttler.call([] { return 7; }).value() == 7);
    CHECK_THROWS_AS(throttler.call([]() -> int { throw std::runtime_error{"no"}; }),
                    std::runtime_error);
    CHECK(throttler.snapshot().requests == 2);
    CHECK(throttler.snapshot().accepts == 1);
    const auto fail = [](int) { return Outcome::failure; };
    for (int i = 0; i != 20; ++i) (void)throttler.call([] { return 1; }, fail);
    CHECK(throttler.refused() > 0);
    dashpot::Result<int> last = throttler.call([] { return 1; }, fail);
    while (last) last = throttler.call([] { return 1; }, fail);
    CHECK(last.error() == Error::throttled);
}

TEST_CASE("Throttler: reconfigure keeps the window if its buckets fit", "[guard]") {
    ManualClock clock;
    Throttler throttler{{}, clock};
    answer(throttler, 20, Outcome::failure);
    throttler.reconfigure({.length = 5s, .buckets = 5, .max_refused = 0.5});
    CHECK(throttler.refuse_probability() == 0.5);
    CHECK(refused_of(throttler, 10) == 5);
    CHECK(throttler.options().buckets == 5);
    throttler.reconfigure({.length = 20s});
    CHECK(throttler.snapshot().requests == 0);
    CHECK(refused_of(throttler, 10) == 0);
    CHECK_THROWS_AS(throttler.reconfigure({.max_refused = 0}), std::invalid_argument);
    CHECK(throttler.options() == Throttle{.length = 20s});
}

TEST_CASE("Throttler: refuses options out of range at construction", "[guard]") {
    CHECK_THROWS_AS(dashpot::Throttler<>{{.accepts_factor = 0.5}}, std::invalid_argument);
    CHECK_THROWS_AS(dashpot::Throttler<>{{.minimum_calls = 0}}, std::invalid_argument);
}

TEST_CASE("Throttler: is pinned where it is, and its calls do not throw", "[guard]") {
    using Permit = Throttler::Permit;
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Throttler>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Permit>);
    STATIC_REQUIRE(requires(Throttler& throttler, const Throttler& read, Permit& permit) {
        { throttler.try_acquire() } noexcept -> std::same_as<Permit>;
        { read.refuse_probability() } noexcept -> std::same_as<double>;
        { read.refused() } noexcept -> std::same_as<std::uint64_t>;
        { permit.success() } noexcept -> std::same_as<bool>;
        { permit.record(Outcome::failure) } noexcept -> std::same_as<bool>;
        { permit.release() } noexcept;
    });
}

} // namespace tests::guard_throttler
