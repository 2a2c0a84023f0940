// SPDX-License-Identifier: MIT
// Breaker and bulkhead asked together, under load: both or neither, and in the end nothing is kept.
#include "catch.hpp"
#include "guard/race.hpp"

#include <dashpot/guard/target.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace tests::guard_target_race {

namespace {

using namespace dashpot;
using namespace std::chrono_literals;
using testing::ManualClock;
using Compartment = Target<ManualClock>;
using Options = TargetOptions<ConsecutiveFailures>;

constexpr std::size_t threads = 32;

Options with_probes(std::uint32_t probes, std::uint32_t max_concurrent) {
    return {.policy = {1},
            .breaker = {.reset_timeout = 10s, .half_open = {.probes = probes}},
            .max_concurrent = max_concurrent};
}

} // namespace

// resilience4j/resilience4j#1432
TEST_CASE("Target: threads that meet at the end of the wait get the probes and no more") {
    const auto probes = GENERATE(1U, 3U);
    const auto at_once = GENERATE(std::size_t{2}, threads);
    constexpr std::size_t many = 64; // one after the other: threads meet at some of them
    ManualClock clock;
    std::array<std::optional<Compartment>, many> targets;
    std::array<std::vector<Compartment::Entry>, threads> entries;
    std::atomic<int> misinformed{0};
    race::in_rounds(
        at_once, 200,
        [&] {
            for (auto& each : entries) each.clear();
            for (auto& target : targets) {
                target.emplace("CORE", with_probes(probes, threads), clock);
                target->breaker().record_failure();
            }
            clock.advance(10s);
        },
        [&](std::size_t i) {
            for (auto& target : targets) {
                for (int again = 0; again != 2; ++again) {
                    auto entry = target->try_enter();
                    if (entry) {
                        entries[i].push_back(std::move(entry));
                    } else {
                        misinformed += entry.refusal() == Refusal{Error::probes_in_flight} ? 0 : 1;
                    }
                }
            }
        },
        [&] {
            std::size_t wrong = 0;
            for (auto& target : targets) wrong += target->bulkhead().in_flight() == probes ? 0U : 1U;
            CHECK(wrong == 0);
        });
    for (auto& each : entries) each.clear();
    CHECK(misinformed == 0);
    for (auto& target : targets) CHECK(target->bulkhead().in_flight() == 0);
}

TEST_CASE("Target: a full bulkhead takes no probe, however many ask at once") {
    const auto probes = GENERATE(1U, 3U);
    ManualClock clock;
    std::optional<Compartment> target;
    std::atomic<int> let_in{0};
    race::in_rounds(
        8, 1000,
        [&] {
            target.emplace("CLAIM", with_probes(probes, 0), clock); // closed for maintenance
            target->breaker().record_failure();
            clock.advance(10s);
        },
        [&](std::size_t) {
            for (int again = 0; again != 4; ++again) let_in += target->try_enter() ? 1 : 0;
        },
        [&] {
            CHECK(target->breaker().state() == State::open);
            CHECK(target->breaker().snapshot().probes_in_flight == 0);
            CHECK(target->bulkhead().in_flight() == 0);
            CHECK(target->bulkhead().refused() == 8 * 4);
            target->bulkhead().resize(probes);
            for (std::uint32_t i = 0; i != probes; ++i) CHECK(target->try_enter().success());
            CHECK(target->breaker().state() == State::closed);
        });
    CHECK(let_in == 0);
}

TEST_CASE("Target: threads that meet at the end of the wait with fewer slots than probes take both or "
          "neither") {
    constexpr std::size_t many = 64; // one after the other: threads meet at some of them
    ManualClock clock;
    std::array<std::optional<Compartment>, many> targets;
    std::array<std::vector<Compartment::Entry>, 4> entries;
    std::atomic<int> misinformed{0};
    race::in_rounds(
        entries.size(), 200,
        [&] {
            for (auto& each : entries) each.clear();
            for (auto& target : targets) {
                target.emplace("CORE", with_probes(3, 1), clock);
                target->breaker().record_failure();
            }
            clock.advance(10s);
        },
        [&](std::size_t i) {
            for (auto& target : targets) {
                auto entry = target->try_enter();
                if (entry) {
                    entries[i].push_back(std::move(entry));
                } else {
                    misinformed += entry.refusal() == Refusal{Error::bulkhead_full} ? 0 : 1;
                }
            }
        },
        [&] {
            std::size_t wrong = 0;
            for (auto& target : targets) {
                const auto seen = target->breaker().snapshot();
                wrong += target->bulkhead().in_flight() == 1 && seen.probes_in_flight == 1 ? 0U : 1U;
                wrong += seen.refused == 0 && target->bulkhead().refused() == 3 ? 0U : 1U;
            }
            CHECK(wrong == 0);
        });
    for (auto& each : entries) each.clear();
    CHECK(misinformed == 0);
}

TEST_CASE("Target: never more inside than the bulkhead allows, and nothing is kept in the end") {
    constexpr std::uint32_t most = 3;
    ManualClock clock;
    Compartment target{"CORE",
                       {.policy = {2},
                        .breaker = {.reset_timeout = 1ms, .half_open = {.probes = 2}},
                        .max_concurrent = most},
                       clock};
    std::atomic<std::uint32_t> inside{0};
    std::atomic<int> too_many{0};
    std::atomic<int> misjudged{0};
    std::atomic<int> full{0};
    std::atomic<int> shut{0};
    // Until both refusals were met; where threads take turns, that may take a while.
    const auto has_met = [&] { return full > 0 && shut > 0; };
    race::together(12, [&](std::size_t i) {
        std::minstd_rand random{static_cast<unsigned>(i) + 1};
        for (int turn = 0; turn < 5000 || (turn < 5'000'000 && !has_met()); ++turn) {
            if (i == 0) clock.advance(100us);
            const auto lot = random() % 8;
            const auto work = [&] {
                too_many += ++inside > most ? 1 : 0;
                if (lot % 2 == 0) std::this_thread::yield();
                --inside;
            };
            if (lot == 0) { // the call form, by exception
                try {
                    (void)target.call([&] {
                        work();
                        throw std::runtime_error{"down"};
                    });
                } catch (const std::runtime_error&) {}
                continue;
            }
            if (lot < 4) {
                const auto answer = target.call([&] { return work(), 42; });
                misjudged += !answer || *answer == 42 ? 0 : 1;
                continue;
            }
            auto entry = target.try_enter();
            if (!entry) {
                (entry.refusal().reason == Error::bulkhead_full ? full : shut) += 1;
                continue;
            }
            work();
            if (lot == 4) entry.failure();
            if (lot == 5) entry.success();
            if (lot == 6) entry.release();
        }
    });
    CHECK(too_many == 0);
    CHECK(misjudged == 0);
    CHECK(full > 0);
    CHECK(shut > 0);
    CHECK(target.bulkhead().in_flight() == 0);
    CHECK(target.bulkhead().available() == most);
    CHECK(target.breaker().snapshot().probes_in_flight == 0);
}

// Shopify/semian#227, resilience4j/resilience4j#1656
TEST_CASE("Target: refusals of a full bulkhead never open the circuit, on any thread") {
    Compartment target{"CLAIM", {.policy = {1}, .max_concurrent = 1}};
    std::atomic<int> refused{0};
    const auto held = target.try_enter();
    race::together(8, [&](std::size_t) {
        for (int turn = 0; turn != 1000; ++turn) refused += target.call([] {}).has_value() ? 0 : 1;
    });
    CHECK(refused == 8000);
    CHECK(target.breaker().state() == State::closed);
    CHECK(target.breaker().snapshot().generation == 1);
    CHECK(target.breaker().snapshot().failures == 0);
    CHECK(held);
}

// linkerd/linkerd2-proxy#751
TEST_CASE(
    "Target: a thread that sees the answer finds the slot free, though result or entry are kept") {
    const bool by_call = GENERATE(false, true);
    constexpr int rounds = 10'000;
    Compartment target{"CORE", {.max_concurrent = 1}};
    std::atomic<int> answered{0};
    std::atomic<int> found_full{0};
    race::together(2, [&](std::size_t i) {
        std::vector<Result<int>> results;
        std::vector<Compartment::Entry> entries;
        for (int round = 0; round != rounds; ++round) {
            while (answered % 2 != static_cast<int>(i)) std::this_thread::yield();
            if (by_call) {
                results.push_back(target.call([&] { return round; }));
                found_full += results.back().has_value() ? 0 : 1;
            } else {
                entries.push_back(target.try_enter());
                found_full += entries.back().success() ? 0 : 1;
            }
            ++answered;
        }
    });
    CHECK(found_full == 0);
    CHECK(target.bulkhead().in_flight() == 0);
}

TEST_CASE("Target: of reconfigurations that overlap, breaker and bulkhead keep what one of them said") {
    int torn = 0;
    std::optional<Compartment> target;
    race::in_rounds(
        3, 3'000,
        [&] {
            target.emplace("CORE", with_probes(1, 9), ManualClock{});
            target->breaker().trip();
        },
        [&](std::size_t i) {
            const auto which = static_cast<std::uint32_t>(i) + 1;
            target->reconfigure(
                {.breaker = {.reset_timeout = std::chrono::seconds{which}}, .max_concurrent = which});
        },
        [&] {
            if (target->breaker().retry_after() !=
                std::chrono::seconds{target->bulkhead().max_concurrent()})
                ++torn;
        });
    CHECK(torn == 0);
}

} // namespace tests::guard_target_race
