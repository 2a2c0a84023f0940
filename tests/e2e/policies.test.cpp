// SPDX-License-Identifier: MIT
// Targets whose policy, wait and probes come from the config file.
#include "rig.hpp"

#include "../../examples/common/log_line.hpp"
#include "catch.hpp"

#include <future>
#include <string>
#include <vector>

namespace tests::e2e_policies {

using namespace e2e;

namespace {

/// The target answers one call in that mode.
std::string call_as(Rig& rig, const char* mode, const char* target = "CORE") {
    rig.set(target, {{"mode", mode}});
    return rig.call(target).code();
}

bool wait_is_over(Rig& rig, const char* target = "CORE") {
    return eventually([&] { return rig.report(target).at("retry_after_ms") == 0; });
}

json settings_of_both(const json& core, const json& claim) {
    return {{"targets", {{"CORE", core}, {"CLAIM", claim}}}};
}

} // namespace

TEST_CASE("RelayHub: a count window opens at its rate, where no run of failures would") {
    Rig rig;
    const json window{
        {"type", "count_window"}, {"size", 10}, {"minimum_calls", 6}, {"failure_rate", 0.5}};
    rig.start_hub_with(settings_of_both({{"policy", window}}, {{"fail_threshold", 2}}));
    for (int i = 0; i < 3; ++i) {
        for (const char* target : {"CORE", "CLAIM"}) {
            CHECK(rig.report(target).at("state") == "CLOSED");
            CHECK(rig.report(target).at("judged").at("failure_rate") == nullptr);
            CHECK(call_as(rig, "normal", target) == "0000");
            CHECK(call_as(rig, "fail", target) == "E500");
        }
    }
    CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.stats("CORE").at("calls") == 6);
    CHECK(rig.report("CLAIM").at("state") == "CLOSED");
    CHECK(rig.report("CLAIM").at("last_opening") == nullptr);
    CHECK(rig.report("CLAIM").at("opened_at") == nullptr);

    const json report = rig.report("CORE");
    CHECK(report.at("state") == "OPEN");
    CHECK(
        report.at("judged") ==
        json{
            {"calls", 6}, {"failures", 3}, {"slow", 0}, {"failure_rate", 0.5}, {"slow_rate", nullptr}});
    CHECK(report.at("last_opening").at("reason") == "failure_rate");
    CHECK(report.at("last_opening").at("failures") == 3);
    CHECK(report.at("opened_at") == report.at("since"));
    CHECK(report.at("opened_at") == report.at("last_opening").at("at"));
    CHECK(example::is_log_line(report.at("since").get<std::string>() + "|CORE|x", "CORE", "x"));
}

TEST_CASE("RelayHub: a time window opens at its rate") {
    Rig rig;
    const json window{{"type", "time_window"}, {"length", 600}, {"minimum_calls", 4}};
    rig.start_hub_with({{"policy", window}});
    for (int i = 0; i < 2; ++i) {
        CHECK(rig.report("CORE").at("state") == "CLOSED");
        CHECK(call_as(rig, "fail") == "E500");
        CHECK(call_as(rig, "normal") == "0000");
    }
    CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.report("CORE").at("last_opening").at("reason") == "failure_rate");
}

TEST_CASE("RelayHub: a time window forgets") {
    Rig rig;
    const json window{{"type", "time_window"}, {"length", 0.2}, {"buckets", 2}, {"minimum_calls", 2}};
    rig.start_hub_with({{"policy", window}});
    for (int i = 0; i < 2; ++i) {
        CHECK(call_as(rig, "fail") == "E500");
        CHECK(eventually([&] { return rig.report("CORE").at("judged").at("calls") == 0; }));
    }
    CHECK(rig.report("CORE").at("state") == "CLOSED");
    CHECK(rig.report("CORE").at("failures") == 2); // since the hub's start
}

TEST_CASE("RelayHub: slow calls open a circuit where they are judged") {
    Rig rig;
    json window{{"type", "count_window"}, {"size", 4}, {"minimum_calls", 4}};
    json judging = window;
    judging["slow_calls"] = {{"longer_than", 0.25}, {"rate", 0.5}};
    rig.start_hub_with(settings_of_both({{"policy", judging}}, {{"policy", window}}));
    for (const char* target : {"CORE", "CLAIM"}) {
        for (int i = 0; i < 2; ++i) CHECK(call_as(rig, "normal", target) == "0000");
        rig.set(target, {{"mode", "slow"}, {"delay_ms", 300}});
        CHECK(rig.call(target).code() == "0000");
        CHECK(rig.report(target).at("state") == "CLOSED");
        CHECK(rig.call(target).code() == "0000");
    }
    CHECK(rig.call("CORE").code() == "E904");
    const json report = rig.report("CORE");
    CHECK(report.at("last_opening").at("reason") == "slow_rate");
    CHECK(report.at("judged") ==
          json{{"calls", 4}, {"failures", 0}, {"slow", 2}, {"failure_rate", 0.0}, {"slow_rate", 0.5}});
    CHECK(report.at("failures") == 0);
    CHECK(rig.report("CLAIM").at("state") == "CLOSED");
    CHECK(rig.report("CLAIM").at("judged").at("slow") == 0);
}

TEST_CASE("RelayHub: backoff waits longer after each re-opening, and from the start after closing") {
    Rig rig;
    rig.start_hub_with(
        {{"fail_threshold", 1}, {"reset_timeout", {{"initial", 0.1}, {"factor", 10}, {"cap", 5}}}});
    // What the next caller is told, and what GET /targets shows.
    const auto wait = [&](const char* target) {
        const HttpAnswer answer = rig.call(target);
        CHECK(answer.code() == "E904");
        CHECK(rig.report(target).at("retry_after_ms") <= answer.body.at("retry_after_ms"));
        return answer.body.at("retry_after_ms").get<int>();
    };
    for (const char* target : {"CORE", "CLAIM"}) {
        CHECK(call_as(rig, "fail", target) == "E500");
        CHECK(rig.report(target).at("retry_after_ms") <= 100);
        REQUIRE(wait_is_over(rig, target));
        CHECK(rig.call(target).code() == "E500");
        const int second = wait(target);
        CHECK(second > 100);
        CHECK(second <= 1000);
    }
    REQUIRE(wait_is_over(rig, "CORE"));
    CHECK(rig.call("CORE").code() == "E500");
    const int third = wait("CORE");
    CHECK(third > 1000);
    CHECK(third <= 5000); // the cap: ten times as long would be more
    CHECK(rig.report("CORE").at("last_opening").at("reason") == "probes_failed");

    REQUIRE(wait_is_over(rig, "CLAIM"));
    CHECK(call_as(rig, "normal", "CLAIM") == "0000");
    CHECK(rig.report("CLAIM").at("state") == "CLOSED");
    CHECK(call_as(rig, "fail", "CLAIM") == "E500");
    CHECK(rig.report("CLAIM").at("state") == "OPEN");
    CHECK(rig.report("CLAIM").at("retry_after_ms") <= 100);
}

TEST_CASE("RelayHub: three probes pass, and no fourth") {
    Rig rig;
    rig.start_hub_with(
        {{"fail_threshold", 1},
         {"reset_timeout", 0.1},
         {"call_timeout", 30},
         {"half_open", {{"probes", 3}, {"successes_to_close", 2}, {"probe_timeout", 60}}}});
    REQUIRE(call_as(rig, "fail") == "E500");
    REQUIRE(wait_is_over(rig));

    rig.set("CORE", {{"mode", "hang"}});
    auto probes = rig.call_at_once("CORE", 3);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 3; }));
    CHECK(rig.report("CORE").at("state") == "HALF_OPEN");
    CHECK(rig.report("CORE").at("probes_in_flight") == 3);
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.report("CORE").at("refused").at("probes_in_flight") == 5);
    CHECK(rig.stats("CORE").at("calls") == 1 + 3);
    rig.set("CORE", {{"mode", "normal"}}); // lets them go, without an answer
    for (auto& probe : probes) CHECK(probe.get().code() == "E902");
    CHECK(rig.report("CORE").at("state") == "OPEN");

    // Two successes close it, and one failure among the three is forgiven.
    REQUIRE(wait_is_over(rig));
    CHECK(call_as(rig, "normal") == "0000");
    CHECK(call_as(rig, "fail") == "E500");
    CHECK(rig.report("CORE").at("state") == "HALF_OPEN");
    CHECK(rig.report("CORE").at("judged").at("calls") == 2);
    CHECK(call_as(rig, "normal") == "0000");
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

} // namespace tests::e2e_policies
