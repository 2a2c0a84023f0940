// SPDX-License-Identifier: MIT
// The file that calls are written to, and that a replay of it comes to what the hub did.
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace tests::e2e_traffic_log {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

std::vector<json> calls_of(const std::filesystem::path& path) {
    std::vector<json> result;
    std::istringstream text{example::read_text_file(path)};
    for (std::string line; std::getline(text, line);) {
        INFO(line);
        result.push_back(json::parse(line, nullptr, false));
        REQUIRE(result.back().is_object());
    }
    return result;
}

/// Ends the hub as an operator does.
void stop(Rig& rig) {
    rig.hub().process().send_signal(SIGTERM);
    REQUIRE(rig.hub().process().wait(std::chrono::steady_clock::now() + 30s) == 0);
}

} // namespace

TEST_CASE("RelayHub: the traffic log has each call, and all of them after SIGTERM") {
    Rig rig;
    const auto path = rig.directory() / "traffic.jsonl";
    rig.start_hub({"--traffic-log", path.string(), "--fail-threshold", "2", "--reset-timeout", "60"});
    CHECK(rig.call("CLAIM").code() == "0000");
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 2; ++i) CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CORE").code() == "E904");
    stop(rig);

    const std::vector<json> calls = calls_of(path);
    REQUIRE(calls.size() == 4);
    const std::vector<std::string> outcomes{"success", "failure", "failure", "refused"};
    for (std::size_t i = 0; i != 4; ++i) {
        CHECK(calls[i].at("target") == (i == 0 ? "CLAIM" : "CORE"));
        CHECK(calls[i].at("outcome") == outcomes[i]);
        CHECK(calls[i].at("time").get<std::string>().size() == 27);
        CHECK((calls[i].at("elapsed_ms").get<double>() > 0) == (i != 3));
        CHECK(calls[i].at("in_flight") == (i == 3 ? 0 : 1));
    }
}

TEST_CASE("RelayHub: SIGHUP goes on in a new traffic log, whose name a config may give") {
    Rig rig;
    const auto path = rig.directory() / "traffic.jsonl";
    rig.start_hub_with({{"traffic_log", path.string()}});
    CHECK(rig.call("CORE").code() == "0000");
    std::filesystem::rename(path, path.string() + ".1");
    rig.hub().process().send_signal(SIGHUP);
    REQUIRE(eventually([&] { return std::filesystem::exists(path); }));
    CHECK(rig.call("CORE").code() == "0000");
    stop(rig);
    CHECK(calls_of(path.string() + ".1").size() == 1);
    CHECK(calls_of(path).size() == 1);
}

TEST_CASE("RelayHub: the traffic log is a file of its own, and can be opened") {
    Rig rig;
    const std::string path = (rig.directory() / "one.log").string();
    const ShortRun one = run_hub({"--traffic-log", path, "--event-log", path});
    CHECK(one.status == 2);
    CHECK(one.errors.find("--traffic-log") != std::string::npos);
    const ShortRun absent = run_hub({"--traffic-log", "/nowhere/traffic.jsonl"});
    CHECK(absent.status == 1);
    CHECK(absent.errors.find("--traffic-log") != std::string::npos);
}

#ifdef E2E_WHATIF
TEST_CASE("RelayHub: a replay of its traffic has the transitions that it had") {
    Rig rig;
    const auto path = rig.directory() / "traffic.jsonl";
    rig.start_hub({"--traffic-log", path.string(), "--fail-threshold", "3", "--reset-timeout", "0.05"});
    for (int i = 0; i < 10; ++i) CHECK(rig.call("CORE").code() == "0000");
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 3; ++i) CHECK(rig.call("CORE").code() == "E500");
    REQUIRE(eventually([&] { return rig.call("CORE").code() == "E500"; })); // a probe
    rig.set("CORE", {{"mode", "normal"}});
    REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
    const std::string log = example::read_text_file(rig.log());
    const auto changes = [&](const std::string& change) {
        int count = 0;
        for (std::size_t at = 0; (at = log.find(change, at)) != std::string::npos; ++at) ++count;
        return count;
    };
    stop(rig);

    const ShortRun run = run_program(
        "whatif", {"--json", "--candidate",
                   "consecutive_failures threshold=3 reset_timeout=50ms half_open.probe_timeout=4s",
                   path.string()});
    REQUIRE(run.status == 0);
    const json row = json::parse(run.output).at("targets").at("CORE").at("candidates").at(0);
    CHECK(row.at("openings") == changes("CLOSED->OPEN"));
    CHECK(row.at("reopenings") == changes("HALF_OPEN->OPEN"));
    CHECK(row.at("spared") == 0);
    CHECK(row.at("refused_good") == 0);
}
#endif

} // namespace tests::e2e_traffic_log
