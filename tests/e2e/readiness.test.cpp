// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <csignal>

namespace tests::e2e_readiness {

using namespace e2e;
using namespace std::chrono_literals;

TEST_CASE("RelayHub: it is ready while one target can be served, and names those that cannot") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "60"});
    HttpAnswer answer = rig.readiness();
    CHECK(answer.status == 200);
    CHECK(answer.body == json{{"status", "ready"}, {"degraded", json::array()}});

    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    answer = rig.readiness();
    CHECK(answer.status == 200);
    CHECK(answer.body.at("status") == "ready");
    REQUIRE(answer.body.at("degraded").size() == 1);
    const json core = answer.body.at("degraded").at(0);
    CHECK(core.size() == 4);
    CHECK(core.at("target") == "CORE");
    CHECK(core.at("state") == "OPEN");
    CHECK(core.at("since") == rig.report("CORE").at("since"));
    CHECK(core.at("retry_after_ms") > 0);
    CHECK(core.at("retry_after_ms") <= 60'000);

    REQUIRE(rig.command("CLAIM", "force-open").status == 200);
    answer = rig.readiness();
    CHECK(answer.status == 503);
    CHECK(answer.body.at("status") == "not ready");
    REQUIRE(answer.body.at("degraded").size() == 2);
    CHECK(answer.body.at("degraded").at(0).at("target") == "CLAIM");
    CHECK(answer.body.at("degraded").at(0).at("state") == "FORCED_OPEN");
    CHECK(answer.body.at("degraded").at(0).at("retry_after_ms").is_null());
    CHECK(rig.health().at("status") == "ok"); // alive it is

    for (const char* command : {"disable", "metrics-only", "reset"}) {
        INFO(command);
        REQUIRE(rig.command("CLAIM", command).status == 200);
        CHECK(rig.readiness().status == 200);
        CHECK(rig.readiness().body.at("degraded").size() == 1);
    }
}

TEST_CASE("RelayHub: a circuit that is being probed is degraded still") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.05", "--call-timeout", "30"});
    rig.set("CORE", {{"mode", "fail"}});
    REQUIRE(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1000}});
    auto probe = std::async(std::launch::async, [&] {
        HttpAnswer answer;
        static_cast<void>(eventually([&] { return (answer = rig.call("CORE")).code() != "E904"; }));
        return answer;
    });
    CHECK(eventually([&] {
        const json degraded = rig.readiness().body.at("degraded");
        return degraded.size() == 1 && degraded.at(0).at("state") == "HALF_OPEN";
    }));
    CHECK(probe.get().code() == "0000");
    CHECK(rig.readiness().body.at("degraded").empty());
}

TEST_CASE(
    "RelayHub: a target whose wait is over is not degraded, so that a call can come and probe it") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.3", "--call-timeout", "30"});
    for (const char* target : {"CORE", "CLAIM"}) {
        rig.set(target, {{"mode", "fail"}});
        REQUIRE(rig.call(target).code() == "E500");
    }
    // Nothing calls: the circuits stay open, and the hub becomes ready by the time alone.
    CHECK(eventually([&] { return rig.readiness().status == 200; }));
    CHECK(eventually([&] { return rig.readiness().body.at("degraded").empty(); }));
    CHECK(rig.report("CORE").at("state") == "OPEN");
    CHECK(rig.report("CLAIM").at("state") == "OPEN");

    // A probe that fails makes it wait again.
    REQUIRE(rig.call("CORE").code() == "E500");
    const json degraded = rig.readiness().body.at("degraded");
    REQUIRE(degraded.size() == 1);
    CHECK(degraded.at(0).at("target") == "CORE");

    REQUIRE(rig.command("CORE", "force-open").status == 200);
    REQUIRE(rig.command("CLAIM", "force-open").status == 200);
    CHECK(rig.readiness().status == 503);
    CHECK(rig.readiness().body.at("degraded").size() == 2);
}

TEST_CASE("RelayHub: a circuit that has another probe to give is not degraded") {
    Rig rig;
    rig.start_hub_with({{"half_open", {{"probes", 2}}}},
                       {"--fail-threshold", "1", "--reset-timeout", "0.05", "--call-timeout", "30"});
    rig.set("CORE", {{"mode", "fail"}});
    REQUIRE(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 2000}});
    const auto probe = [&] {
        return std::async(std::launch::async, [&] {
            HttpAnswer answer;
            static_cast<void>(eventually([&] { return (answer = rig.call("CORE")).code() != "E904"; }));
            return answer;
        });
    };
    auto first = probe();
    REQUIRE(eventually([&] { return rig.report("CORE").at("probes_in_flight") == 1; }));
    CHECK(rig.readiness().body.at("degraded").empty());
    auto second = probe();
    REQUIRE(eventually([&] { return rig.report("CORE").at("probes_in_flight") == 2; }));
    CHECK(rig.readiness().body.at("degraded").size() == 1);
    CHECK(first.get().code() == "0000");
    CHECK(second.get().code() == "0000");
    CHECK(rig.readiness().body.at("degraded").empty());
}

TEST_CASE("RelayHub: about to stop, it says so for a while and serves on") {
    Rig rig;
    rig.start_hub({"--drain-time", "60"});
    CHECK(rig.readiness().status == 200);
    rig.hub().process().send_signal(SIGTERM);
    CHECK(eventually([&] { return rig.readiness().status == 503; }));
    CHECK(rig.readiness().body ==
          json{{"status", "not ready"}, {"stopping", true}, {"degraded", json::array()}});
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.health().at("status") == "ok");
    // A second signal does not wait any longer.
    CHECK(rig.hub().stop(30s) == 0);
}

TEST_CASE("RelayHub: when it has said for long enough that it stops, it does") {
    Rig rig;
    rig.start_hub({"--drain-time", "0.3"});
    const auto begin = std::chrono::steady_clock::now();
    CHECK(rig.hub().stop(30s) == 0);
    CHECK(std::chrono::steady_clock::now() - begin >= 300ms);
    CHECK(rig.hub_errors().empty());
}

} // namespace tests::e2e_readiness
