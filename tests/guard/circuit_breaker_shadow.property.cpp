// SPDX-License-Identifier: MIT
// A breaker with candidates beside its policy, against one without them: the two must not differ. Each
// candidate, against a Tally of its policy that is passed each call one by one.
#include "guard/breaker_game.hpp"
#include "property.hpp"

#include <dashpot/policy/shadow.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tests::guard_circuit_breaker_shadow_property {

using namespace model::breaker_game;
using dashpot::CircuitBreaker;
using dashpot::FinishedCall;
using dashpot::NextSuccess;
using dashpot::Shadow;
using dashpot::Snapshot;

namespace {

/// A candidate without a shadow: each call is recorded at once, and with the policy's own limit.
template <class P>
struct Reference {
    explicit Reference(const P& given) : policy{given}, tally{policy} {}

    void record(bool failed, std::chrono::nanoseconds elapsed, Instant at) {
        FinishedCall call{.failed = failed, .at = at};
        if constexpr (dashpot::detail::JudgesSlowCalls<P>) {
            const auto limit = policy.slow_after();
            call.slow = limit && elapsed > *limit;
        }
        if (!tally.record(call)) return;
        ++would_have_opened;
        tally.clear();
    }

    P policy;
    typename P::Tally tally;
    std::uint64_t would_have_opened = 0;
};

bool are_equal(const Snapshot& one, const Snapshot& other) {
    return one.state == other.state && one.generation == other.generation && one.calls == other.calls &&
           one.failures == other.failures && one.slow == other.slow &&
           one.failure_rate == other.failure_rate && one.slow_rate == other.slow_rate &&
           one.probes_in_flight == other.probes_in_flight && one.ignored == other.ignored &&
           one.refused == other.refused && one.would_have_opened == other.would_have_opened &&
           one.totals == other.totals && one.since == other.since && one.opened_at == other.opened_at &&
           one.retry_after == other.retry_after;
}

template <class Live, class First, class Second>
class Life {
    using Tried = Shadow<Live, First, Second>;
    using Alone = CircuitBreaker<ManualClock, Live>;
    using Beside = CircuitBreaker<ManualClock, Tried>;
    struct Call {
        typename Alone::Permit alone;
        typename Beside::Permit beside;
        Instant began;
        std::uint64_t generation;
    };

  public:
    explicit Life(model::Dice& dice)
        : dice_{dice}, policy_{some(dice, Live{}), {some(dice, First{}), some(dice, Second{})}},
          options_{some_options(dice)}, alone_{policy_.live, options_, clock_},
          beside_{policy_, options_, clock_}, first_{std::get<0>(policy_.candidates)},
          second_{std::get<1>(policy_.candidates)} {}

    /// Returns true if both breakers still agree.
    bool step() {
        const std::uint64_t before = alone_.snapshot().generation;
        const bool agree = play();
        // A reset and each change of state start a generation, and empty all windows.
        if (alone_.snapshot().generation != before) {
            first_.tally.clear();
            second_.tally.clear();
        }
        if (!agree || alone_.state() != beside_.state()) return false;
        return dice_.below(3) != 0 || compare();
    }

    bool compare() const {
        const Instant now = clock_.now();
        const auto numbers = beside_.candidates();
        return are_equal(alone_.snapshot(), beside_.snapshot()) &&
               numbers[0].would_have_opened == first_.would_have_opened &&
               numbers[1].would_have_opened == second_.would_have_opened &&
               numbers[0].counts == first_.tally.counts(now) &&
               numbers[1].counts == second_.tally.counts(now);
    }

    std::uint64_t openings() const { return first_.would_have_opened + second_.would_have_opened; }

  private:
    bool play() {
        switch (dice_.below(12)) {
        case 0: clock_.advance(std::chrono::nanoseconds{dice_.below(12)}); return true;
        case 1: return command();
        case 2:
        case 3:
        case 4:
        case 5: return begin();
        default: return end();
        }
    }

    bool begin() {
        Call call{alone_.try_acquire(), beside_.try_acquire(), clock_.now(), 0};
        call.generation = alone_.snapshot().generation;
        if (static_cast<bool>(call.alone) != static_cast<bool>(call.beside)) return false;
        if (call.alone) calls_.push_back(std::move(call));
        return true;
    }

    bool end() {
        if (calls_.empty()) return true;
        Call call = model::taken_out(calls_, dice_.below(64));
        if (dice_.below(3) == 0) clock_.advance(std::chrono::nanoseconds{dice_.below(6)});
        const Outcome outcome = dice_.pick(
            {Outcome::success, Outcome::success, Outcome::success, Outcome::failure, Outcome::ignored});
        const State state = alone_.state();
        const bool is_judged = outcome != Outcome::ignored &&
                               call.generation == alone_.snapshot().generation &&
                               (state == State::closed || state == State::metrics_only);
        std::chrono::nanoseconds elapsed = clock_.now() - call.began;
        bool agree = true;
        if (dice_.below(4) == 0) {
            elapsed = some_length(dice_);
            agree = call.alone.record(outcome, elapsed) == call.beside.record(outcome, elapsed);
        } else {
            agree = call.alone.record(outcome) == call.beside.record(outcome);
        }
        if (is_judged) {
            first_.record(outcome == Outcome::failure, elapsed, clock_.now());
            second_.record(outcome == Outcome::failure, elapsed, clock_.now());
        }
        return agree;
    }

    bool command() {
        const std::uint32_t which = dice_.below(20);
        each([&](auto& breaker) {
            if (which == 0) breaker.reset();
            if (which == 1) breaker.trip();
            if (which == 2) breaker.metrics_only();
            if (which == 3) breaker.disable();
        });
        return true;
    }

    template <class F>
    void each(F&& f) {
        f(alone_);
        f(beside_);
    }

    model::Dice& dice_;
    ManualClock clock_;
    Tried policy_;
    BreakerOptions options_;
    Alone alone_;
    Beside beside_;
    Reference<First> first_;
    Reference<Second> second_;
    std::vector<Call> calls_;
};

template <class Live, class First, class Second>
void play_lives() {
    std::uint64_t openings = 0;
    for (std::uint64_t seed = 1; seed != 401; ++seed) {
        CAPTURE(seed);
        model::Dice dice{seed};
        Life<Live, First, Second> life{dice};
        for (int i = 0; i != 150; ++i) {
            CAPTURE(i);
            if (!life.step()) FAIL("they differ");
        }
        if (!life.compare()) FAIL("they differ at the end");
        openings += life.openings();
    }
    CHECK(openings > 1'000); // the candidates were tried
}

} // namespace

TEST_CASE("Shadow: a breaker decides as with the live policy alone, on any string of operations",
          "[policy]") {
    SECTION("a run, beside windows") { play_lives<ConsecutiveFailures, CountWindow, TimeWindow>(); }
    SECTION("a run, beside policies that need no time") {
        play_lives<ConsecutiveFailures, ConsecutiveFailures, CountWindow>();
    }
    SECTION("a count window") { play_lives<CountWindow, ConsecutiveFailures, CountWindow>(); }
    SECTION("a time window") { play_lives<TimeWindow, TimeWindow, CountWindow>(); }
}

} // namespace tests::guard_circuit_breaker_shadow_property
