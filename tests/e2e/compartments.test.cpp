// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <algorithm>

namespace tests::e2e_compartments {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

/// Fills CORE's compartment with calls that hang.
std::vector<std::future<HttpAnswer>> saturate(Rig& rig, std::size_t limit) {
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", limit);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == limit; }));
    return held;
}

/// Connections that made a request, got their answer, and stay.
std::vector<RawConnection> idle_connections(const Rig&, int port, std::size_t count) {
    std::vector<RawConnection> connections;
    for (std::size_t i = 0; i < count; ++i) {
        connections.emplace_back(port);
        REQUIRE(connections.back().send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"));
        REQUIRE(connections.back().receive("}") != "");
    }
    return connections;
}

/// The hub's keep-alive time is 5 s, CORE's calls hang for half a minute: who waits for either is
/// slower.
void check_claim_is_quick(Rig& rig, int calls) {
    for (int i = 0; i < calls; ++i) {
        const HttpAnswer answer = rig.call("CLAIM");
        REQUIRE(answer.code() == "0000");
        REQUIRE(answer.took < 2s);
    }
}

} // namespace

TEST_CASE("RelayHub: with CORE saturated and 50 idle connections CLAIM answers") {
    Rig rig;
    rig.start_hub({"--max-inflight", "8", "--call-timeout", "30"});
    auto held = saturate(rig, 8);
    const auto idle = idle_connections(rig, rig.hub().port(), 50);
    // Callers of CORE that do not stop calling.
    auto more = rig.call_at_once("CORE", 20);
    check_claim_is_quick(rig, 50);
    // CLAIM's own compartment is there in full as well.
    rig.set("CLAIM", {{"mode", "hang"}});
    auto claims = rig.call_at_once("CLAIM", 8);
    CHECK(eventually([&] { return rig.stats("CLAIM").at("in_flight") == 8; }));

    for (auto& answer : more) CHECK(answer.get().code() == "E905");
    CHECK(rig.stats("CORE").at("max_inflight") == 8);
    CHECK(rig.report("CORE").at("in_flight") == 8);
    rig.set("CORE", {{"mode", "normal"}});
    rig.set("CLAIM", {{"mode", "normal"}});
    for (auto& answer : held) CHECK(answer.get().code() == "E902");
    for (auto& answer : claims) CHECK(answer.get().code() == "E902");
}

TEST_CASE("RelayHub: idle connections give way, however many there are") {
    Rig rig;
    rig.start_hub({"--max-inflight", "2", "--call-timeout", "30"});
    auto held = saturate(rig, 2);
    const auto threads = rig.health().at("threads_at_most").get<std::size_t>();
    REQUIRE(threads >= 4 + 50);
    const auto idle = idle_connections(rig, rig.hub().port(), 3 * threads);
    check_claim_is_quick(rig, 20);
    // Those that never said a word hold threads as well.
    std::vector<RawConnection> silent;
    for (std::size_t i = 0; i < 2 * threads; ++i) silent.emplace_back(rig.hub().port());
    check_claim_is_quick(rig, 20);
    rig.set("CORE", {{"mode", "normal"}});
    for (auto& answer : held) CHECK(answer.get().code() == "E902");
}

TEST_CASE("RelayHub: calls in flight never exceed the limit") {
    Rig rig;
    rig.start_hub({"--max-inflight", "3", "--call-timeout", "30"});
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 5}});
    auto round = [&] {
        std::size_t answered = 0;
        for (auto& answer : rig.call_at_once("CORE", 24)) {
            const std::string code = answer.get().code();
            REQUIRE((code == "0000" || code == "E905"));
            if (code == "0000") ++answered;
        }
        return answered;
    };
    for (int i = 0; i < 10; ++i) CHECK(round() >= 3);
    CHECK(rig.stats("CORE").at("max_inflight") <= 3);
    CHECK(rig.stats("CORE").at("in_flight") == 0);
    CHECK(rig.report("CORE").at("in_flight") == 0);
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: without protection nothing is refused") {
    Rig rig;
    rig.start_hub({"--no-protection", "--max-inflight", "1", "--fail-threshold", "1"});
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1000}});
    auto answers = rig.call_at_once("CORE", 5);
    CHECK(eventually([&] { return rig.stats("CORE").at("in_flight") == 5; }));
    for (auto& answer : answers) CHECK(answer.get().code() == "0000");
    CHECK(rig.report("CORE").at("state") == "DISABLED");
}

} // namespace tests::e2e_compartments
