// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <csignal>

namespace tests::e2e_lifecycle {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("RelayHub: a signal ends it, and calls in flight are answered") {
    for (const int signal : {SIGTERM, SIGINT}) {
        Rig rig;
        rig.start_hub({"--call-timeout", "30"});
        const RawConnection idle{rig.hub().port()};
        rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1500}});
        auto answers = rig.call_at_once("CORE", 3);
        REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 3; }));
        rig.hub().process().send_signal(signal);
        // Idle connections are closed while the calls go on.
        CHECK(idle.receive().empty());
        CHECK(rig.stats("CORE").at("in_flight") == 3);
        CHECK(eventually([&] { return rig.call("CLAIM").status == 0; }));
        for (auto& answer : answers) CHECK(answer.get().code() == "0000");
        CHECK(rig.hub().process().wait(std::chrono::steady_clock::now() + 30s) == 0);
        CHECK(rig.hub_errors().empty());
    }
}

TEST_CASE("RelayHub: a signal that comes at once ends it too") {
    for (int i = 0; i < 10; ++i) {
        Rig rig;
        rig.start_hub();
        CHECK(rig.hub().stop(30s) == 0);
    }
}

TEST_CASE("RelayHub: an address in use is an error at the start") {
    Rig rig;
    rig.start_hub();
    const ShortRun second = run_hub({"--listen", "127.0.0.1:" + std::to_string(rig.hub().port())});
    CHECK(second.status == 1);
    CHECK(second.errors.find("127.0.0.1:" + std::to_string(rig.hub().port())) != std::string::npos);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: an address that is not ours is an error at the start") {
    // 192.0.2.0/24 is for documentation: no machine has it.
    const ShortRun run = run_hub({"--listen", "192.0.2.1:0"});
    CHECK(run.status == 1);
    CHECK(run.errors.find("192.0.2.1") != std::string::npos);
}

TEST_CASE("RelayHub: a log that cannot be opened is an error at the start") {
    for (const char* path : {"/no/such/directory/breaker.log", "/"}) {
        const ShortRun run = run_hub({"--listen", "127.0.0.1:0", "--breaker-log", path});
        CHECK(run.status == 1);
        CHECK(run.errors.find(path) != std::string::npos);
        CHECK(run.output.empty());
    }
}

TEST_CASE("RelayHub: a log that fails later is said once, and lost lines are counted") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.1"}, "/dev/full");
    CHECK(rig.health().at("lost_log_lines") == 0);
    CHECK(rig.hub_errors().empty());
    for (int i = 0; i < 2; ++i) {
        rig.set("CORE", {{"mode", "fail"}});
        REQUIRE(rig.call("CORE").code() == "E500");
        rig.set("CORE", {{"mode", "normal"}});
        REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
        REQUIRE(rig.call("CLAIM").code() == "0000");
    }
    CHECK(rig.health().at("lost_log_lines") == 6);
    CHECK(count(rig.hub_errors(), "/dev/full") == 1);
    CHECK(rig.hub().stop(30s) == 0);
}

} // namespace tests::e2e_lifecycle
