// SPDX-License-Identifier: MIT
#include <dashpot/adapter/guard_metrics.hpp>

#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "guard/breaker_support.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace tests::adapter_guard_metrics {

using namespace std::chrono_literals;
using dashpot::Bulkhead;
using dashpot::CountWindow;
using dashpot::GuardMetrics;
using dashpot::MetricFamily;
using dashpot::MetricLabel;
using dashpot::State;
using dashpot::TransitionCounter;
using dashpot::testing::ManualClock;

namespace {

using WindowBreaker = dashpot::CircuitBreaker<ManualClock, CountWindow>;
using Registry = dashpot::Registry<ManualClock>;

/// Everything that was shown: the families in order, and the values by "name label=value …".
struct Shown {
    explicit Shown(const GuardMetrics& metrics) { metrics.visit(*this); }

    void family(const MetricFamily& about) {
        families.push_back(about);
        names.emplace_back(about.name);
    }
    void sample(std::span<const MetricLabel> labels, double value) {
        REQUIRE_FALSE(names.empty());
        std::string key = names.back().substr(std::string_view{"dashpot_"}.size());
        for (const MetricLabel& label : labels) {
            key += ' ';
            key += label.name;
            key += '=';
            key += label.value;
        }
        CHECK(values.try_emplace(key, value).second); // no series twice
    }

    bool has(const std::string& key) const { return values.count(key) == 1; }
    double at(const std::string& key) const {
        INFO(key);
        REQUIRE(has(key));
        return values.find(key)->second;
    }

    std::vector<MetricFamily> families;
    std::vector<std::string> names;
    std::map<std::string, double> values;
};

template <class Breaker>
Shown shown(const Breaker& breaker) {
    GuardMetrics metrics;
    metrics.add("X", breaker);
    return Shown{metrics};
}

} // namespace

TEST_CASE("GuardMetrics: nothing added, nothing shown", "[adapter]") {
    CHECK(Shown{GuardMetrics{}}.families.empty());
    CHECK(Shown{GuardMetrics{Registry{}}}.families.empty());
}

TEST_CASE("GuardMetrics: of all states, the one that holds is 1", "[adapter]") {
    const auto state = GENERATE(State::closed, State::open, State::half_open, State::disabled,
                                State::forced_open, State::metrics_only);
    ManualClock clock;
    support::Breaker breaker{{}, {}, clock};
    if (state != State::closed) support::bring(breaker, clock, state);
    const Shown now = shown(breaker);
    int series = 0;
    for (const auto& [each, name] : {std::pair{State::closed, "closed"},
                                     {State::open, "open"},
                                     {State::half_open, "half_open"},
                                     {State::disabled, "disabled"},
                                     {State::forced_open, "forced_open"},
                                     {State::metrics_only, "metrics_only"}}) {
        CHECK(now.at(std::string{"circuit_breaker_state name=X state="} + name) ==
              (each == state ? 1 : 0));
        ++series;
    }
    CHECK(series == 6);
}

TEST_CASE("GuardMetrics: calls by outcome are there where they are counted, else absent", "[adapter]") {
    const bool counts = GENERATE(false, true);
    support::Breaker breaker{{}, {.count_totals = counts}, ManualClock{}};
    support::succeed(breaker, 3);
    support::fail(breaker, 2);
    CHECK(breaker.try_acquire().ignore());
    const Shown now = shown(breaker);
    CHECK(now.has("circuit_breaker_calls_total name=X outcome=success") == counts);
    CHECK(now.has("circuit_breaker_slow_calls_total name=X") == counts);
    if (!counts) return;
    CHECK(now.at("circuit_breaker_calls_total name=X outcome=success") == 3);
    CHECK(now.at("circuit_breaker_calls_total name=X outcome=failure") == 2);
    CHECK(now.at("circuit_breaker_calls_total name=X outcome=ignored") == 1);
    CHECK(now.at("circuit_breaker_slow_calls_total name=X") == 0);
}

TEST_CASE("GuardMetrics: a rate that is not known has no sample", "[adapter]") {
    WindowBreaker breaker{{.size = 10,
                           .minimum_calls = 4,
                           .failure_rate = 0.75,
                           .slow_calls = dashpot::SlowCalls{.longer_than = 1s, .rate = 0.75}},
                          {.count_totals = true},
                          ManualClock{}};
    CHECK(breaker.try_acquire().failure(2s));
    CHECK(breaker.try_acquire().success(1s));
    CHECK(breaker.try_acquire().success(1s));
    CHECK_FALSE(shown(breaker).has("circuit_breaker_failure_rate name=X"));
    CHECK_FALSE(shown(breaker).has("circuit_breaker_slow_call_rate name=X"));
    CHECK(breaker.try_acquire().success(2s));
    const Shown now = shown(breaker);
    CHECK(now.at("circuit_breaker_failure_rate name=X") == 0.25);
    CHECK(now.at("circuit_breaker_slow_call_rate name=X") == 0.5);
    CHECK(now.at("circuit_breaker_slow_calls_total name=X") == 2);
    CHECK(now.at("circuit_breaker_judged_calls name=X outcome=success") == 3);
    CHECK(now.at("circuit_breaker_judged_calls name=X outcome=failure") == 1);

    breaker.reset();
    CHECK_FALSE(shown(breaker).has("circuit_breaker_failure_rate name=X"));
}

TEST_CASE("GuardMetrics: shows refusals, probes and the remaining wait", "[adapter]") {
    ManualClock clock;
    support::Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    support::fail(breaker);
    CHECK_FALSE(breaker.try_acquire());
    CHECK_FALSE(breaker.try_acquire());
    clock.advance(7500ms);
    Shown now = shown(breaker);
    CHECK(now.at("circuit_breaker_not_permitted_total name=X") == 2);
    CHECK(now.at("circuit_breaker_retry_after_seconds name=X") == 2.5);
    CHECK(now.at("circuit_breaker_probes_in_flight name=X") == 0);

    clock.advance(2500ms);
    const auto probe = breaker.try_acquire();
    now = shown(breaker);
    CHECK(now.at("circuit_breaker_retry_after_seconds name=X") == 0);
    CHECK(now.at("circuit_breaker_probes_in_flight name=X") == 1);
}

TEST_CASE("GuardMetrics: a breaker that only measures shows how often it would have opened",
          "[adapter]") {
    support::Breaker breaker{{.threshold = 2}, {.initial_state = State::metrics_only}, ManualClock{}};
    support::fail(breaker, 4);
    CHECK(shown(breaker).at("circuit_breaker_would_have_opened_total name=X") == 2);
}

TEST_CASE("GuardMetrics: a bulkhead with a queue has a bulkhead's readings and its queue's",
          "[adapter]") {
    dashpot::QueuedBulkhead<ManualClock> queue{{.max_concurrent = 1, .max_queued = 7}};
    const auto held = queue.try_acquire();
    CHECK_FALSE(queue.try_acquire());
    struct Waiting : dashpot::Waiter {
        void granted(dashpot::QueuePermit) noexcept override {}
        void refused(dashpot::Refusal) noexcept override {}
    } waiter;
    queue.enqueue(waiter);
    GuardMetrics metrics;
    metrics.add("X", queue);
    metrics.add("Y", Bulkhead{3});
    const Shown now{metrics};
    CHECK(now.at("bulkhead_max name=X") == 1);
    CHECK(now.at("bulkhead_available name=X") == 0);
    CHECK(now.at("bulkhead_in_flight name=X") == 1);
    CHECK(now.at("bulkhead_refused_total name=X") == 1);
    CHECK(now.at("bulkhead_queue_capacity name=X") == 7);
    CHECK(now.at("bulkhead_queue_depth name=X") == 1);
    CHECK_FALSE(now.has("bulkhead_queue_capacity name=Y"));
    CHECK_FALSE(now.has("bulkhead_queue_depth name=Y"));
    CHECK(queue.withdraw(waiter));
}

TEST_CASE("GuardMetrics: an adaptive limiter's readings", "[adapter]") {
    dashpot::AdaptiveLimiter<ManualClock, dashpot::Aimd> limiter{{.initial = 1}};
    const auto permit = limiter.try_acquire();
    CHECK_FALSE(limiter.try_acquire());
    GuardMetrics metrics;
    metrics.add("X", limiter);
    const Shown now{metrics};
    CHECK(now.at("adaptive_limiter_limit name=X") == 1);
    CHECK(now.at("adaptive_limiter_in_flight name=X") == 1);
    CHECK(now.at("adaptive_limiter_refused_total name=X") == 1);
}

TEST_CASE("GuardMetrics: a bulkhead's readings", "[adapter]") {
    Bulkhead hull{3};
    const auto first = hull.try_acquire();
    GuardMetrics metrics;
    metrics.add("X", hull);
    Shown now{metrics};
    CHECK(now.at("bulkhead_max name=X") == 3);
    CHECK(now.at("bulkhead_available name=X") == 2);
    CHECK(now.at("bulkhead_in_flight name=X") == 1);
    CHECK(now.at("bulkhead_refused_total name=X") == 0);
    CHECK(now.families.size() == 4);

    hull.resize(0);
    CHECK_FALSE(hull.try_acquire());
    metrics.add("X", hull); // takes the place of the reading before
    now = Shown{metrics};
    CHECK(now.at("bulkhead_max name=X") == 0);
    CHECK(now.at("bulkhead_available name=X") == 0);
    CHECK(now.at("bulkhead_refused_total name=X") == 1);
}

TEST_CASE("GuardMetrics: a rate limiter's readings", "[adapter]") {
    ManualClock clock;
    dashpot::RateLimiter<ManualClock> limiter{{.permits = 30, .per = 1min, .burst = 5}, clock};
    CHECK(limiter.try_acquire(3));
    CHECK_FALSE(limiter.try_acquire(3));
    GuardMetrics metrics;
    metrics.add("X", limiter);
    const Shown now{metrics};
    CHECK(now.at("rate_limiter_limit_per_second name=X") == 0.5);
    CHECK(now.at("rate_limiter_burst name=X") == 5);
    CHECK(now.at("rate_limiter_available name=X") == 2);
    CHECK(now.at("rate_limiter_waiting name=X") == 0);
    CHECK(now.at("rate_limiter_refused_total name=X") == 1);
    CHECK(now.families.size() == 5);
}

TEST_CASE("GuardMetrics: a retry budget's readings", "[adapter]") {
    dashpot::RetryBudget budget{{.ratio = 0.25, .capacity = 2}};
    while (budget.try_withdraw()) {}
    budget.deposit();
    GuardMetrics metrics;
    metrics.add("X", budget);
    const Shown now{metrics};
    CHECK(now.at("retry_budget_balance name=X") == 0.25);
    CHECK(now.at("retry_budget_capacity name=X") == 2);
    CHECK(now.at("retry_budget_refused_total name=X") == 1);
    CHECK(now.families.size() == 3);
}

TEST_CASE("GuardMetrics: a throttler's readings", "[adapter]") {
    ManualClock clock;
    dashpot::Throttler<ManualClock> throttler{{.minimum_calls = 3, .max_refused = 0.5}, clock};
    for (int i = 0; i != 3; ++i) CHECK(throttler.try_acquire().failure());
    CHECK(throttler.try_acquire().ignore());
    CHECK_FALSE(throttler.try_acquire());
    GuardMetrics metrics;
    metrics.add("X", throttler);
    const Shown now{metrics};
    CHECK(now.at("throttler_requests name=X") == 4);
    CHECK(now.at("throttler_accepts name=X") == 0);
    CHECK(now.at("throttler_refused_total name=X") == 1);
    CHECK(now.at("throttler_refuse_probability name=X") == 0.5);
    CHECK(now.families.size() == 4);
}

TEST_CASE("GuardMetrics: every target of a registry, by name", "[adapter]") {
    Registry targets;
    for (const auto* name : {"C", "A", "B"}) (void)targets.get(name);
    const Shown now{GuardMetrics{targets}};
    for (const std::string name : {"A", "B", "C"}) {
        CHECK(now.at("circuit_breaker_state name=" + name + " state=closed") == 1);
        CHECK(now.at("bulkhead_max name=" + name) == 10);
    }
    CHECK_FALSE(now.has("circuit_breaker_transitions_lost_total"));
}

TEST_CASE("GuardMetrics: changes of state, the usual ones before they happen", "[adapter]") {
    ManualClock clock;
    Registry targets{{.policy = {.threshold = 1}}, {}, clock};
    TransitionCounter changes;
    const auto counting = targets.on_transition(std::ref(changes));
    const auto target = targets.get("X");
    Shown now{GuardMetrics{targets, changes}};
    const std::string total = "circuit_breaker_transitions_total name=X ";
    for (const auto* usual : {"from=closed to=open", "from=open to=half_open", "from=half_open to=open",
                              "from=half_open to=closed"})
        CHECK(now.at(total + usual) == 0);
    CHECK_FALSE(now.has(total + "from=closed to=disabled"));
    CHECK(now.at("circuit_breaker_transitions_lost_total") == 0);

    support::fail(target->breaker());
    target->breaker().disable();
    now = Shown{GuardMetrics{targets, changes}};
    CHECK(now.at(total + "from=closed to=open") == 1);
    CHECK(now.at(total + "from=open to=disabled") == 1);
    CHECK(now.at(total + "from=open to=half_open") == 0);
}

TEST_CASE("GuardMetrics: two counters' lost changes add up", "[adapter]") {
    constexpr dashpot::Transition opened{.from = State::closed, .to = State::open};
    TransitionCounter one{1};
    TransitionCounter two{1};
    for (const auto* name : {"A", "B", "C"}) {
        one(name, opened);
        two(name, opened);
    }
    const Shown now{GuardMetrics{one, two}};
    CHECK(now.at("circuit_breaker_transitions_lost_total") == 4);
    CHECK(now.at("circuit_breaker_transitions_total name=C from=closed to=open") == 2);
}

TEST_CASE("GuardMetrics: a target that left is not shown, one that came back goes on", "[adapter]") {
    ManualClock clock;
    Registry targets{{.policy = {.threshold = 1}}, {.max_targets = 100, .evict_after = 1s}, clock};
    TransitionCounter changes{100};
    // Also where a listener of the user's own calls the counter, which then hears of no removal.
    const bool is_observer = GENERATE(true, false);
    CAPTURE(is_observer);
    const auto counting =
        is_observer
            ? targets.on_transition(std::ref(changes))
            : targets.on_transition([&](std::string_view name, const dashpot::Transition& change) {
                  changes(name, change);
              });
    const auto open_and_close = [&](std::string_view name) {
        const auto target = targets.get(name);
        target->breaker().trip();
        target->breaker().reset();
    };
    const std::string total = "circuit_breaker_transitions_total name=";
    open_and_close("X");
    CHECK(Shown{GuardMetrics{targets, changes}}.at(total + "X from=closed to=open") == 1);
    CHECK(targets.evict_idle() == 1);
    CHECK(Shown{GuardMetrics{targets, changes}}.names ==
          std::vector<std::string>{"dashpot_circuit_breaker_transitions_lost_total"});
    (void)targets.get("X");
    CHECK(Shown{GuardMetrics{targets, changes}}.at(total + "X from=closed to=open") == 1);
    open_and_close("X");
    CHECK(Shown{GuardMetrics{targets, changes}}.at(total + "X from=closed to=open") == 2);

    for (int i = 0; i != 300; ++i) {
        open_and_close("tenant-" + std::to_string(i));
        (void)targets.evict_idle();
    }
    targets.get("CORE")->breaker().trip();
    const Shown now{GuardMetrics{targets, changes}};
    CHECK_FALSE(now.has(total + "tenant-0 from=closed to=open"));
    CHECK(now.at(total + "CORE from=closed to=open") == 1);
    CHECK((changes.lost() == 0) == is_observer);
}

TEST_CASE("GuardMetrics: changes that may have been lost have no sample, not a wrong number",
          "[adapter]") {
    Registry targets{{.policy = {.threshold = 1}}};
    TransitionCounter changes{1};
    const auto counting = targets.on_transition(std::ref(changes));
    const std::string total = "circuit_breaker_transitions_total name=";
    (void)targets.get("quiet");
    targets.get("dropped")->breaker().trip();
    targets.get("X")->breaker().trip(); // takes the only place
    for (int round = 0; round != 2; ++round) {
        const Shown now{GuardMetrics{targets, changes}};
        CHECK_FALSE(now.has(total + "dropped from=closed to=open"));
        CHECK(now.at(total + "X from=closed to=open") == 1);
        CHECK(now.at(total + "quiet from=closed to=open") == 0); // it never changed
        CHECK(now.at("circuit_breaker_transitions_lost_total") == 1 + round);
        if (round == 0) targets.get("dropped")->breaker().reset();
    }
}

TEST_CASE("GuardMetrics: a counter alone shows the names that have not left", "[adapter]") {
    Registry targets;
    TransitionCounter changes;
    const auto counting = targets.on_transition(std::ref(changes));
    for (const auto* name : {"gone", "there"}) targets.get(name)->breaker().trip();
    targets.remove("gone");
    const Shown now{GuardMetrics{changes}};
    CHECK(now.has("circuit_breaker_transitions_total name=there from=closed to=open"));
    CHECK_FALSE(now.has("circuit_breaker_transitions_total name=gone from=closed to=open"));
}

TEST_CASE("GuardMetrics: names that are not UTF-8 become so, and stay apart", "[adapter]") {
    Registry targets;
    for (const auto* name : {"\xFE", "\xFF", "\\xFF", "\xC3\xBC"}) (void)targets.get(name);
    const Shown now{GuardMetrics{targets}};
    CHECK(now.has("bulkhead_max name=\\xFE"));
    CHECK(now.has("bulkhead_max name=\\xFF"));
    CHECK(now.has("bulkhead_max name=\\x5CxFF")); // those four characters
    CHECK(now.has("bulkhead_max name=\xC3\xBC"));
}

TEST_CASE("GuardMetrics: a reading keeps nothing of the guard and does not change with it",
          "[adapter]") {
    GuardMetrics metrics;
    {
        support::Breaker breaker{{}, {}, ManualClock{}};
        metrics.add("X", breaker);
        breaker.trip();
    }
    CHECK(Shown{metrics}.at("circuit_breaker_state name=X state=closed") == 1);
}

TEST_CASE("GuardMetrics: names and types follow Prometheus' rules, each family is there once",
          "[adapter]") {
    TransitionCounter changes;
    WindowBreaker breaker{
        {.size = 1, .minimum_calls = 1, .slow_calls = dashpot::SlowCalls{.longer_than = 1s}},
        {.count_totals = true},
        ManualClock{}};
    CHECK(breaker.try_acquire().success(1s));
    GuardMetrics metrics{changes};
    metrics.add("X", breaker);
    metrics.add("X", Bulkhead{1});
    const Shown now{metrics};
    CHECK(now.families.size() == 16);
    CHECK(std::set<std::string>(now.names.begin(), now.names.end()).size() == now.names.size());
    for (const MetricFamily& family : now.families) {
        INFO(family.name);
        CHECK(family.name.starts_with("dashpot_"));
        CHECK(family.name.ends_with("_total") == (family.type == MetricFamily::Type::counter));
        CHECK(family.name.ends_with("_seconds") == (family.unit == "seconds"));
        CHECK(family.help.ends_with("."));
        CHECK(family.help.find_first_of("\\\"\n") == std::string_view::npos);
    }
}

TEST_CASE("GuardMetrics: is copied as a value, and takes guards only", "[adapter]") {
    STATIC_REQUIRE(std::is_copy_constructible_v<GuardMetrics>);
    STATIC_REQUIRE(std::is_constructible_v<GuardMetrics, const Registry&, const TransitionCounter&>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<GuardMetrics, int>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<const Registry&, GuardMetrics>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<GuardMetrics, Bulkhead&>); // has no name
}

TEST_CASE("GuardMetrics: what retries and fallbacks did, by the reason for giving up", "[adapter]") {
    dashpot::RetryStats stats;
    GuardMetrics metrics;
    metrics.add("CORE", stats);
    const auto protect =
        dashpot::pipeline(dashpot::Fallback{[](const auto&) { return 9; }, &stats},
                          dashpot::Retry{.max_attempts = 2, .wait = 0s, .stats = &stats});
    CHECK(protect.call([]() -> int { throw 7; }).value() == 9);
    const Shown before{metrics};
    CHECK(before.at("retry_attempts_total name=CORE") == 0); // as read when it was added
    metrics.add("CORE", stats);
    const Shown now{metrics};
    CHECK(now.at("retry_attempts_total name=CORE") == 2);
    CHECK(now.at("retry_retries_total name=CORE") == 1);
    CHECK(now.at("retry_given_up_total name=CORE reason=attempts") == 1);
    CHECK(now.at("retry_given_up_total name=CORE reason=deadline") == 0);
    CHECK(now.at("retry_given_up_total name=CORE reason=budget") == 0);
    CHECK(now.at("retry_given_up_total name=CORE reason=stop") == 0);
    CHECK(now.at("retry_given_up_total name=CORE reason=retry_after") == 0);
    CHECK(now.at("fallback_answers_total name=CORE") == 1);
    CHECK(now.values.size() == 8);
}

} // namespace tests::adapter_guard_metrics
