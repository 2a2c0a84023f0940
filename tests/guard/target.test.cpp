// SPDX-License-Identifier: MIT
#include <dashpot/guard/target.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::guard_target {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::State;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Target = dashpot::Target<ManualClock>;
using Entry = Target::Entry;

namespace {

struct Rig {
    explicit Rig(std::uint32_t max_concurrent = 2, dashpot::HalfOpen half_open = {},
                 std::uint32_t history = 0)
        : target{"CORE",
                 {.policy = {.threshold = 2},
                  .breaker = {.reset_timeout = 10s, .half_open = half_open, .history = history},
                  .max_concurrent = max_concurrent},
                 clock} {}

    void wait_out() {
        target.breaker().trip();
        clock.advance(10s);
    }
    std::uint32_t in_flight() const { return target.bulkhead().in_flight(); }

    ManualClock clock;
    Target target;
};

} // namespace

TEST_CASE("Target: has a name, a breaker and a bulkhead", "[registry]") {
    Rig rig{7};
    CHECK(rig.target.name() == "CORE");
    CHECK(rig.target.bulkhead().max_concurrent() == 7);
    CHECK(rig.target.breaker().state() == State::closed);
    const Target& read = rig.target;
    CHECK(read.breaker().state() == State::closed);
    CHECK(read.bulkhead().in_flight() == 0);
}

TEST_CASE("Target: ten calls at once and the breaker's defaults by default", "[registry]") {
    const Target target{"CORE", {}, ManualClock{}};
    CHECK(target.bulkhead().max_concurrent() == 10);
    STATIC_REQUIRE(TargetOptions<>{} == TargetOptions<>{.policy = {5}, .max_concurrent = 10});
    STATIC_REQUIRE(TargetOptions<>{} != TargetOptions<>{.max_concurrent = 11});
    STATIC_REQUIRE(TargetOptions<>{} != TargetOptions<>{.breaker = {.reset_timeout = 11s}});
}

TEST_CASE("Target: a call takes a slot until it is answered, and counts in the breaker", "[registry]") {
    Rig rig;
    Entry entry = rig.target.try_enter();
    REQUIRE(entry);
    CHECK(rig.in_flight() == 1);
    CHECK(entry.failure());
    CHECK_FALSE(entry);
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().failures == 1);
    CHECK(rig.target.try_enter().failure());
    CHECK(rig.target.breaker().state() == State::open);
}

TEST_CASE("Target: frees the slot at the answer, whichever it is", "[registry]") {
    for (int how = 0; how != 6; ++how) {
        Rig rig;
        Entry entry = rig.target.try_enter();
        switch (how) {
        case 0: CHECK(entry.success()); break;
        case 1: CHECK(entry.failure(1s)); break;
        case 2: CHECK(entry.ignore()); break;
        case 3: CHECK(entry.record(Outcome::success)); break;
        case 4: CHECK(entry.record(Outcome::failure, 1s)); break;
        case 5: entry.release(); break;
        }
        CHECK(rig.in_flight() == 0);
        CHECK_FALSE(entry);
        CHECK_FALSE(entry.success());
        CHECK(rig.in_flight() == 0);
    }
}

TEST_CASE("Target: frees the slot although the answer came too late to count", "[registry]") {
    Rig rig;
    Entry late = rig.target.try_enter();
    rig.target.breaker().trip();
    CHECK_FALSE(late.success());
    CHECK(rig.in_flight() == 0);
}

TEST_CASE("Target: a dropped entry frees the slot and counts as ignored", "[registry]") {
    Rig rig;
    { const Entry dropped = rig.target.try_enter(); }
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().ignored == 1);
    CHECK(rig.target.breaker().snapshot().failures == 0);
}

TEST_CASE("Target: an unwound entry frees the slot and counts as a failure", "[registry]") {
    Rig rig;
    try {
        const Entry unwound = rig.target.try_enter();
        throw 42;
    } catch (int) {}
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().failures == 1);
}

TEST_CASE("Target: a full bulkhead refuses, and is nothing to the breaker", "[registry]") {
    Rig rig{1};
    CHECK(rig.target.try_enter().failure());
    const auto before = rig.target.breaker().snapshot();
    Entry held = rig.target.try_enter();
    for (int i = 0; i != 10; ++i) {
        Entry refused = rig.target.try_enter();
        CHECK_FALSE(refused);
        CHECK(refused.refusal() == Refusal{Error::bulkhead_full});
        CHECK_FALSE(refused.failure());
        CHECK_FALSE(refused.ignore());
    }
    CHECK(rig.in_flight() == 1);
    const auto after = rig.target.breaker().snapshot();
    CHECK(after.state == State::closed);
    CHECK(after.failures == before.failures);
    CHECK(after.ignored == before.ignored);
    CHECK(after.refused == before.refused);
    CHECK(held.success());
}

TEST_CASE("Target: an open breaker refuses without touching the bulkhead", "[registry]") {
    Rig rig;
    rig.target.breaker().trip();
    rig.clock.advance(3s);
    Entry refused = rig.target.try_enter();
    CHECK_FALSE(refused);
    CHECK(refused.refusal() == Refusal{Error::circuit_open, 7s});
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().refused == 1);
}

TEST_CASE("Target: asks the breaker first: both refuse, and the breaker's reason is given",
          "[registry]") {
    Rig rig{0};
    CHECK(rig.target.try_enter().refusal().reason == Error::bulkhead_full);
    rig.target.breaker().trip();
    CHECK(rig.target.try_enter().refusal().reason == Error::circuit_open);
}

TEST_CASE("Target: a full bulkhead takes no probe, and OPEN stays OPEN when its wait is over",
          "[registry]") {
    Rig rig{1};
    Entry long_call = rig.target.try_enter();
    rig.wait_out();
    const auto before = rig.target.breaker().snapshot();
    for (int i = 0; i != 10; ++i) {
        Entry refused = rig.target.try_enter();
        CHECK_FALSE(refused);
        CHECK(refused.refusal() == Refusal{Error::bulkhead_full});
        CHECK(refused.generation() == before.generation);
        CHECK_FALSE(refused.failure());
    }
    auto seen = rig.target.breaker().snapshot();
    CHECK(seen.state == State::open);
    CHECK(seen.generation == before.generation);
    CHECK(seen.probes_in_flight == 0);
    CHECK(seen.ignored == 0);
    CHECK(seen.refused == 0);
    CHECK(rig.target.bulkhead().refused() == 10);
    CHECK_FALSE(long_call.success()); // frees the slot; its vote is from another generation
    Entry probe = rig.target.try_enter();
    REQUIRE(probe);
    CHECK(rig.in_flight() == 1);
    CHECK(probe.success());
    CHECK(rig.target.breaker().state() == State::closed);
}

TEST_CASE("Target: a full bulkhead leaves the probes of HALF_OPEN to callers that get a slot",
          "[registry]") {
    Rig rig{1, {.probes = 3}, 64};
    rig.wait_out();
    Entry first = rig.target.try_enter();
    REQUIRE(rig.target.breaker().state() == State::half_open);
    const auto events = rig.target.breaker().history().size();
    for (int i = 0; i != 100; ++i)
        CHECK(rig.target.try_enter().refusal() == Refusal{Error::bulkhead_full});
    CHECK(rig.target.breaker().history().size() == events);
    CHECK(rig.target.breaker().snapshot().probes_in_flight == 1);
    CHECK(rig.target.breaker().snapshot().generation == first.generation());
    rig.target.bulkhead().resize(3);
    Entry second = rig.target.try_enter();
    Entry third = rig.target.try_enter();
    CHECK(rig.target.try_enter().refusal().reason ==
          Error::probes_in_flight); // a probe fewer than slots
    CHECK(first.success());
    CHECK(second.success());
    CHECK(third.success());
    CHECK(rig.target.breaker().state() == State::closed);
}

TEST_CASE("Target: lost probes that hold all slots begin no fresh period", "[registry]") {
    Rig rig{1};
    rig.wait_out();
    Entry lost = rig.target.try_enter();
    const auto generation = lost.generation();
    CHECK(rig.target.try_enter().refusal().reason == Error::probes_in_flight); // both refuse
    rig.clock.advance(10s);
    for (int i = 0; i != 10; ++i)
        CHECK(rig.target.try_enter().refusal().reason == Error::bulkhead_full);
    CHECK(rig.target.breaker().snapshot().generation == generation);
    CHECK(lost.success()); // late, but it counts: no fresh period began
    CHECK(rig.target.breaker().state() == State::closed);
}

TEST_CASE("Target: of two that refuse the breaker says why, in each state", "[registry]") {
    Rig rig{0};
    const auto refused = [&] { return rig.target.try_enter().refusal(); };
    CHECK(refused() == Refusal{Error::bulkhead_full});
    rig.target.breaker().trip();
    CHECK(refused() == Refusal{Error::circuit_open, 10s});
    rig.clock.advance(10s - 1ns);
    CHECK(refused() == Refusal{Error::circuit_open, 1ns});
    rig.clock.advance(1ns);
    CHECK(refused() == Refusal{Error::bulkhead_full});
    rig.target.breaker().force_open();
    CHECK(refused() == Refusal{Error::circuit_open});
    rig.target.breaker().disable();
    CHECK(refused() == Refusal{Error::bulkhead_full});
    rig.target.breaker().metrics_only();
    CHECK(refused() == Refusal{Error::bulkhead_full});
    CHECK(rig.target.breaker().snapshot().refused == 3);
    CHECK(rig.target.bulkhead().refused() == 4);
}

TEST_CASE("Target: a listener of the first probe's transition finds its slot taken", "[registry]") {
    Rig rig{1};
    rig.wait_out();
    std::vector<std::uint32_t> in_flight;
    const auto subscription = rig.target.breaker().on_transition(
        [&](const dashpot::Transition&) { in_flight.push_back(rig.in_flight()); });
    const Entry probe = rig.target.try_enter();
    CHECK(probe);
    CHECK(in_flight == std::vector<std::uint32_t>{1});
}

TEST_CASE("Target: a bulkhead that is full for long keeps no probe from later callers", "[registry]") {
    Rig rig{0, {.probes = 2, .successes_to_close = 2}};
    rig.wait_out();
    for (int i = 0; i != 100; ++i) {
        CHECK(rig.target.try_enter().refusal().reason == Error::bulkhead_full);
    }
    rig.target.bulkhead().resize(2);
    Entry one = rig.target.try_enter();
    Entry two = rig.target.try_enter();
    CHECK(one.success());
    CHECK(two.success());
    CHECK(rig.target.breaker().state() == State::closed);
}

TEST_CASE("Target: a limit of 0 is closed for maintenance", "[registry]") {
    Rig rig{0};
    CHECK(rig.target.call([] { return 42; }).error() == Refusal{Error::bulkhead_full});
    CHECK(rig.target.breaker().state() == State::closed);
    rig.target.bulkhead().resize(1);
    CHECK(rig.target.call([] { return 42; }).value() == 42);
}

TEST_CASE("Target: the slot is free when listeners receive the transition", "[registry]") {
    Rig rig{1};
    std::vector<std::uint32_t> in_flight;
    const auto subscription = rig.target.breaker().on_transition(
        [&](const dashpot::Transition&) { in_flight.push_back(rig.in_flight()); });
    CHECK(rig.target.try_enter().failure());
    CHECK(rig.target.try_enter().failure());
    CHECK(in_flight == std::vector<std::uint32_t>{0});

    rig.target.breaker().reset();
    in_flight.clear();
    for (int i = 0; i != 2; ++i) {
        try {
            const Entry unwound = rig.target.try_enter();
            throw 42;
        } catch (int) {}
    }
    CHECK(in_flight == std::vector<std::uint32_t>{0});

    rig.target.breaker().reset();
    in_flight.clear();
    for (int i = 0; i != 2; ++i) CHECK_THROWS(rig.target.call([]() -> int { throw 42; }));
    CHECK(in_flight == std::vector<std::uint32_t>{0});
}

TEST_CASE("Target: an entry that is assigned to frees its slot before listeners are called",
          "[registry]") {
    Rig rig{2, {.probes = 2, .successes_to_close = 1}};
    std::vector<std::uint32_t> in_flight;
    Entry first = rig.target.try_enter();
    CHECK(rig.target.try_enter().failure());
    const auto subscription = rig.target.breaker().on_transition(
        [&](const dashpot::Transition&) { in_flight.push_back(rig.in_flight()); });
    struct Replaces {
        Rig& rig;
        Entry& entry;
        ~Replaces() { entry = rig.target.try_enter(); } // what it held was taken before the exception
    };
    try {
        const Replaces replaces{rig, first};
        throw 42;
    } catch (int) {}
    CHECK(rig.target.breaker().state() == State::open);
    CHECK(in_flight == std::vector<std::uint32_t>{1}); // the new entry alone
}

TEST_CASE("Target: call() frees the slot before the caller sees the result", "[registry]") {
    Rig rig{1};
    const auto in_flight_after = [&](const auto&) { return rig.in_flight(); };
    CHECK(rig.target.call([&] { return rig.in_flight(); }).value() == 1);
    CHECK(in_flight_after(rig.target.call([] { return 1; })) == 0);
    CHECK_THROWS(rig.target.call([] { throw 42; }));
    CHECK(rig.in_flight() == 0);
}

TEST_CASE("Target: call() runs its classifier with the slot held", "[registry]") {
    Rig rig{1};
    CHECK(rig.target
              .call([] { return 42; },
                    [&](int) {
                        CHECK(rig.in_flight() == 1);
                        CHECK_FALSE(rig.target.try_enter());
                        return Outcome::failure;
                    })
              .value() == 42);
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().failures == 1);
    CHECK_THROWS_AS(
        rig.target.call([] { return 42; }, [](int) -> Outcome { throw std::logic_error{""}; }),
        std::logic_error);
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().ignored == 1);
}

TEST_CASE("Target: call() within a call is refused by a bulkhead of one, and the outer says nothing",
          "[registry]") {
    Rig rig{1};
    CHECK(rig.target.try_enter().failure());
    const auto result = rig.target.call([&] { return rig.target.call([] { return 42; }); });
    CHECK(result.value().error().reason == Error::bulkhead_full);
    CHECK(rig.target.breaker().snapshot().failures == 1);
    CHECK(rig.target.breaker().snapshot().ignored == 1);
}

TEST_CASE("Target: an entry moves with its slot and its vote", "[registry]") {
    Rig rig{2};
    Entry from = rig.target.try_enter();
    Entry to = std::move(from);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    CHECK_FALSE(from.failure());
    CHECK(rig.in_flight() == 1);
    Entry other = rig.target.try_enter();
    CHECK(rig.in_flight() == 2);
    to = std::move(other);
    CHECK(rig.in_flight() == 1);
    CHECK(to.failure());
    CHECK(rig.in_flight() == 0);
    CHECK(rig.target.breaker().snapshot().failures == 1);
    CHECK(rig.target.breaker().snapshot().ignored == 1);
}

TEST_CASE("Target: an entry knows its breaker's generation", "[registry]") {
    Rig rig;
    CHECK(rig.target.try_enter().generation() == 1);
    rig.target.breaker().trip();
    CHECK(rig.target.try_enter().generation() == 2);
}

TEST_CASE("Target: a bad option is refused with the field's name", "[registry]") {
    const auto refusal_of = [](const TargetOptions<>& options) {
        return support::message_of([&] { const Target target{"CORE", options, ManualClock{}}; });
    };
    CHECK(
        refusal_of({.policy = {.threshold = 0}}) ==
        "ConsecutiveFailures::threshold is 0, must be 1 or more; to open at the first failure write 1");
    CHECK(refusal_of({.breaker = {.half_open = {.probes = 0}}}) ==
          "HalfOpen::probes is 0, must be 1 or more");
    CHECK(refusal_of({.breaker = {.reset_timeout = 0s}}).find("reset_timeout") != std::string::npos);
    CHECK(refusal_of({.max_concurrent = 0}).empty());
}

TEST_CASE("Target: is reconfigured while calls are out", "[registry]") {
    ManualClock clock;
    Target target{"CORE", {.policy = {.threshold = 5}, .max_concurrent = 2}, clock};
    auto first = target.try_enter();
    auto second = target.try_enter();
    CHECK(first.failure());
    target.reconfigure(
        {.policy = {.threshold = 2}, .breaker = {.reset_timeout = 3s}, .max_concurrent = 1});
    CHECK(target.try_enter().refusal().reason == Error::bulkhead_full);
    CHECK(second.failure());
    CHECK(target.breaker().state() == State::open);
    CHECK(target.breaker().retry_after() == 3s);
    CHECK(target.bulkhead().max_concurrent() == 1);
}

TEST_CASE("Target: refuses a bad option while it runs, and then nothing has changed", "[registry]") {
    Target target{"CORE", {.policy = {.threshold = 5}, .max_concurrent = 2}, ManualClock{}};
    CHECK(support::message_of([&] {
              target.reconfigure(
                  {.policy = {.threshold = 1}, .breaker = {.reset_timeout = 0s}, .max_concurrent = 7});
          }).find("reset_timeout") != std::string::npos);
    CHECK(target.bulkhead().max_concurrent() == 2);
    CHECK(target.try_enter().failure());
    CHECK(target.breaker().state() == State::closed);
}

TEST_CASE("Target: is pinned where it is, and entering is noexcept", "[registry]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Target>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Target>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Entry>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Entry>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Entry, bool>);
    STATIC_REQUIRE(requires(Target& target, Entry& entry, std::chrono::hours elapsed) {
        { target.try_enter() } noexcept -> std::same_as<Entry>;
        { entry.success() } noexcept -> std::same_as<bool>;
        { entry.success(elapsed) } noexcept -> std::same_as<bool>;
        { entry.failure(elapsed) } noexcept -> std::same_as<bool>;
        { entry.ignore() } noexcept -> std::same_as<bool>;
        { entry.refusal() } noexcept -> std::same_as<Refusal>;
    });
}

TEST_CASE("Target: a listener may destroy its target", "[registry]") {
    auto target =
        std::make_shared<Target>("CORE", TargetOptions<>{.policy = {.threshold = 1}}, ManualClock{});
    const std::weak_ptr<Target> watch = target;
    const auto destroying =
        target->breaker().on_transition([&](const dashpot::Transition&) { target.reset(); });
    CHECK_THROWS(target->call([]() -> int { throw 42; }));
    CHECK(watch.expired());
}

} // namespace tests::guard_target
