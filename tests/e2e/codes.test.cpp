// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "catch.hpp"

namespace tests::e2e_codes {

using namespace e2e;

TEST_CASE("RelayHub: a target's answer comes back as it is") {
    Rig rig;
    rig.start_hub();
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 200);
    CHECK(answer.body == json{{"code", "0000"}});

    rig.set("CORE", {{"mode", "reject"}});
    const HttpAnswer rejection = rig.call("CORE");
    CHECK(rejection.status == 200);
    CHECK(rejection.code() == "B201");

    CHECK(rig.stats("CORE").at("calls") == 2);
    CHECK(rig.stats("CLAIM").at("calls") == 0);
    CHECK(rig.report("CORE").at("answers") == json{{"0000", 1}, {"B201", 1}});
}

TEST_CASE("RelayHub: an unknown target is E404") {
    Rig rig;
    rig.start_hub();
    const HttpAnswer answer = rig.call("core");
    CHECK(answer.status == 404);
    CHECK(answer.code() == "E404");
    CHECK(rig.health().at("unknown_target") == 1);
}

TEST_CASE("RelayHub: a target that answers 5xx is E500") {
    Rig rig;
    rig.start_hub();
    rig.set("CORE", {{"mode", "fail"}});
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 502);
    CHECK(answer.code() == "E500");
    CHECK(answer.body.at("target") == "CORE");
    CHECK(rig.report("CORE").at("failures") == 1);
}

TEST_CASE("RelayHub: a target that does not answer in time is E901") {
    Rig rig;
    rig.start_hub({"--call-timeout", "0.25"});
    rig.set("CORE", {{"mode", "hang"}});
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 504);
    CHECK(answer.code() == "E901");
    CHECK(answer.took >= std::chrono::milliseconds{250});
    CHECK(answer.took < std::chrono::seconds{10});
    CHECK(rig.report("CORE").at("in_flight") == 0);
}

TEST_CASE("RelayHub: a target that refuses connections is E902") {
    Rig rig;
    rig.start_hub();
    REQUIRE(rig.target("CORE").stop(std::chrono::seconds{30}) == 0);
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 502);
    CHECK(answer.code() == "E902");
    CHECK(rig.report("CORE").at("failures") == 1);
}

TEST_CASE("RelayHub: a target that dies with a call in flight is E902") {
    Rig rig;
    rig.start_hub({"--call-timeout", "30"});
    rig.set("CORE", {{"mode", "hang"}});
    auto answers = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    rig.target("CORE").process().send_signal(SIGKILL);
    CHECK(answers.front().get().code() == "E902");
}

TEST_CASE("RelayHub: with its circuit open a target is E904, and is not called") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "3", "--reset-timeout", "600"});
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 3; ++i) {
        CHECK(rig.report("CORE").at("state") == "CLOSED");
        CHECK(rig.call("CORE").code() == "E500");
    }
    CHECK(rig.report("CORE").at("state") == "OPEN");
    for (int i = 0; i < 50; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        REQUIRE(answer.code() == "E904");
        CHECK(answer.status == 503);
        CHECK(answer.body.at("retry_after_ms") > 500'000);
        CHECK(answer.body.at("retry_after_ms") <= 600'000);
        CHECK(answer.headers.count("Retry-After") == 1);
    }
    CHECK(rig.stats("CORE").at("calls") == 3);
    const json report = rig.report("CORE");
    CHECK(report.at("calls") == 3);
    CHECK(report.at("failures") == 3);
    CHECK(report.at("refused").at("circuit_open") == 50);
    CHECK(report.at("answers") == json{{"E500", 3}, {"E904", 50}});
    CHECK(report.at("generation") == 2);
}

TEST_CASE("RelayHub: what is no failure ends the run of failures") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "2"});
    for (const char* good : {"reject", "normal"}) {
        rig.set("CORE", {{"mode", "fail"}});
        CHECK(rig.call("CORE").code() == "E500");
        rig.set("CORE", {{"mode", good}});
        CHECK(rig.call("CORE").status == 200);
    }
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: business rejections never trip") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1"});
    rig.set("CORE", {{"mode", "reject"}});
    for (int i = 0; i < 20; ++i) REQUIRE(rig.call("CORE").code() == "B201");
    const json report = rig.report("CORE");
    CHECK(report.at("state") == "CLOSED");
    CHECK(report.at("failures") == 0);
}

TEST_CASE("RelayHub: a full compartment is E905, at once, and no failure") {
    Rig rig;
    rig.start_hub({"--max-inflight", "1", "--fail-threshold", "1", "--call-timeout", "30"});
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    for (int i = 0; i < 10; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        REQUIRE(answer.code() == "E905");
        CHECK(answer.status == 429);
        CHECK(answer.took < std::chrono::seconds{5});
    }
    const json report = rig.report("CORE");
    CHECK(report.at("state") == "CLOSED");
    CHECK(report.at("failures") == 0);
    CHECK(report.at("refused").at("bulkhead_full") == 10);
    CHECK(rig.stats("CORE").at("max_inflight") == 1);
    // The compartment is free again once the call has ended, however it ended.
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(held.front().get().code() == "E902");
    CHECK(rig.report("CORE").at("in_flight") == 0);
}

} // namespace tests::e2e_codes
