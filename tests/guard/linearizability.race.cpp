// SPDX-License-Identifier: MIT
// Random histories of threads that use one breaker at once: for each there must be an order of its
// calls, true to time, in which a machine that is used by one alone would have answered the same.
//
// Source: J. Wing, C. Gong, "Testing and Verifying Concurrent Objects", 1993.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tests::guard_linearizability_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;

constexpr std::size_t threads = 3;
constexpr std::size_t calls_per_thread = 4;

enum class Kind : std::uint8_t { acquire, answer, record, look, snapshot, reset, trip, reconfigure };

/// What a breaker goes by, and what it may be told to go by instead.
template <class P>
struct Rules {
    P policy;
    BreakerOptions options;
};

/// What a caller can tell of a call. Fields that do not apply are 0.
struct Seen {
    bool was_granted = false; // or counted
    std::uint64_t generation = 0;
    State state = State::closed;
    std::uint64_t calls = 0, failures = 0, slow = 0;
    std::uint32_t probes_in_flight = 0;

    friend bool operator==(const Seen&, const Seen&) = default;
};

struct Call {
    Kind kind{};
    Outcome outcome{};
    std::chrono::nanoseconds length{0};
    std::size_t rules = 0;        // to change to
    std::uint64_t generation = 0; // of the permit that answers
    int begin = 0, end = 0;       // one clock for all threads
    Seen seen{};
};

std::string text(const Call& call) {
    static constexpr std::array names{"acquire",  "answer", "record", "state",
                                      "snapshot", "reset",  "trip",   "reconfigure"};
    std::ostringstream out;
    out << '[' << call.begin << ", " << call.end << "] " << names[static_cast<std::size_t>(call.kind)]
        << ' ' << call.rules << ' ' << to_string(call.outcome) << " after " << call.length.count()
        << " of generation " << call.generation << ": " << call.seen.was_granted << " generation "
        << call.seen.generation << ' ' << to_string(call.seen.state) << " calls " << call.seen.calls
        << " failures " << call.seen.failures << " slow " << call.seen.slow << " probes "
        << call.seen.probes_in_flight << '\n';
    return out.str();
}

/// What a breaker used by one alone would have let its caller see.
template <class Machine, class P>
Seen apply(Machine& machine, const Call& call, Instant now, const std::array<Rules<P>, 2>& rules) {
    Seen seen;
    switch (call.kind) {
    case Kind::acquire:
        seen.was_granted = machine.admit(now, false).was_taken;
        seen.generation = machine.generation();
        break;
    case Kind::answer:
        if (call.outcome == Outcome::ignored) {
            seen.was_granted = call.generation == machine.generation();
            if (seen.was_granted) (void)machine.give_back(call.generation);
        } else {
            const FinishedCall finished{call.outcome == Outcome::failure,
                                        call.length > machine.slow_after(), now};
            seen.was_granted = machine.record(call.generation, finished).was_taken;
        }
        break;
    case Kind::record:
        (void)machine.record(Machine::any_generation, {call.outcome == Outcome::failure,
                                                       call.length > machine.slow_after(), now});
        break;
    case Kind::look: seen.state = machine.state(); break;
    case Kind::snapshot: {
        const Snapshot all = machine.snapshot(now);
        seen = {false,        all.generation, all.state,           all.calls,
                all.failures, all.slow,       all.probes_in_flight};
        break;
    }
    case Kind::reconfigure: {
        dashpot::detail::RuleInForce<P> rule{rules[call.rules].policy};
        (void)machine.reconfigure(rule, rules[call.rules].options);
        break;
    }
    case Kind::reset: (void)machine.command(State::closed, Reason::reset, now); break;
    case Kind::trip: (void)machine.trip(now); break;
    }
    return seen;
}

/// Looks for an order of the calls not yet `done` that explains what was seen.
template <class Machine, class P>
bool has_order(const Machine& machine, const std::vector<Call>& history, std::uint32_t done,
               Instant now, const std::array<Rules<P>, 2>& rules) {
    if (done == (1U << history.size()) - 1) return true;
    int earliest_end = (std::numeric_limits<int>::max)(); // whoever begins after that comes later
    for (std::size_t i = 0; i != history.size(); ++i) {
        if ((done >> i & 1U) == 0) earliest_end = std::min(earliest_end, history[i].end);
    }
    for (std::size_t i = 0; i != history.size(); ++i) {
        if ((done >> i & 1U) != 0 || history[i].begin > earliest_end) continue;
        Machine next = machine;
        if (apply(next, history[i], now, rules) != history[i].seen) continue;
        if (has_order(next, history, done | 1U << i, now, rules)) return true;
    }
    return false;
}

/// A breaker, the machine that it began as, and what threads do with it.
template <class P>
class Round {
    using Breaker = CircuitBreaker<ManualClock, P>;
    using Permit = typename Breaker::Permit;
    using Machine = detail::BreakerMachine<P>;

  public:
    Round(std::uint64_t seed, const std::array<Rules<P>, 2>& rules)
        : rules_{rules}, clock_{Instant{100s}}, breaker_{rules[0].policy, rules[0].options, clock_},
          machine_{rules[0].policy, rules[0].options, clock_.now(), 1} {
        std::mt19937_64 dice{seed};
        for (std::uint64_t rest = dice() % 12; rest != 0; --rest) { // a past, by one thread
            if (dice() % 4 == 0) clock_.advance(10s);
            Call call = some_call(dice);
            make(call, held_[dice() % threads], dice);
            if (apply(machine_, call, clock_.now(), rules_) != call.seen)
                FAIL_CHECK("alone, after: " << text(call));
        }
        if (dice() % 2 == 0) clock_.advance(10s); // so that OPEN can end
        for (auto& each : dice_) each.seed(dice());
    }

    void run(std::size_t thread) {
        for (std::size_t i = 0; i != calls_per_thread; ++i) {
            Call call = some_call(dice_[thread]);
            call.begin = ticks_.fetch_add(1);
            make(call, held_[thread], dice_[thread]);
            call.end = ticks_.fetch_add(1);
            histories_[thread].push_back(call);
        }
    }

    void check(std::uint64_t seed) {
        std::vector<Call> all;
        for (const auto& each : histories_) all.insert(all.end(), each.begin(), each.end());
        if (has_order(machine_, all, 0, clock_.now(), rules_)) return;
        std::string told;
        for (const Call& call : all) told += text(call);
        CAPTURE(seed);
        FAIL_CHECK("no order explains this history:\n" << told);
    }

  private:
    static Call some_call(std::mt19937_64& dice) {
        static constexpr std::array kinds{Kind::acquire, Kind::acquire,    Kind::acquire, Kind::answer,
                                          Kind::answer,  Kind::answer,     Kind::record,  Kind::record,
                                          Kind::look,    Kind::snapshot,   Kind::reset,   Kind::trip,
                                          Kind::record,  Kind::reconfigure};
        Call call{.kind = kinds[dice() % kinds.size()]};
        if (dice() % 4 == 0) call.length = 2s;
        call.rules = dice() % 2;
        call.outcome = static_cast<Outcome>(dice() % (call.kind == Kind::record ? 2 : 3));
        return call;
    }

    void make(Call& call, std::vector<Permit>& held, std::mt19937_64& dice) {
        if (call.kind == Kind::answer && held.empty()) call.kind = Kind::acquire;
        switch (call.kind) {
        case Kind::acquire: {
            auto permit = breaker_.try_acquire();
            call.seen = {.was_granted = static_cast<bool>(permit), .generation = permit.generation()};
            if (permit) held.push_back(std::move(permit));
            break;
        }
        case Kind::answer: {
            std::swap(held[dice() % held.size()], held.back());
            call.generation = held.back().generation();
            call.seen.was_granted = held.back().record(call.outcome, call.length);
            held.pop_back();
            break;
        }
        case Kind::record:
            if (call.outcome == Outcome::success) breaker_.record_success(call.length);
            if (call.outcome == Outcome::failure) breaker_.record_failure(call.length);
            break;
        case Kind::look: call.seen.state = breaker_.state(); break;
        case Kind::snapshot: {
            const Snapshot all = breaker_.snapshot();
            call.seen = {false,        all.generation, all.state,           all.calls,
                         all.failures, all.slow,       all.probes_in_flight};
            break;
        }
        case Kind::reconfigure:
            breaker_.reconfigure(rules_[call.rules].policy, rules_[call.rules].options);
            break;
        case Kind::reset: breaker_.reset(); break;
        case Kind::trip: breaker_.trip(); break;
        }
    }

    std::array<Rules<P>, 2> rules_;
    ManualClock clock_;
    Breaker breaker_;
    Machine machine_;
    std::atomic<int> ticks_{0};
    std::array<std::mt19937_64, threads> dice_;
    std::array<std::vector<Permit>, threads> held_; // after breaker_: they go first
    std::array<std::vector<Call>, threads> histories_;
};

template <class P>
void check_histories(const Rules<P>& rules, const Rules<P>& others) {
    constexpr int rounds = 10'000;
    std::optional<Round<P>> round;
    std::uint64_t seed = 0;
    race::in_rounds(
        threads, rounds, [&] { round.emplace(++seed, std::array{rules, others}); },
        [&](std::size_t thread) { round->run(thread); }, [&] { round->check(seed); });
    CHECK(seed == rounds);
}

} // namespace

TEST_CASE("CircuitBreaker: every history of its calls has an order, with a run of failures", "[race]") {
    check_histories<ConsecutiveFailures>({{2}, {.reset_timeout = 10s}}, {{3}, {.reset_timeout = 10s}});
}

TEST_CASE("CircuitBreaker: every history of its calls has an order, with several probes", "[race]") {
    check_histories<ConsecutiveFailures>(
        {{1}, {.reset_timeout = 10s, .half_open = {.probes = 3, .successes_to_close = 2}}},
        {{2}, {.reset_timeout = 5s, .half_open = {.probes = 2}}});
}

TEST_CASE("CircuitBreaker: every history of its calls has an order, with a window", "[race]") {
    check_histories<CountWindow>(
        {{.size = 4, .minimum_calls = 2, .failure_rate = 0.6}, {.reset_timeout = 10s}},
        {{.size = 3, .minimum_calls = 1, .failure_rate = 0.5}, {.reset_timeout = 10s}});
}

TEST_CASE("CircuitBreaker: every history of its calls has an order, whether slow calls are judged or "
          "not meanwhile",
          "[race]") {
    constexpr CountWindow fails_alone{.size = 3, .minimum_calls = 2, .failure_rate = 1.0};
    CountWindow drags_too = fails_alone;
    drags_too.slow_calls = SlowCalls{.longer_than = 1s, .rate = 0.7};
    check_histories<CountWindow>({fails_alone, {.reset_timeout = 10s}},
                                 {drags_too, {.reset_timeout = 10s}});
}

} // namespace tests::guard_linearizability_race
