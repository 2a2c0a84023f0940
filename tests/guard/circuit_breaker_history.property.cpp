// SPDX-License-Identifier: MIT
// What a breaker keeps of its life depends on the calls alone: the same calls under the same clock
// leave the same history, whatever is read between them.
#include "guard/breaker_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tests::guard_circuit_breaker_history_property {

using namespace model::breaker_game;
using dashpot::BreakerEvent;

namespace {

/// A breaker's life in which after each operation something is read, or nothing.
template <class P>
class Life {
    using Breaker = dashpot::CircuitBreaker<ManualClock, P>;

  public:
    Life(const P& policy, const BreakerOptions& options, Instant start,
         const std::vector<Operation<P>>& operations, std::optional<std::uint64_t> reads)
        : policy_{policy}, options_{options}, clock_{start}, breaker_{policy, options, clock_} {
        model::Dice dice{reads.value_or(1)};
        for (const Operation<P>& op : operations) {
            play(op);
            if (reads) read(dice.below(5));
        }
    }

    [[nodiscard]] std::vector<BreakerEvent> history() const { return breaker_.history(); }

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
        case Kind::reconfigure:
            policy_ = op.policy.value_or(policy_);
            options_ = op.options.value_or(options_);
            breaker_.reconfigure(policy_, options_);
            break;
        case Kind::look: break;
        }
    }

    void read(std::uint32_t what) const {
        switch (what) {
        case 0: (void)breaker_.snapshot(); break;
        case 1: (void)breaker_.is_as_new(); break;
        case 2: (void)breaker_.history(); break;
        case 3: (void)breaker_.retry_after(); break;
        default: break;
        }
    }

    P policy_;
    BreakerOptions options_;
    ManualClock clock_;
    Breaker breaker_;
    std::vector<typename Breaker::Permit> permits_;
};

} // namespace

TEMPLATE_TEST_CASE("history: is the same whatever is read in between", "[guard][property]",
                   ConsecutiveFailures, CountWindow, TimeWindow) {
    std::size_t events = 0;
    for (std::uint64_t seed = 1; seed != 2'001; ++seed) {
        model::Dice dice{seed};
        BreakerOptions options = some_options(dice);
        options.history = dice.pick<std::uint32_t>({1, 3, 16, 512});
        const auto policy = some(dice, TestType{});
        const Instant start = some_start(dice);
        std::vector<Operation<TestType>> operations;
        for (int i = 0; i != 80; ++i) add_some(dice, operations);

        const auto difference = [&](const auto& some) -> std::optional<std::size_t> {
            const Life<TestType> unread{policy, options, start, some, std::nullopt};
            const Life<TestType> read{policy, options, start, some, seed};
            if (unread.history() == read.history()) return std::nullopt;
            return some.size() - 1;
        };
        if (difference(operations)) {
            CAPTURE(seed, policy, options, start.time_since_epoch().count());
            FAIL("reading changes the history of\n" << model::counterexample(operations, difference));
        }
        events += Life<TestType>{policy, options, start, operations, seed}.history().size();
    }
    CHECK(events > 4'000);
}

} // namespace tests::guard_circuit_breaker_history_property
