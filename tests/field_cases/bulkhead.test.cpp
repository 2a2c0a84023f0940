// SPDX-License-Identifier: MIT
// Slots that were lost, kept too long, or held against the target.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <coroutine>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tests::field_cases_bulkhead {

using namespace field;

namespace {

/// A call that waits for ever until it is cancelled, which destroys what it holds.
class Suspended {
  public:
    struct promise_type {
        Suspended get_return_object() {
            return Suspended{std::coroutine_handle<promise_type>::from_promise(*this)};
        }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { throw; }
    };
    explicit Suspended(std::coroutine_handle<promise_type> handle) : handle_{handle} {}
    Suspended(Suspended&& other) noexcept : handle_{std::exchange(other.handle_, nullptr)} {}
    ~Suspended() {
        if (handle_) handle_.destroy();
    }

  private:
    std::coroutine_handle<promise_type> handle_;
};

Suspended hold_slot(Bulkhead& hull) {
    const auto slot = hull.try_acquire();
    co_await std::suspend_always{};
}

Suspended hold_entry(Entrance& target) {
    const auto entry = target.try_enter();
    co_await std::suspend_always{};
}

} // namespace

// resilience4j/resilience4j#332
TEST_CASE("Bulkhead: a slot comes back however its holder leaves") {
    const auto limit = GENERATE(1U, 4U);
    Bulkhead hull{limit};
    const auto leave_early = [&](bool early) {
        const auto slot = hull.try_acquire();
        if (early) return 1;
        return 2;
    };
    leave_early(true);
    CHECK(hull.available() == limit);
    const auto leave_by_exception = [&] {
        const auto slot = hull.try_acquire();
        throw Trouble{};
    };
    CHECK_THROWS_AS(leave_by_exception(), Trouble);
    CHECK(hull.available() == limit);
    {
        const auto call = hold_slot(hull);
        CHECK(hull.available() == limit - 1);
    }
    CHECK(hull.available() == limit);
    {
        auto slot = hull.try_acquire();
        Bulkhead::Permit owner{std::move(slot)};
        slot = std::move(owner); // there and back
        slot.release();
        slot.release();
        CHECK_FALSE(slot);
    }
    CHECK(hull.available() == limit);
    {
        auto slot = hull.try_acquire();
        slot = Bulkhead::Permit{};
        CHECK(hull.available() == limit);
    }
    CHECK(hull.in_flight() == 0);
}

// resilience4j/resilience4j#332
TEST_CASE("Target: a slot comes back however the call leaves, and a cancelled probe with it") {
    Entries form{with_probes(1)};
    form.target.bulkhead().resize(1);
    const bool as_probe = GENERATE(false, true);
    if (as_probe) REQUIRE(open_and_wait(form));
    const State before = as_probe ? State::half_open : State::closed;
    CHECK(form.target.call([] { return 1; }, [](int) { return Outcome::ignored; }));
    CHECK(form.target.bulkhead().available() == 1);
    CHECK_THROWS_AS(form.target.call([]() -> int { throw Trouble{}; },
                                     [](std::exception_ptr) { return Outcome::ignored; }),
                    Trouble);
    CHECK(form.target.bulkhead().available() == 1);
    {
        const auto cancelled = hold_entry(form.target);
        CHECK(form.target.bulkhead().available() == 0);
        CHECK_FALSE(form.target.try_enter());
    }
    CHECK(form.target.bulkhead().available() == 1);
    CHECK(form.breaker.state() == before);
    CHECK(form.breaker.snapshot().probes_in_flight == 0);
    CHECK_THROWS_AS(form.target.call([] { throw Trouble{}; }), Trouble);
    CHECK(form.target.bulkhead().available() == 1);
    CHECK(form.breaker.state() == (as_probe ? State::open : State::closed));
}

// linkerd/linkerd2-proxy#751
TEST_CASE("Target: a finished call holds no slot, though its result or its entry is kept") {
    Entries form;
    form.target.bulkhead().resize(1);
    std::vector<Result<int>> results;
    for (int i = 0; i != 3; ++i) {
        results.push_back(form.target.call([&] { return i; }));
        REQUIRE(results.back());
    }
    std::vector<Entrance::Entry> answered;
    const std::vector outcomes{Outcome::success, Outcome::failure, Outcome::ignored};
    for (const Outcome outcome : outcomes) {
        answered.push_back(form.target.try_enter());
        REQUIRE(answered.back());
        answered.back().record(outcome);
        CHECK(form.target.bulkhead().in_flight() == 0);
    }
    answered.push_back(form.target.try_enter());
    answered.back().release();
    CHECK(form.target.try_enter());
}

// linkerd/linkerd2-proxy#751
TEST_CASE("Target: the slot is free when listeners receive the answer") {
    const bool by_call = GENERATE(false, true);
    Entries form{with_probes(1), {1}};
    form.target.bulkhead().resize(1);
    std::optional<std::uint32_t> in_flight;
    const auto subscription = form.breaker.on_transition(
        [&](const Transition&) { in_flight = form.target.bulkhead().in_flight(); });
    if (by_call) {
        CHECK_THROWS_AS(form.target.call([] { throw Trouble{}; }), Trouble);
    } else {
        CHECK(form.target.try_enter().failure());
    }
    CHECK(in_flight == 0U);
}

// Shopify/semian#227, resilience4j/resilience4j#1656
TEST_CASE("Target: a full bulkhead never counts against the breaker") {
    const auto refused = GENERATE(1, 10, 1000);
    Entries form{with_probes(1), {3}};
    form.target.bulkhead().resize(1);
    auto held = form.target.try_enter();
    for (int i = 0; i != refused; ++i) {
        auto entry = form.target.try_enter();
        CHECK_FALSE(entry);
        CHECK(entry.refusal() == Refusal{Error::bulkhead_full});
        CHECK_FALSE(entry.failure());
        const auto answer = form.target.call([] { return 1; });
        CHECK(answer.error().reason == Error::bulkhead_full);
    }
    const Snapshot seen = form.breaker.snapshot();
    CHECK(seen.state == State::closed);
    CHECK(seen.calls == 0);
    CHECK(seen.failures == 0);
    CHECK(seen.refused == 0); // not the breaker's refusals
    CHECK(seen.ignored == 0);
    CHECK(seen.generation == 1);
    CHECK(held.success());
}

// Shopify/semian#227
TEST_CASE("Target: a bulkhead inside a breaker of the user's own composition does not count either") {
    Calls form{with_probes(1), {1}};
    Bulkhead inner{0};
    Entrance inner_target{"CLAIM", {.max_concurrent = 0}, ManualClock{}};
    for (int i = 0; i != 10; ++i) {
        const auto answer = form.breaker.call([&] { return inner_target.call([] { return 1; }); });
        REQUIRE(answer);
        CHECK(answer->error().reason == Error::bulkhead_full);
        CHECK_THROWS_AS(form.breaker.call([&] { return inner_target.call([] { return 1; }).value(); }),
                        BadResultAccess);
    }
    CHECK(form.breaker.state() == State::closed);
    CHECK(form.breaker.snapshot().failures == 0);
}

// Shopify/semian#227
TEST_CASE("Target: a full bulkhead gives the probe back, and ends no run of failures") {
    Entries form{with_probes(1), {2}};
    REQUIRE(fail(form));
    form.target.bulkhead().resize(0);
    CHECK_FALSE(form.target.try_enter());
    CHECK(form.breaker.snapshot().failures == 1);
    form.target.bulkhead().resize(1);
    REQUIRE(fail(form));
    REQUIRE(form.breaker.state() == State::open);
    form.clock.advance(10s);
    form.target.bulkhead().resize(0);
    for (int i = 0; i != 5; ++i) CHECK_FALSE(form.target.try_enter());
    CHECK(form.breaker.snapshot().probes_in_flight == 0);
    form.target.bulkhead().resize(1);
    CHECK(succeed(form));
    CHECK(form.breaker.state() == State::closed);
}

// resilience4j/resilience4j#2489
TEST_CASE(
    "Bulkhead: lowered below what is in flight it refuses until fewer are, and never goes negative") {
    const auto [limit, in_use, lowered] = GENERATE(table<std::uint32_t, std::uint32_t, std::uint32_t>(
        {{5, 0, 2}, {5, 5, 2}, {5, 5, 0}, {9, 4, 4}, {3, 2, 1}}));
    Bulkhead hull{limit};
    std::vector<Bulkhead::Permit> held;
    for (std::uint32_t i = 0; i != in_use; ++i) held.push_back(hull.try_acquire());
    hull.resize(lowered);
    CHECK(hull.max_concurrent() == lowered);
    CHECK(hull.in_flight() == in_use); // none is taken away
    while (held.size() > lowered) {
        CHECK_FALSE(hull.try_acquire());
        CHECK(hull.available() == 0);
        held.pop_back();
    }
    while (held.size() < lowered) {
        CHECK(hull.available() == lowered - held.size());
        held.push_back(hull.try_acquire());
        CHECK(held.back());
    }
    CHECK_FALSE(hull.try_acquire());
    hull.resize(limit); // and up again
    CHECK(hull.available() == limit - lowered);
    held.clear();
    CHECK(hull.available() == limit);
    CHECK(hull.in_flight() == 0);
}

} // namespace tests::field_cases_bulkhead
