// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/probe_gate.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <string_view>

namespace tests::policy_detail_probe_gate {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::HalfOpen;
using dashpot::Instant;
using dashpot::detail::ProbeGate;
using dashpot::detail::Wait;
using Verdict = ProbeGate::Verdict;

namespace {

constexpr dashpot::FinishedCall success{};
constexpr dashpot::FinishedCall failure{.failed = true};
constexpr dashpot::FinishedCall slow{.slow = true};

/// Hands out and answers one probe per letter until there is a verdict. S succeeds, F fails, L is slow.
constexpr Verdict verdict(const HalfOpen& options, std::string_view answers) {
    ProbeGate gate{options};
    gate.restart(10s);
    for (const char answer : answers) {
        gate.grant(Instant{}, false);
        const Verdict said = gate.record(answer == 'S' ? success : answer == 'F' ? failure : slow);
        if (said != Verdict::undecided) return said;
    }
    return Verdict::undecided;
}

constexpr ProbeGate fresh(const HalfOpen& options, std::chrono::nanoseconds probe_timeout = 10s) {
    ProbeGate gate{options};
    gate.restart(probe_timeout);
    return gate;
}

} // namespace

TEST_CASE("ProbeGate: one probe decides when there is one", "[policy]") {
    STATIC_REQUIRE(verdict({}, "S") == Verdict::close);
    STATIC_REQUIRE(verdict({}, "F") == Verdict::reopen);
}

TEST_CASE("ProbeGate: closes at the last of all successes", "[policy]") {
    STATIC_REQUIRE(verdict({.probes = 2}, "S") == Verdict::undecided);
    STATIC_REQUIRE(verdict({.probes = 2}, "SS") == Verdict::close);
    STATIC_REQUIRE(verdict({.probes = 3}, "SS") == Verdict::undecided);
    STATIC_REQUIRE(verdict({.probes = 3}, "SSS") == Verdict::close);
}

TEST_CASE("ProbeGate: re-opens at the first failure when every probe must succeed", "[policy]") {
    STATIC_REQUIRE(verdict({.probes = 2}, "F") == Verdict::reopen);
    STATIC_REQUIRE(verdict({.probes = 3}, "SF") == Verdict::reopen);
    STATIC_REQUIRE(verdict({.probes = 3}, "SSF") == Verdict::reopen);
}

TEST_CASE("ProbeGate: re-opens as soon as enough successes can no longer be reached", "[policy]") {
    constexpr HalfOpen two_of_three{.probes = 3, .successes_to_close = 2};
    STATIC_REQUIRE(verdict(two_of_three, "F") == Verdict::undecided);
    STATIC_REQUIRE(verdict(two_of_three, "FF") == Verdict::reopen);
    STATIC_REQUIRE(verdict(two_of_three, "FS") == Verdict::undecided);
    STATIC_REQUIRE(verdict(two_of_three, "FSS") == Verdict::close);
    STATIC_REQUIRE(verdict(two_of_three, "FSF") == Verdict::reopen);
    STATIC_REQUIRE(verdict(two_of_three, "SS") == Verdict::close);
    constexpr HalfOpen one_of_three{.probes = 3, .successes_to_close = 1};
    STATIC_REQUIRE(verdict(one_of_three, "FF") == Verdict::undecided);
    STATIC_REQUIRE(verdict(one_of_three, "FFF") == Verdict::reopen);
    STATIC_REQUIRE(verdict(one_of_three, "FFS") == Verdict::close);
}

TEST_CASE("ProbeGate: a slow probe failed", "[policy]") {
    STATIC_REQUIRE(verdict({}, "L") == Verdict::reopen);
    STATIC_REQUIRE(verdict({.probes = 3, .successes_to_close = 2}, "LL") == Verdict::reopen);
    ProbeGate gate = fresh({.probes = 3, .successes_to_close = 1});
    gate.grant(Instant{}, false);
    (void)gate.record({.failed = true, .slow = true});
    CHECK(gate.counts() == Counts{.calls = 1, .failures = 1, .slow = 1});
}

TEST_CASE("ProbeGate: the last probe always decides", "[policy]") {
    for (std::uint32_t probes = 1; probes != 6; ++probes) {
        for (std::uint32_t needed = 1; needed <= probes; ++needed) {
            for (std::uint32_t answers = 0; answers != 1U << probes; ++answers) {
                ProbeGate gate = fresh({.probes = probes, .successes_to_close = needed});
                std::uint32_t successes = 0;
                Verdict said = Verdict::undecided;
                for (std::uint32_t i = 0; i != probes && said == Verdict::undecided; ++i) {
                    const bool succeeds = (answers >> i & 1U) != 0;
                    successes += succeeds ? 1 : 0;
                    gate.grant(Instant{}, false);
                    said = gate.record(succeeds ? success : failure);
                }
                CAPTURE(probes, needed, answers);
                CHECK(said == (successes >= needed ? Verdict::close : Verdict::reopen));
            }
        }
    }
}

TEST_CASE("ProbeGate: hands out as many probes as it has, answered or not", "[policy]") {
    ProbeGate gate = fresh({.probes = 2});
    CHECK_FALSE(gate.all_out());
    gate.grant(Instant{}, false);
    CHECK_FALSE(gate.all_out());
    CHECK(gate.record(success) == Verdict::undecided);
    CHECK_FALSE(gate.all_out());
    gate.grant(Instant{}, false);
    CHECK(gate.all_out());
    CHECK(gate.in_flight() == 1);
}

TEST_CASE("ProbeGate: a probe given back may be handed out again", "[policy]") {
    ProbeGate gate = fresh({.probes = 2});
    gate.grant(Instant{}, false);
    gate.grant(Instant{}, false);
    gate.give_back();
    CHECK_FALSE(gate.all_out());
    CHECK(gate.in_flight() == 1);
    gate.grant(Instant{}, false);
    CHECK(gate.all_out());
    CHECK(gate.record(success) == Verdict::undecided);
    CHECK(gate.record(success) == Verdict::close);
}

TEST_CASE("ProbeGate: no thread waits while a probe is free", "[policy]") {
    ProbeGate gate = fresh({.probes = 2}, 10s);
    CHECK(gate.wait() == Wait{});
    gate.grant(Instant{1s}, false);
    CHECK(gate.wait() == Wait{});
    CHECK_FALSE(gate.wait().is_on(Instant{1s}));
}

TEST_CASE("ProbeGate: once all are out others wait for the probe timeout, from the last grant on",
          "[policy]") {
    ProbeGate gate = fresh({.probes = 2}, 10s);
    gate.grant(Instant{1s}, false);
    gate.grant(Instant{4s}, false);
    CHECK(gate.wait() == Wait{Instant{4s}, 10s});
    CHECK(gate.wait().is_on(Instant{14s - 1ns}));
    CHECK_FALSE(gate.wait().is_on(Instant{14s}));
}

TEST_CASE("ProbeGate: a taker that was held up does not shorten the time of the others", "[policy]") {
    ProbeGate gate = fresh({.probes = 3}, 10s);
    gate.grant(Instant{3s}, false);
    gate.grant(Instant{5s}, false);
    gate.grant(Instant{4s}, false); // who read the clock before the second, and came after it
    CHECK(gate.wait() == Wait{Instant{5s}, 10s});
}

TEST_CASE("ProbeGate: one given back is waited for no longer", "[policy]") {
    ProbeGate gate = fresh({}, 10s);
    gate.grant(Instant{1s}, false);
    gate.give_back();
    CHECK(gate.wait() == Wait{});
}

TEST_CASE("ProbeGate: waits across all of time without overflow", "[policy]") {
    constexpr auto for_ever = (std::chrono::nanoseconds::max)();
    ProbeGate gate = fresh({}, for_ever);
    gate.grant(Instant{0s}, false);
    CHECK(gate.wait().is_on((Instant::max)() - 1ns));
    CHECK_FALSE(gate.wait().is_on((Instant::max)()));
    ProbeGate early = fresh({}, for_ever);
    early.grant((Instant::min)(), false);
    CHECK(early.wait().is_on(Instant{-2ns}));
    CHECK_FALSE(early.wait().is_on((Instant::max)()));
}

TEST_CASE("ProbeGate: unnamed probes are answered once each, named ones by their holder alone",
          "[policy]") {
    ProbeGate gate = fresh({.probes = 3});
    gate.grant(Instant{}, true);
    gate.grant(Instant{}, false);
    gate.grant(Instant{}, true);
    CHECK(gate.claim_unnamed());
    CHECK(gate.claim_unnamed());
    CHECK_FALSE(gate.claim_unnamed());
}

TEST_CASE("ProbeGate: a new period remembers nothing of the one before", "[policy]") {
    ProbeGate gate = fresh({.probes = 3, .successes_to_close = 2}, 10s);
    gate.grant(Instant{5s}, true);
    (void)gate.record(slow);
    gate.grant(Instant{6s}, true);
    gate.restart(20s);
    CHECK(gate.in_flight() == 0);
    CHECK(gate.counts() == Counts{});
    CHECK_FALSE(gate.claim_unnamed());
    gate.grant(Instant{7s}, false);
    CHECK(gate.record(failure) == Verdict::undecided);
}

TEST_CASE("ProbeGate: counts the answered probes", "[policy]") {
    ProbeGate gate = fresh({.probes = 5, .successes_to_close = 1});
    for (int i = 0; i != 4; ++i) gate.grant(Instant{}, false);
    (void)gate.record(failure);
    (void)gate.record(slow);
    gate.give_back();
    CHECK(gate.counts() == Counts{.calls = 2, .failures = 2, .slow = 1});
    CHECK(gate.in_flight() == 1);
}

TEST_CASE("ProbeGate: counts as many probes as there can be", "[policy]") {
    constexpr auto most = (std::numeric_limits<std::uint32_t>::max)();
    ProbeGate gate = fresh({.probes = most, .successes_to_close = 1});
    gate.grant(Instant{}, false);
    CHECK(gate.record(failure) == Verdict::undecided);
    gate.grant(Instant{}, false);
    CHECK(gate.record(success) == Verdict::close);
}

} // namespace tests::policy_detail_probe_gate
