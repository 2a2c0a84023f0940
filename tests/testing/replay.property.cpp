// SPDX-License-Identifier: MIT
// A history that is whole, told to the policy and options that it came from, brings the same decisions
// at the same times: on any string of operations.
#include "guard/breaker_game.hpp"
#include "property.hpp"

#include <dashpot/testing/replay.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tests::testing_replay_property {

using namespace model::breaker_game;
using dashpot::Transition;

namespace {

bool is_same(const Transition& a, const Transition& b) {
    return a.from == b.from && a.to == b.to && a.generation == b.generation && a.reason == b.reason &&
           a.at == b.at && a.snapshot.calls == b.snapshot.calls &&
           a.snapshot.failures == b.snapshot.failures && a.snapshot.slow == b.snapshot.slow &&
           a.snapshot.failure_rate == b.snapshot.failure_rate;
}

/// A breaker's life, and what was heard of it.
template <class P>
class Life {
    using Breaker = dashpot::CircuitBreaker<ManualClock, P>;

  public:
    Life(const P& policy, const BreakerOptions& options, Instant start,
         const std::vector<Operation<P>>& operations)
        : clock_{start}, breaker_{policy, options, clock_},
          subscription_{
              breaker_.on_transition([this](const auto& event) { heard_.push_back(event); })} {
        for (const Operation<P>& op : operations) play(op);
    }

    [[nodiscard]] bool is_that_of(const dashpot::testing::Replay& again) const {
        return again.is_exact() && again.refused == 0 &&
               again.would_have_opened == breaker_.snapshot().would_have_opened &&
               std::equal(again.transitions.begin(), again.transitions.end(), heard_.begin(),
                          heard_.end(), is_same);
    }

    const Breaker& breaker() const { return breaker_; }

  private:
    void play(const Operation<P>& op) {
        switch (op.kind) {
        case Kind::allow: (void)breaker_.allow(); break;
        case Kind::try_acquire:
            permits_.push_back(breaker_.try_acquire());
            if (!permits_.back()) permits_.pop_back();
            break;
        case Kind::answer:
            if (!permits_.empty()) {
                auto permit = model::taken_out(permits_, op.permit);
                (void)(op.length ? permit.record(op.outcome, *op.length) : permit.record(op.outcome));
            }
            break;
        case Kind::record:
            for (std::uint32_t times = op.times; times != 0; --times) record(breaker_, op);
            break;
        case Kind::command: command(breaker_, op.command); break;
        case Kind::advance: clock_.advance(op.by); break;
        case Kind::reconfigure: // a history is told to one policy
        case Kind::look: break;
        }
    }

    ManualClock clock_;
    Breaker breaker_;
    std::vector<Transition> heard_;
    dashpot::Subscription subscription_; // after what its listener writes to
    std::vector<typename Breaker::Permit> permits_;
};

} // namespace

TEMPLATE_TEST_CASE("replay: reproduces every decision of any life", "[testing][property]",
                   ConsecutiveFailures, CountWindow, TimeWindow) {
    std::size_t transitions = 0;
    std::uint64_t others = 0;
    for (std::uint64_t seed = 1; seed != 3'001; ++seed) {
        model::Dice dice{seed};
        BreakerOptions options = some_options(dice);
        options.history = 4'096;
        const auto policy = some(dice, TestType{});
        const Instant start = some_start(dice);
        std::vector<Operation<TestType>> operations;
        for (int i = 0; i != 80; ++i) add_some(dice, operations);

        const Life<TestType> life{policy, options, start, operations};
        const auto again = dashpot::testing::replay(life.breaker().history(), policy, options);
        if (!life.is_that_of(again)) {
            // Only at its end can be said whether a life is reproduced.
            const auto difference = [&](const auto& some) -> std::optional<std::size_t> {
                const Life<TestType> shorter{policy, options, start, some};
                const auto history = shorter.breaker().history();
                if (shorter.is_that_of(dashpot::testing::replay(history, policy, options))) {
                    return std::nullopt;
                }
                return some.size() - 1;
            };
            CAPTURE(seed, policy, options, start.time_since_epoch().count());
            FAIL("it is not reproduced after\n" << model::counterexample(operations, difference));
        }
        transitions += again.transitions.size();
        const auto other =
            dashpot::testing::replay(life.breaker().history(), some(dice, TestType{}), options);
        others += other.transitions.size() != again.transitions.size() ? 1U : 0U;
    }
    CHECK(transitions > 3'000);
    CHECK(others > 300); // another policy does other things
}

} // namespace tests::testing_replay_property
