// SPDX-License-Identifier: MIT
#include "../../../examples/whatif/replay.hpp"
#include "../../../examples/whatif/call_order.hpp"
#include "../../../examples/whatif/candidate.hpp"
#include "../../../examples/whatif/incidents.hpp"

#include "catch.hpp"
#include "property.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tests::whatif_replay {

using namespace whatif;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t second = 1'000 * ms;
constexpr std::int64_t start = 1'796'026'530 * second;

Outcomes replayed(const char* candidate, const std::vector<Call>& calls,
                  std::int64_t max_elapsed = 600 * second) {
    EventQueue queue{max_elapsed};
    std::unique_ptr<Replayer> replayer;
    const auto play = [&](bool all) {
        const auto events = queue.take(all);
        if (!replayer) replayer = make_replayer(parse_candidate(candidate), start);
        replayer->play(events, queue.places());
    };
    for (const Call& call : calls) {
        (void)queue.add(call);
        if (call.end % 7 == 0) play(false);
    }
    play(true);
    return replayer->finish(calls.back().end);
}

/// The same by one sort of all events, and a breaker in plain sight.
template <class P>
Outcomes naive(const P& policy, const dashpot::BreakerOptions& options,
               const std::vector<Call>& calls) {
    using dashpot::Instant;
    using dashpot::State;
    using Breaker = dashpot::CircuitBreaker<dashpot::testing::ManualClock, P>;
    struct Step {
        std::int64_t at;
        int kind; // 0: an end, 1: a beginning, or a call without length
        std::size_t call;
    };
    std::vector<Step> steps;
    for (std::size_t i = 0; i != calls.size(); ++i) {
        steps.push_back({calls[i].begin(), 1, i});
        if (calls[i].elapsed != 0) steps.push_back({calls[i].end, 0, i});
    }
    std::stable_sort(steps.begin(), steps.end(), [](const Step& one, const Step& other) {
        return std::tie(one.at, one.kind, one.call) < std::tie(other.at, other.kind, other.call);
    });
    dashpot::testing::ManualClock clock{Instant{std::chrono::nanoseconds{start}}};
    Breaker breaker{policy, options, clock};
    std::vector<std::optional<typename Breaker::Permit>> permits(calls.size());
    Outcomes seen;
    std::int64_t left = 0;
    const auto subscription = breaker.on_transition([&](const dashpot::Transition& change) {
        const std::int64_t now = clock.now().time_since_epoch().count();
        if (change.to == State::open)
            ++(change.from == State::closed ? seen.openings : seen.reopenings);
        if (change.from == State::closed) left = now;
        if (change.to == State::closed) seen.open += now - left;
    });
    for (const Step& step : steps) {
        clock.set(Instant{std::chrono::nanoseconds{step.at}});
        const Call& call = calls[step.call];
        const auto outcome = static_cast<dashpot::Outcome>(call.ending);
        if (step.kind == 0) {
            if (permits[step.call]) (void)permits[step.call]->record(outcome);
            continue;
        }
        auto permit = breaker.try_acquire();
        if (!permit) {
            if (call.ending == Ending::failure) ++seen.spared;
            if (call.ending == Ending::success) ++seen.refused_good;
        } else if (call.elapsed == 0) {
            (void)permit.record(outcome);
        } else {
            permits[step.call] = std::move(permit);
        }
    }
    if (breaker.state() != State::closed) seen.open += calls.back().end - left;
    return seen;
}

/// Synthetic traffic: a call each 10 ms that takes 5 ms, and fails in the incidents.
std::vector<Call> traffic(std::int64_t seconds, const std::vector<Incident>& incidents) {
    std::vector<Call> calls;
    for (std::int64_t at = start; at != start + seconds * second; at += 10 * ms) {
        Call call{.end = at + 5 * ms, .elapsed = 5 * ms};
        for (const Incident& incident : incidents)
            if (at >= incident.from && at < incident.to) call.ending = Ending::failure;
        calls.push_back(call);
    }
    return calls;
}

} // namespace

TEST_CASE("whatif: traffic with known incidents has the known outcomes", "[whatif]") {
    // 100 calls a second fail for 20 s. The fifth failure ends 45 ms after the start and opens.
    // The call that begins at 50 ms is the first that is refused. Probes begin at
    // 5.05 s, 10.06 s, 15.07 s and 20.08 s after the start (5 s after the end of the one before, at the
    // next beginning); the last of them succeeds.
    const std::vector<Incident> known{{start + 10 * second, start + 30 * second}};
    const auto calls = traffic(60, known);
    const Outcomes seen = replayed("consecutive_failures threshold=5 reset_timeout=5s", calls);
    CHECK(seen.openings == 1);
    CHECK(seen.reopenings == 3);
    REQUIRE(seen.bands.size() == 1);
    CHECK(seen.bands[0].first == start + 10 * second + 45 * ms);
    CHECK(seen.bands[0].second == std::optional{start + 30 * second + 85 * ms});
    CHECK(seen.open == 20 * second + 40 * ms);
    // Of the 2000 failures, five open and three are probes. Eight good calls come before the last
    // probe.
    CHECK(seen.spared == 2000 - 5 - 3);
    CHECK(seen.refused_good == 8);

    IncidentFinder finder{5};
    for (const Call& call : calls) finder.add(call);
    CHECK(finder.finish() == known);
}

TEST_CASE("whatif: a circuit that stays open counts as open until the last call ends", "[whatif]") {
    const auto calls = traffic(20, {{start + 10 * second, start + 60 * second}});
    const Outcomes seen = replayed("consecutive_failures threshold=1 reset_timeout=1min", calls);
    CHECK(seen.openings == 1);
    CHECK(seen.open == 9'990 * ms);
    CHECK(seen.bands[0].second == std::nullopt);
}

TEST_CASE("whatif: at one instant ends come before beginnings", "[whatif]") {
    const char* const opens_at_once = "consecutive_failures threshold=1";
    const Call fails{.end = start + 10, .elapsed = 10, .ending = Ending::failure};
    const Call begins_then{.end = start + 15, .elapsed = 5};
    CHECK(replayed(opens_at_once, {fails, begins_then}).refused_good == 1);
    const Call begins_before{.end = start + 15, .elapsed = 6};
    CHECK(replayed(opens_at_once, {fails, begins_before}).refused_good == 0);
    // Without length, a call ends directly after its beginning, in the order of the file.
    const Call failure{.end = start, .ending = Ending::failure};
    const Call success{.end = start};
    CHECK(replayed(opens_at_once, {failure, success}).refused_good == 1);
    CHECK(replayed(opens_at_once, {success, failure}).refused_good == 0);
}

TEST_CASE("whatif: an ignored call that is refused is neither spared nor good", "[whatif]") {
    const Call failure{.end = start, .ending = Ending::failure};
    const Call ignored{.end = start + 1, .ending = Ending::ignored};
    const Outcomes seen = replayed("consecutive_failures threshold=1", {failure, ignored});
    CHECK(seen.spared == 0);
    CHECK(seen.refused_good == 0);
}

TEST_CASE("whatif: replays as a sort of all events would, on any traffic", "[whatif]") {
    const dashpot::CountWindow count{.size = 10, .minimum_calls = 4};
    const dashpot::TimeWindow time{.length = std::chrono::microseconds{1}, .minimum_calls = 4};
    for (std::uint64_t seed = 1; seed != 201; ++seed) {
        CAPTURE(seed);
        model::Dice dice{seed};
        std::vector<Call> calls;
        std::int64_t end = start + 1'000;
        for (int i = 0; i != 300; ++i) {
            end += dice.below(3) == 0 ? 0 : dice.below(40);
            const bool is_bad = dice.below(100) < (i / 50 % 2 == 0 ? 5U : 80U);
            const Ending ending = dice.below(20) == 0 ? Ending::ignored
                                  : is_bad            ? Ending::failure
                                                      : Ending::success;
            calls.push_back({end, dice.below(3) == 0 ? 0 : std::int64_t{dice.below(200)}, 0, ending});
        }
        const dashpot::BreakerOptions options{.reset_timeout = std::chrono::nanoseconds{300},
                                              .half_open = {.probes = 2}};
        const auto check = [&](const Outcomes& seen, const Outcomes& expected) {
            CHECK(seen.openings == expected.openings);
            CHECK(seen.reopenings == expected.reopenings);
            CHECK(seen.open == expected.open);
            CHECK(seen.spared == expected.spared);
            CHECK(seen.refused_good == expected.refused_good);
        };
        check(replayed("count_window size=10 minimum_calls=4 reset_timeout=300ns half_open.probes=2",
                       calls, 200),
              naive(count, options, calls));
        check(replayed("time_window length=1us minimum_calls=4 reset_timeout=300ns half_open.probes=2",
                       calls, 200),
              naive(time, options, calls));
    }
}

TEST_CASE("whatif: calls are sorted within the disorder that is allowed", "[whatif]") {
    CallOrder order{10};
    std::vector<std::int64_t> seen;
    const auto note = [&](const Call& call) { seen.push_back(call.end); };
    for (const std::int64_t end : {100, 105, 95, 105, 97}) {
        CHECK(order.add({.end = end}));
        order.release(note);
    }
    CHECK_FALSE(order.add({.end = 94}));
    CHECK(order.add({.end = 95}));
    CHECK(order.add({.end = 112}));
    order.release(note);
    CHECK(seen == std::vector<std::int64_t>{95, 95, 97, 100});
    order.finish(note);
    CHECK(seen == std::vector<std::int64_t>{95, 95, 97, 100, 105, 105, 112});
}

} // namespace tests::whatif_replay
