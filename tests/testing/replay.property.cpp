// SPDX-License-Identifier: MIT
// A history that is whole, told to the policy and options that it came from, brings the same decisions
// at the same times: on any string of operations.
#include "guard/breaker_game.hpp"
#include "policy/window_model.hpp"

#include <dashpot/testing/replay.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tests::testing_replay_property {

using namespace model::breaker_game;
using dashpot::Transition;

namespace {

/// A breaker's life by chance, and what was heard of it.
template <class P>
class Life {
    using Breaker = dashpot::CircuitBreaker<ManualClock, P>;

  public:
    Life(const P& policy, const BreakerOptions& options, Instant start)
        : clock_{start}, breaker_{policy, options, clock_},
          subscription_{
              breaker_.on_transition([this](const auto& event) { heard_.push_back(event); })} {}

    void step(model::Dice& dice) {
        const auto outcome = static_cast<Outcome>(dice.below(3));
        const auto length = std::chrono::nanoseconds{dice.below(6) == 0 ? dice.below(12) : 0};
        switch (dice.below(11)) {
        case 0: (void)breaker_.allow(); break;
        case 1:
        case 2:
            permits_.push_back(breaker_.try_acquire());
            if (!permits_.back()) permits_.pop_back();
            break;
        case 3:
        case 4:
        case 5:
            if (!permits_.empty()) {
                std::swap(permits_.back(),
                          permits_[dice.below(static_cast<std::uint32_t>(permits_.size()))]);
                (void)permits_.back().record(outcome, length);
                permits_.pop_back();
            }
            break;
        case 6:
            for (std::uint32_t times = dice.below(8) == 0 ? dice.below(600) : 1; times != 0; --times) {
                if (outcome == Outcome::success) breaker_.record_success(length);
                if (outcome == Outcome::failure) breaker_.record_failure(length);
                if (outcome == Outcome::ignored) breaker_.record_ignored();
            }
            break;
        case 7:
            if (dice.below(3) == 0) command(dice.below(9));
            break;
        default:
            clock_.advance(dice.pick<std::chrono::nanoseconds>({0ns, 1ns, 4ns, 9ns, 10ns, 11ns, -3ns}));
        }
    }

    const std::vector<Transition>& heard() const { return heard_; }
    const Breaker& breaker() const { return breaker_; }

  private:
    void command(std::uint32_t which) {
        if (which < 2) return breaker_.trip();
        if (which == 2) return breaker_.force_open();
        if (which == 3) return breaker_.disable();
        if (which == 4) return breaker_.metrics_only();
        breaker_.reset();
    }

    ManualClock clock_;
    Breaker breaker_;
    std::vector<Transition> heard_;
    dashpot::Subscription subscription_; // after what its listener writes to
    std::vector<typename Breaker::Permit> permits_;
};

bool is_same(const Transition& a, const Transition& b) {
    return a.from == b.from && a.to == b.to && a.generation == b.generation && a.reason == b.reason &&
           a.at == b.at && a.snapshot.calls == b.snapshot.calls &&
           a.snapshot.failures == b.snapshot.failures && a.snapshot.slow == b.snapshot.slow &&
           a.snapshot.failure_rate == b.snapshot.failure_rate;
}

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
        Life<TestType> life{policy, options, some_start(dice)};
        for (int i = 0; i != 80; ++i) life.step(dice);

        const auto history = life.breaker().history();
        const auto again = dashpot::testing::replay(history, policy, options);
        const bool is_reproduced =
            again.is_exact() && again.refused == 0 &&
            again.would_have_opened == life.breaker().snapshot().would_have_opened &&
            std::equal(again.transitions.begin(), again.transitions.end(), life.heard().begin(),
                       life.heard().end(), is_same);
        if (!is_reproduced) {
            std::ostringstream told;
            for (const auto& event : history) told << event << '\n';
            FAIL("seed " << seed << ", " << again.transitions.size() << " of " << life.heard().size()
                         << " transitions:\n"
                         << told.str());
        }
        transitions += again.transitions.size();
        const auto other = dashpot::testing::replay(history, some(dice, TestType{}), options);
        others += other.transitions.size() != again.transitions.size() ? 1U : 0U;
    }
    CHECK(transitions > 3'000);
    CHECK(others > 300); // another policy does other things
}

} // namespace tests::testing_replay_property
