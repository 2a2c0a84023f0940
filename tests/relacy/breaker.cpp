// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/circuit_breaker.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>

using namespace schedules;
using dashpot::BreakerOptions;
using dashpot::Error;
using dashpot::State;
using std::chrono::nanoseconds;

/// Opens at the first failure. Its numbers are watched, so that Relacy sees who touches what the
/// breaker keeps under its lock.
struct FirstFailure {
    friend bool operator==(const FirstFailure&, const FirstFailure&) = default;
    void validate() const {}

    struct Tally {
        explicit Tally(const FirstFailure&) {}
        plain<int> calls{0};

        std::optional<dashpot::Reason> record(const dashpot::FinishedCall& call) noexcept {
            calls = calls + 1;
            return call.failed ? std::optional{dashpot::Reason::policy} : std::nullopt;
        }
        void clear() noexcept { calls = 0; }
        [[nodiscard]] dashpot::Counts counts(dashpot::Instant) const noexcept {
            return {.calls = static_cast<std::uint64_t>(static_cast<int>(calls))};
        }
        [[nodiscard]] bool quiet() const noexcept { return calls >= 0; }
    };
};

namespace {

using Breaker = dashpot::CircuitBreaker<Clock, FirstFailure>;

BreakerOptions ten_ticks() {
    return {.reset_timeout = nanoseconds{10}, .half_open = {.probe_timeout = nanoseconds{10}}};
}

template <class Derived, int threads>
struct OnBreaker : Program<Derived, threads> {
    OnBreaker() { Time::start(); }
    std::unique_ptr<Breaker> made = std::make_unique<Breaker>(FirstFailure{}, ten_ticks());
    Breaker& breaker = *made;
};

/// Two failures at once open it once; the one that comes late has no vote.
struct OpensOnce : OnBreaker<OpensOnce, 2> {
    int counted = 0;
    int events = 0;
    dashpot::Subscription heard = this->breaker.on_transition([this](const auto&) { ++events; });

    void thread(unsigned) {
        if (auto permit = breaker.try_acquire()) counted += permit.failure();
        HOLDS(breaker.state() == State::open);
    }
    void after() {
        HOLDS(counted == 1);
        HOLDS(events == 1);
        HOLDS(breaker.snapshot().generation == 2);
    }
};

/// What a caller writes before the failure that opens, whoever meets OPEN reads: so no state is met
/// before what led to it.
struct StateIsPublishedLast : OnBreaker<StateIsPublishedLast, 2> {
    plain<int> cause{0};

    void thread(unsigned i) {
        if (i == 0) {
            cause = 1;
            breaker.record_failure();
        } else if (breaker.state() == State::open) {
            HOLDS(cause == 1);
        }
    }
};

/// The reset timeout has passed: of those who ask, exactly one probes, and the others are told so.
template <int threads>
struct OneProbe : OnBreaker<OneProbe<threads>, threads> {
    int let_in = 0;

    void before() {
        this->breaker.trip();
        Time::now = 10;
    }
    void thread(unsigned) {
        if (this->breaker.allow()) ++let_in;
    }
    void after() {
        HOLDS(let_in == 1);
        const auto seen = this->breaker.snapshot();
        HOLDS(seen.state == State::half_open);
        HOLDS(seen.probes_in_flight == 1);
        HOLDS(seen.refused == threads - 1);
    }
};

/// A probe is answered while another caller asks: he is refused for a reason that holds, and what the
/// probe did is seen by whoever is let in after it.
struct ProbeIsAnswered : OnBreaker<ProbeIsAnswered, 2> {
    plain<int> mended{0};

    void before() {
        breaker.trip();
        Time::now = 10;
    }
    void thread(unsigned i) {
        if (i == 0) {
            auto probe = breaker.try_acquire();
            if (!probe) return;
            mended = 1;
            HOLDS(probe.success());
        } else {
            auto mine = breaker.try_acquire();
            if (!mine) {
                HOLDS(mine.refusal().reason == Error::probes_in_flight);
                HOLDS(mine.generation() == 3);
            } else if (mine.generation() == 4) {
                HOLDS(mended == 1);
                HOLDS(mine.success());
            } else {
                HOLDS(mine.generation() == 3); // it is the probe
                mine.ignore();
            }
        }
    }
};

/// It closes and opens anew while somebody asks. The wait that a refusal names is that of the very
/// OPEN that it was met in: never the new state with the old wait, or the other way round.
struct WaitsAreOfTheirWord : OnBreaker<WaitsAreOfTheirWord, 2> {
    void before() { breaker.trip(); }
    void thread(unsigned i) {
        if (i == 0) {
            Time::now = 5;
            breaker.reset();
            breaker.trip();
        } else {
            const auto mine = breaker.try_acquire();
            const std::int64_t at = Time::last_read[1];
            if (mine) {
                HOLDS(mine.generation() == 3);
                return;
            }
            HOLDS(mine.refusal().reason == Error::circuit_open);
            const std::int64_t opened_at = mine.generation() == 2 ? 0 : 5;
            HOLDS(mine.generation() == 2 || mine.generation() == 4);
            HOLDS(mine.refusal().retry_after == nanoseconds{opened_at + 10 - at});
        }
    }
};

/// The same where one wait follows another at once: probes are out, and it is tripped.
struct OneWaitAfterAnother : OnBreaker<OneWaitAfterAnother, 2> {
    void before() {
        breaker.trip();
        Time::now = 10;
        HOLDS(breaker.allow());
    }
    void thread(unsigned i) {
        if (i == 0) {
            Time::now = 15;
            breaker.trip();
        } else {
            const auto mine = breaker.try_acquire();
            const std::int64_t at = Time::last_read[1];
            HOLDS(!mine);
            if (mine.generation() == 3) {
                HOLDS(mine.refusal().reason == Error::probes_in_flight);
            } else {
                HOLDS(mine.generation() == 4);
                HOLDS(mine.refusal().retry_after == nanoseconds{15 + 10 - at});
            }
        }
    }
};

/// The same for retry_after(), which asks the gate too. A caller may have looked before or after.
struct RetryAfter : OnBreaker<RetryAfter, 2> {
    void before() { breaker.trip(); }
    void thread(unsigned i) {
        if (i == 0) {
            Time::now = 5;
            breaker.reset();
            breaker.trip();
        } else {
            const nanoseconds rest = breaker.retry_after();
            const std::int64_t at = Time::last_read[1];
            HOLDS(rest == nanoseconds{0} || rest == nanoseconds{10} ||
                  (at == 5 && rest == nanoseconds{5}));
        }
    }
};

/// A probe fails: OPEN anew, from then on. Nobody is let in by the old wait, which is over.
struct ReopensWithANewWait : OnBreaker<ReopensWithANewWait, 2> {
    void before() {
        breaker.trip();
        Time::now = 10;
    }
    void thread(unsigned) {
        auto mine = breaker.try_acquire();
        if (mine) {
            HOLDS(mine.generation() == 3); // the one probe: the new wait has just begun
            HOLDS(mine.failure());
        } else if (mine.refusal().reason == Error::circuit_open) {
            HOLDS(mine.generation() == 4);
            HOLDS(mine.refusal().retry_after == nanoseconds{10});
        } else {
            HOLDS(mine.generation() == 3);
        }
    }
    void after() { HOLDS(breaker.snapshot().generation == 4); }
};

/// A probe never reports; its lease runs out. The next who asks begins a fresh period, in which the
/// lost one, which reports just now, has no vote; or the lost one was in time.
struct LostProbe : OnBreaker<LostProbe, 2> {
    std::optional<Breaker::Permit> lost;
    bool late_counted = false;
    bool let_in = false;

    void before() {
        breaker.trip();
        Time::now = 10;
        lost.emplace(breaker.try_acquire());
        Time::now = 20;
    }
    void thread(unsigned i) {
        if (i == 0) {
            late_counted = lost->failure();
        } else if (auto mine = breaker.try_acquire()) {
            let_in = true;
            HOLDS(mine.generation() == 4);
            HOLDS(mine.success());
        } else {
            HOLDS(mine.refusal().reason == Error::circuit_open);
            HOLDS(mine.refusal().retry_after == nanoseconds{10});
        }
    }
    void after() {
        HOLDS(late_counted != let_in);
        HOLDS(breaker.state() == (let_in ? State::closed : State::open));
    }
};

/// A command is obeyed as of a time that is not older than the state it changes: the new wait is whole.
struct OpensAsOfNow : OnBreaker<OpensAsOfNow, 2> {
    void before() { breaker.trip(); }
    void thread(unsigned i) {
        if (i == 0) {
            Time::now = 5;
            breaker.reset();
        } else {
            breaker.trip(); // nothing, if it is open still
        }
    }
    void after() {
        const auto seen = breaker.snapshot();
        HOLDS(seen.generation == (seen.state == State::open ? 4 : 3));
        HOLDS(seen.since == dashpot::Instant{nanoseconds{5}});
    }
};

/// Commands, answers and questions at once, at random: what the breaker keeps is touched by one at a
/// time, and the books balance.
template <int threads>
struct Everything : OnBreaker<Everything<threads>, threads> {
    plain<std::uint64_t> last_generation{1};
    plain<State> last_state{State::closed};
    std::array<std::uint64_t, std::size_t{threads}> refused{};
    dashpot::Subscription heard = this->breaker.on_transition([this](const auto& moved) {
        HOLDS(moved.from == last_state);
        HOLDS(moved.generation > last_generation);
        last_state = moved.to;
        last_generation = moved.generation;
    });

    void thread(unsigned i) {
        for (int step = 0; step != 4; ++step) {
            switch (rl::rand(8)) {
            case 0: this->breaker.trip(); break;
            case 1: this->breaker.reset(); break;
            case 2: (void)this->breaker.snapshot(); break;
            case 3: Time::now += 5; break;
            default: call(i);
            }
        }
    }
    void call(unsigned i) {
        auto permit = this->breaker.try_acquire();
        if (!permit) {
            ++refused[i];
            return;
        }
        switch (rl::rand(4)) {
        case 0: permit.failure(); break;
        case 1: permit.ignore(); break;
        case 2: permit.release(); break;
        default: permit.success();
        }
    }
    void after() {
        const auto seen = this->breaker.snapshot();
        HOLDS(seen.state == last_state);
        HOLDS(seen.refused == std::accumulate(refused.begin(), refused.end(), std::uint64_t{0}));
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"opens once", holds<OpensOnce>, {bound, 4}, {bound, 6}},
         {"state is published last", holds<StateIsPublishedLast>, {every}, {every}},
         {"one probe", holds<OneProbe<2>>, {bound, 5}, {every}},
         {"one probe of three", holds<OneProbe<3>>, {bound, 2}, {bound, 3}},
         {"probe is answered", holds<ProbeIsAnswered>, {bound, 4}, {bound, 6}},
         {"waits are of their word", holds<WaitsAreOfTheirWord>, {bound, 4}, {bound, 6}},
         {"one wait after another", holds<OneWaitAfterAnother>, {bound, 5}, {every}},
         {"waits, older reads", holds<WaitsAreOfTheirWord>, {random, 20'000}, {random, 10'000'000}},
         {"retry after", holds<RetryAfter>, {bound, 5}, {every}},
         {"reopens with a new wait", holds<ReopensWithANewWait>, {bound, 4}, {bound, 6}},
         {"lost probe", holds<LostProbe>, {bound, 5}, {every}},
         {"opens as of now", holds<OpensAsOfNow>, {every}, {every}},
         {"everything", holds<Everything<3>>, {random, 30'000}, {random, 3'000'000}}},
        {{"word_is_published_relaxed",
          "state is published last",
          {relaxed, "published_state.hpp", "publish", "store"}},
         {"word_is_read_relaxed",
          "state is published last",
          {relaxed, "published_state.hpp", "word", "load"}},
         {"new_word_old_wait",
          "one wait after another",
          {relaxed, "published_state.hpp", "publish", "store"}},
         {"new_word_read_old_wait",
          "one wait after another",
          {relaxed, "published_state.hpp", "word", "load"}},
         {"wait_is_published_relaxed",
          "waits are of their word",
          {relaxed, "refusal_gate.hpp", "set", "store"}},
         {"wait_is_read_relaxed",
          "waits are of their word",
          {relaxed, "refusal_gate.hpp", "read", "load"}},
         {"gate_is_not_opened",
          "one wait after another",
          {left_out, "refusal_gate.hpp", "open", "store"}},
         {"nobody_locks", "everything", {left_out, "", "", "lock"}},
         {"gate_is_shut_before_the_word", "lost probe"},
         {"no_second_look", "waits are of their word"},
         {"start_is_read_before_length", "waits are of their word"},
         {"changes_whatever_it_meets", "opens as of now"},
         {"length_is_published_relaxed", "waits are of their word"},
         {"length_is_read_relaxed", "waits are of their word"},
         {"start_is_published_relaxed", "lost probe"},
         {"start_is_read_relaxed", "lost probe"}});
}
