// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/settings/configured_policy.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <random>
#include <stdexcept>
#include <string>

namespace tests::examples_relay_hub_configured_policy {

using namespace std::chrono_literals;
using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::State;
using dashpot::TimeWindow;
using relay_hub::ConfiguredPolicy;

namespace {

constexpr CountWindow count_window{.size = 8, .minimum_calls = 4, .failure_rate = 0.5};
constexpr TimeWindow time_window{.length = 80ms,
                                 .buckets = 8,
                                 .minimum_calls = 4,
                                 .failure_rate = 0.9,
                                 .slow_calls = dashpot::SlowCalls{.longer_than = 2s, .rate = 0.5}};

/// Tells the rule and a policy that chose it the same calls: they must say the same.
template <dashpot::FailurePolicy Rule>
void check_same_verdicts(const Rule& rule) {
    typename Rule::Tally plain{rule};
    ConfiguredPolicy::Tally chosen{ConfiguredPolicy{rule}};
    std::mt19937 random{7};
    dashpot::Instant now{};
    int openings = 0;
    for (int i = 0; i != 2000; ++i) {
        now += std::chrono::milliseconds{random() % 20};
        const dashpot::FinishedCall call{random() % 3 == 0, random() % 3 == 0, now};
        const auto reason = plain.record(call);
        REQUIRE(chosen.record(call) == reason);
        REQUIRE(chosen.counts(now) == plain.counts(now));
        REQUIRE(chosen.next_success() == plain.next_success());
        if (!reason) continue;
        ++openings;
        plain.clear();
        chosen.clear();
        REQUIRE(chosen.counts(now) == plain.counts(now));
    }
    CHECK(openings > 10);
}

} // namespace

TEST_CASE("ConfiguredPolicyTest: decides as the rule that it was given") {
    check_same_verdicts(ConsecutiveFailures{.threshold = 3});
    check_same_verdicts(count_window);
    check_same_verdicts(time_window);
}

TEST_CASE("ConfiguredPolicyTest: calls are slow where the rule says so, and nowhere else") {
    CHECK(ConfiguredPolicy{time_window}.slow_after() == 2s);
    CHECK_FALSE(ConfiguredPolicy{count_window}.slow_after());
    CHECK_FALSE(ConfiguredPolicy{ConsecutiveFailures{}}.slow_after());
}

TEST_CASE("ConfiguredPolicyTest: is equal to the same rule with the same options") {
    CHECK(ConfiguredPolicy{} == ConfiguredPolicy{ConsecutiveFailures{}});
    CHECK(ConfiguredPolicy{count_window} == ConfiguredPolicy{count_window});
    CHECK_FALSE(ConfiguredPolicy{count_window} == ConfiguredPolicy{CountWindow{}});
    CHECK_FALSE(ConfiguredPolicy{CountWindow{}} == ConfiguredPolicy{TimeWindow{}});
}

TEST_CASE("ConfiguredPolicyTest: refuses what the rule refuses, in its words") {
    const auto refused = [](const ConfiguredPolicy& policy) -> std::string {
        try {
            policy.validate();
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
        return "accepted";
    };
    CHECK(refused({ConsecutiveFailures{.threshold = 0}}).find("ConsecutiveFailures::threshold") == 0);
    CHECK(refused({CountWindow{.failure_rate = 50}}).find("CountWindow::failure_rate") == 0);
    CHECK(refused({TimeWindow{.buckets = 0}}).find("TimeWindow::buckets") == 0);
    CHECK(refused({count_window}) == "accepted");
}

TEST_CASE("ConfiguredPolicyTest: targets of one registry have different rules") {
    const dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock, ConfiguredPolicy> targets{{}, {}, clock};
    targets.configure("RUN", {.policy = {ConsecutiveFailures{.threshold = 3}}});
    targets.configure("RATE", {.policy = {count_window}});

    // Every other call fails: no run, and half of all calls.
    for (int i = 0; i != 4; ++i) {
        for (const char* name : {"RUN", "RATE"}) {
            CHECK(targets.get(name)->breaker().state() == State::closed);
            auto entry = targets.get(name)->try_enter();
            CHECK(entry.record(i % 2 == 0 ? dashpot::Outcome::success : dashpot::Outcome::failure));
        }
    }
    CHECK(targets.get("RUN")->breaker().state() == State::closed);
    CHECK(targets.get("RATE")->breaker().state() == State::open);

    auto run = targets.get("RUN");
    run->try_enter().failure(); // the last of the four was the first of three
    CHECK(run->breaker().state() == State::closed);
    run->try_enter().failure();
    CHECK(run->breaker().state() == State::open);
}

TEST_CASE("ConfiguredPolicyTest: a tally that was made beforehand is the next one, and no other") {
    const ConfiguredPolicy policy = ConfiguredPolicy{count_window}.with_tally();
    CHECK(policy == ConfiguredPolicy{count_window});
    REQUIRE(policy.next_tally->has_value());
    const ConfiguredPolicy::Tally first{policy};
    CHECK_FALSE(policy.next_tally->has_value());
    ConfiguredPolicy::Tally second{policy};
    for (int i = 0; i != 3; ++i) CHECK_FALSE(second.record({true, false, {}}));
    CHECK(second.record({true, false, {}}));
    CHECK(first.counts({}).calls == 0);
}

TEST_CASE("ConfiguredPolicyTest: a breaker is reconfigured with the tally that was made beforehand") {
    dashpot::CircuitBreaker<dashpot::testing::ManualClock, ConfiguredPolicy> breaker{{count_window}};
    for (int i = 0; i != 3; ++i) breaker.record_failure();
    CountWindow larger = count_window;
    larger.size = 16;
    const ConfiguredPolicy policy = ConfiguredPolicy{larger}.with_tally();
    breaker.reconfigure(policy, {});
    CHECK_FALSE(policy.next_tally->has_value());
    CHECK(breaker.snapshot().failures == 3);
    breaker.record_failure();
    CHECK(breaker.state() == State::open);
}

TEST_CASE("ConfiguredPolicyTest: takes over from the same kind of rule, and from no other") {
    dashpot::CircuitBreaker<dashpot::testing::ManualClock, ConfiguredPolicy> breaker{{count_window}};
    for (int i = 0; i != 3; ++i) breaker.record_failure();
    CountWindow larger = count_window;
    larger.size = 16;
    breaker.reconfigure({larger}, {});
    CHECK(breaker.snapshot().failures == 3);
    breaker.reconfigure({ConsecutiveFailures{.threshold = 4}}, {});
    CHECK(breaker.snapshot().failures == 0);
    for (int i = 0; i != 3; ++i) breaker.record_failure();
    breaker.reconfigure({ConsecutiveFailures{.threshold = 5}}, {});
    CHECK(breaker.snapshot().failures == 3);
}

} // namespace tests::examples_relay_hub_configured_policy
