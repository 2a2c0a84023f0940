// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "catch.hpp"

namespace tests::e2e_simulator {

using namespace e2e;
using namespace std::chrono_literals;
using example::JsonClient;

namespace {

const json tx{{"target", "CORE"}};

} // namespace

TEST_CASE("TargetSimulator: behaves as it is set") {
    Rig rig;
    JsonClient client{rig.target("CORE").port()};
    CHECK(client.post("/tx", tx).body == json{{"code", "0000"}});
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(client.post("/tx", tx).status == 500);
    rig.set("CORE", {{"mode", "reject"}});
    CHECK(client.post("/tx", tx).code() == "B201");
    CHECK(client.post("/tx", tx).status == 200);
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 300}});
    const HttpAnswer slow = client.post("/tx", tx);
    CHECK(slow.code() == "0000");
    CHECK(slow.took >= 300ms);
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(client.post("/tx", tx).code() == "0000");
}

TEST_CASE("TargetSimulator: counts, and counts from zero after a reset") {
    Rig rig;
    JsonClient client{rig.target("CORE").port()};
    CHECK(client.get("/_stats").body == json{{"calls", 0}, {"in_flight", 0}, {"max_inflight", 0}});
    client.post("/tx", tx);
    client.post("/tx", tx);
    CHECK(client.get("/_stats").body == json{{"calls", 2}, {"in_flight", 0}, {"max_inflight", 1}});

    rig.set("CORE", {{"mode", "hang"}});
    std::vector<std::future<HttpAnswer>> hung;
    for (int i = 0; i < 3; ++i)
        hung.push_back(std::async(std::launch::async, [port = rig.target("CORE").port()] {
            return JsonClient{port}.post("/tx", tx);
        }));
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 3; }));
    client.post("/_reset", json::object());
    CHECK(client.get("/_stats").body == json{{"calls", 0}, {"in_flight", 3}, {"max_inflight", 3}});
    rig.set("CORE", {{"mode", "normal"}});
    for (auto& answer : hung) CHECK(answer.get().status == 0);
    CHECK(rig.stats("CORE").at("in_flight") == 0);
}

TEST_CASE("TargetSimulator: refuses what it does not understand") {
    Rig rig;
    JsonClient client{rig.target("CORE").port()};
    for (const char* body : {"", "nonsense", "[]", "{}", R"({"mode":"angry"})", R"({"mode":1})",
                             R"({"delay_ms":10})", R"({"mode":"slow","delay_ms":-1})",
                             R"({"mode":"slow","delay_ms":"10"})", R"({"mode":"slow","delay_ms":1e9})",
                             R"({"mode":"slow","delay_ms":60001})", R"({"mode":"slow","delay":10})"}) {
        INFO(body);
        CHECK(client.post("/_ctl", std::string{body}).status == 400);
    }
    CHECK(client.post("/tx", tx).code() == "0000");
}

TEST_CASE("TargetSimulator: a signal ends it, whatever hangs") {
    Rig rig;
    for (const char* mode : {"hang", "slow"}) {
        rig.set("CORE", {{"mode", mode}, {"delay_ms", 60'000}});
        auto hung = std::async(std::launch::async, [port = rig.target("CORE").port()] {
            return JsonClient{port}.post("/tx", tx);
        });
        REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
        if (std::string{mode} == "hang") {
            rig.set("CORE", {{"mode", "normal"}});
        } else {
            CHECK(rig.target("CORE").stop(20s) == 0);
        }
        CHECK(hung.get().status == 0);
    }
}

} // namespace tests::e2e_simulator
