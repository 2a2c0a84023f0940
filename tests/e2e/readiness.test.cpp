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
