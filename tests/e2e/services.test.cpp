// SPDX-License-Identifier: MIT
// The config file that the hub is shipped with, as it is and in use.
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

namespace tests::e2e_services {

using namespace e2e;

namespace {

std::filesystem::path services_file() {
    return std::filesystem::path{E2E_EXAMPLES} / "relay_hub" / "services.json";
}

/// The shipped file, with SETTLEMENT and NOTIFICATIONS at the rig's targets.
json services(Rig& rig) {
    json config = json::parse(example::read_text_file(services_file()));
    json& targets = config.at("targets");
    targets.at("SETTLEMENT").at("url") = rig.target("CORE").url();
    targets.at("NOTIFICATIONS").at("url") = rig.target("CLAIM").url();
    return config;
}

/// Both targets answer so many calls in this way.
void call_both(Rig& rig, int count, const char* mode, const char* code) {
    rig.set("CORE", {{"mode", mode}});
    rig.set("CLAIM", {{"mode", mode}});
    for (int i = 0; i < count; ++i) {
        REQUIRE(rig.call("SETTLEMENT").code() == code);
        REQUIRE(rig.call("NOTIFICATIONS").code() == code);
    }
}

} // namespace

TEST_CASE("RelayHub: starts with the config file that it is shipped with") {
    const example::TemporaryDirectory directory;
    Service hub{program("relay_hub"),
                {"--config", services_file().string(), "--listen", "127.0.0.1:0", "--breaker-log",
                 (directory.path() / "breaker.log").string()},
                directory.path() / "hub.err"};
    const json targets = example::JsonClient{hub.port()}.get("/targets").body.at("targets");
    CHECK(targets.size() == 4);

    const json& settlement = targets.at("SETTLEMENT");
    CHECK(settlement.at("policy").at("failure_rate") >= 0.3);
    CHECK(settlement.at("policy").at("failure_rate") <= 0.4);
    CHECK(settlement.at("policy").contains("slow_calls"));
    CHECK(settlement.at("reset_timeout").at("factor") > 1);
    CHECK(settlement.at("half_open").at("probes") == 3);
    // A probe that is merely slow must not be taken for lost.
    CHECK(settlement.at("half_open").at("probe_timeout") > settlement.at("call_timeout"));

    const json& notifications = targets.at("NOTIFICATIONS");
    CHECK(notifications.at("policy").at("failure_rate") >= 0.6);
    CHECK(notifications.at("policy").at("failure_rate") <= 0.7);
    CHECK(notifications.at("policy").contains("slow_calls"));
}

TEST_CASE("RelayHub: with the shipped config file settlement opens where notifications go on") {
    Rig rig;
    rig.start_hub_with(services(rig));
    const auto state = [&](const char* target) { return rig.report(target).at("state"); };

    call_both(rig, 26, "normal", "0000");
    call_both(rig, 13, "fail", "E500");
    CHECK(state("SETTLEMENT") == "CLOSED"); // at 13 of 39
    call_both(rig, 1, "fail", "E500");
    CHECK(state("SETTLEMENT") == "OPEN"); // at 14 of 40: 0.35
    CHECK(state("NOTIFICATIONS") == "CLOSED");

    for (int i = 14; i < 48; ++i) REQUIRE(rig.call("NOTIFICATIONS").code() == "E500");
    CHECK(state("NOTIFICATIONS") == "CLOSED"); // at 48 of 74
    REQUIRE(rig.call("NOTIFICATIONS").code() == "E500");
    CHECK(state("NOTIFICATIONS") == "OPEN"); // at 49 of 75: above 0.65
    CHECK(rig.stats("CORE").at("calls") == 40);
}

} // namespace tests::e2e_services
