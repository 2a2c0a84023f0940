// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "catch.hpp"

#include <algorithm>

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

TEST_CASE("TargetSimulator: fails the share of its calls that it is told") {
    Rig rig;
    JsonClient client{rig.target("CORE").port(), JsonClient::KeepAlive::yes};
    const json behaviour{{"mode", "fail"}, {"fail_rate", 0.3}};
    CHECK(client.post("/_ctl", behaviour).body ==
          json{{"name", "CORE"}, {"mode", "fail"}, {"delay_ms", 2000}, {"fail_rate", 0.3}});
    int failed = 0;
    for (int i = 0; i < 500; ++i) failed += client.post("/tx", tx).status == 500 ? 1 : 0;
    CHECK(failed > 110); // of a fixed seed, so the same each time
    CHECK(failed < 190);
}

TEST_CASE("TargetSimulator: serves no more calls at once than its capacity") {
    Rig rig;
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 300}, {"capacity", 2}});
    std::vector<std::future<HttpAnswer>> calls;
    for (int i = 0; i < 4; ++i)
        calls.push_back(std::async(std::launch::async, [port = rig.target("CORE").port()] {
            return JsonClient{port}.post("/tx", tx);
        }));
    std::vector<std::chrono::nanoseconds> times;
    for (auto& call : calls) {
        const HttpAnswer answer = call.get();
        CHECK(answer.code() == "0000");
        times.push_back(answer.took);
    }
    CHECK(std::count_if(times.begin(), times.end(), [](auto took) { return took >= 550ms; }) >= 2);
    // More capacity lets those in that wait already.
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 60'000}, {"capacity", 1}});
    auto held = std::async(std::launch::async, [port = rig.target("CORE").port()] {
        return JsonClient{port}.post("/tx", tx);
    });
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 0}, {"capacity", 1}});
    auto waiting = std::async(std::launch::async, [port = rig.target("CORE").port()] {
        return JsonClient{port}.post("/tx", tx);
    });
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 2; }));
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 0}, {"capacity", 2}});
    CHECK(waiting.get().code() == "0000");
    CHECK(rig.target("CORE").stop(20s) == 0);
    CHECK(held.get().status == 0);
}

TEST_CASE("TargetSimulator: refuses what it does not understand") {
    Rig rig;
    JsonClient client{rig.target("CORE").port()};
    for (const char* body :
         {"", "nonsense", "[]", "{}", R"({"mode":"angry"})", R"({"mode":1})", R"({"delay_ms":10})",
          R"({"mode":"slow","delay_ms":-1})", R"({"mode":"slow","delay_ms":"10"})",
          R"({"mode":"slow","delay_ms":1e9})", R"({"mode":"slow","delay_ms":60001})",
          R"({"mode":"slow","delay":10})", R"({"mode":"slow","capacity":0})",
          R"({"mode":"slow","capacity":1001})", R"({"mode":"fail","fail_rate":0})",
          R"({"mode":"fail","fail_rate":1.1})"}) {
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
