// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/log_line.hpp"
#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <algorithm>
#include <sstream>

namespace tests::e2e_recovery {

using namespace e2e;

namespace {

void open_circuit(Rig& rig) {
    rig.set("CORE", {{"mode", "fail"}});
    REQUIRE(rig.call("CORE").code() == "E500");
    REQUIRE(rig.report("CORE").at("state") == "OPEN");
}

bool wait_is_over(Rig& rig) {
    return eventually([&] { return rig.report("CORE").at("retry_after_ms") == 0; });
}

std::vector<std::string> log_lines(const Rig& rig) {
    std::istringstream text{example::read_text_file(rig.log())};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("RelayHub: one probe closes the circuit, everyone else waits for it") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.2", "--call-timeout", "30"});
    open_circuit(rig);
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 2000}});
    REQUIRE(wait_is_over(rig));
    // A read moves nothing.
    CHECK(rig.report("CORE").at("state") == "OPEN");

    auto callers = rig.call_at_once("CORE", 12);
    REQUIRE(eventually([&] { return rig.report("CORE").at("state") == "HALF_OPEN"; }));
    REQUIRE(eventually([&] { return rig.report("CORE").at("answers").value("E904", 0) == 11; }));
    CHECK(rig.report("CORE").at("refused").at("probes_in_flight") == 11);

    std::vector<std::string> codes;
    for (auto& caller : callers) {
        const HttpAnswer answer = caller.get();
        codes.push_back(answer.code());
        if (answer.code() != "E904") continue;
        CHECK(answer.body.at("retry_after_ms").is_null());
        CHECK(answer.headers.count("Retry-After") == 0);
    }
    CHECK(std::count(codes.begin(), codes.end(), "0000") == 1);
    CHECK(std::count(codes.begin(), codes.end(), "E904") == 11);
    CHECK(rig.stats("CORE").at("calls") == 2);
    CHECK(rig.report("CORE").at("state") == "CLOSED");

    rig.set("CORE", {{"mode", "normal"}});
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: a failed probe opens the circuit again, and the wait starts again") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "1"});
    open_circuit(rig);
    REQUIRE(wait_is_over(rig));
    CHECK(rig.call("CORE").code() == "E500");
    const json report = rig.report("CORE");
    CHECK(report.at("state") == "OPEN");
    CHECK(report.at("generation") == 4);
    CHECK(report.at("retry_after_ms") > 0);
    CHECK(rig.stats("CORE").at("calls") == 2);
}

TEST_CASE("RelayHub: the log has one line for each change of state") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.2"});
    CHECK(example::read_text_file(rig.log()).empty());
    open_circuit(rig);
    REQUIRE(wait_is_over(rig));
    rig.set("CORE", {{"mode", "normal"}});
    REQUIRE(rig.call("CORE").code() == "0000");
    REQUIRE(rig.call("CLAIM").code() == "0000");
    REQUIRE(rig.hub().stop(std::chrono::seconds{30}) == 0);

    const std::vector<std::string> lines = log_lines(rig);
    REQUIRE(lines.size() == 3);
    CHECK(example::is_log_line(lines[0], "CORE", "CLOSED->OPEN"));
    CHECK(example::is_log_line(lines[1], "CORE", "OPEN->HALF_OPEN"));
    CHECK(example::is_log_line(lines[2], "CORE", "HALF_OPEN->CLOSED"));
    CHECK(std::is_sorted(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
        return a.substr(0, 24) < b.substr(0, 24);
    }));
}

TEST_CASE("RelayHub: a log that exists is continued") {
    Rig rig;
    for (int i = 1; i <= 2; ++i) {
        rig.start_hub({"--fail-threshold", "1"});
        open_circuit(rig);
        REQUIRE(rig.hub().stop(std::chrono::seconds{30}) == 0);
        CHECK(log_lines(rig).size() == static_cast<std::size_t>(i));
    }
}

TEST_CASE("RelayHub: trouble with one target never touches the other") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "2", "--reset-timeout", "600", "--call-timeout", "0.25"});
    for (const char* mode : {"hang", "fail"}) {
        rig.set("CORE", {{"mode", mode}});
        for (int i = 0; i < 3; ++i) {
            CHECK(rig.call("CORE").code() != "0000");
            CHECK(rig.call("CLAIM").code() == "0000");
        }
    }
    CHECK(rig.report("CORE").at("state") == "OPEN");
    const json claim = rig.report("CLAIM");
    CHECK(claim.at("state") == "CLOSED");
    CHECK(claim.at("generation") == 1);
    CHECK(claim.at("calls") == 6);
    CHECK(claim.at("failures") == 0);
    CHECK(claim.at("answers") == json{{"0000", 6}});
}

} // namespace tests::e2e_recovery
