// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/detail/transition_outlets.hpp>

#include "catch.hpp"

#include <memory>
#include <string>

namespace tests::guard_detail_transition_outlets {

using dashpot::State;
using dashpot::Transition;
using dashpot::detail::TransitionOutlets;
using dashpot::detail::TransitionSink;

namespace {

/// Records the calls; delivers only where a test says so.
class RecordingSink final : public TransitionSink {
  public:
    explicit RecordingSink(bool wants_delivery = true) : wants_delivery_{wants_delivery} {}

    bool push(const Transition& transition) noexcept override {
        calls += "push " + std::string{to_string(transition.to)} + ' ';
        return wants_delivery_;
    }
    void deliver() noexcept override { calls += "deliver "; }

    std::string calls;

  private:
    const bool wants_delivery_;
};

} // namespace

TEST_CASE("TransitionOutlets: closed until there is a listener or a sink", "[guard]") {
    TransitionOutlets outlets;
    CHECK_FALSE(outlets.are_open());
    CHECK(outlets.listeners() == 0);
    SECTION("a listener") {
        const auto subscription =
            TransitionOutlets::Channel::subscribe(outlets.own(), [](const Transition&) {});
        CHECK(outlets.are_open());
        CHECK(outlets.listeners() == 1);
    }
    SECTION("a sink") {
        outlets.set_sink(std::make_shared<RecordingSink>());
        CHECK(outlets.are_open());
        CHECK(outlets.listeners() == 0);
    }
}

TEST_CASE("TransitionOutlets: delivers to whom a push says, and only after it", "[guard]") {
    TransitionOutlets outlets;
    const auto sink = std::make_shared<RecordingSink>();
    outlets.set_sink(sink);
    int heard = 0;
    const auto subscription =
        TransitionOutlets::Channel::subscribe(outlets.own(), [&](const Transition&) { ++heard; });
    const auto delivery = outlets.push({.to = State::open});
    CHECK(heard == 0);
    CHECK(sink->calls == "push OPEN ");
    delivery.run();
    CHECK(heard == 1);
    CHECK(sink->calls == "push OPEN deliver ");

    const auto idle = std::make_shared<RecordingSink>(false);
    outlets.set_sink(idle);
    outlets.push({.to = State::closed}).run();
    CHECK(idle->calls == "push CLOSED ");
    CHECK(heard == 2);
}

TEST_CASE("TransitionOutlets: a breaker passes each transition to its sink, which it keeps alive",
          "[guard]") {
    const auto sink = std::make_shared<RecordingSink>();
    {
        dashpot::CircuitBreaker<> breaker;
        dashpot::detail::ForwardTransitions::of(breaker, sink);
        CHECK(sink.use_count() == 2);
        CHECK(breaker.listeners() == 0);
        breaker.trip();
        breaker.trip(); // no transition
        breaker.reset();
    }
    CHECK(sink->calls == "push OPEN deliver push CLOSED deliver ");
    CHECK(sink.use_count() == 1);
}

} // namespace tests::guard_detail_transition_outlets
