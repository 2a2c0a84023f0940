// SPDX-License-Identifier: MIT
// The hub runs out of memory in the middle of a request: its own failure, and no target's.
#include "crooked_target.hpp"
#include "process_limit.hpp"
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <atomic>
#include <string>

namespace tests::e2e_hub_failure {

using namespace e2e;

namespace {

// Enough for small requests.
constexpr std::size_t spare = mebibyte / 4;

std::string large_body(const std::string& key, const std::string& value) {
    return json{{key, value}, {"more", std::string(1'000'000, 'x')}}.dump();
}

void check_failed(const HttpAnswer& answer) {
    CHECK(answer.status == 500);
    CHECK(answer.code() == "E999");
    CHECK(answer.body.at("message") == "the hub failed");
}

} // namespace

TEST_CASE("RelayHub: a request that there is no memory for is E999, and is counted") {
    Rig rig;
    rig.start_hub();
    CHECK(rig.call("CORE").code() == "0000");
    if (is_instrumented) return; // a sanitizer ends the program where there is no memory
    {
        const MemoryShortage shortage{rig.hub().process().id(), spare};
        const HttpAnswer answer = rig.post(large_body("target", "CORE"));
        check_failed(answer);
        CHECK_FALSE(answer.body.contains("target"));
    }
    CHECK(rig.health().at("failed") == 1);
    CHECK(rig.report("CORE").at("calls") == 1);
    CHECK(rig.post(large_body("target", "CORE")).code() == "0000");
}

TEST_CASE("RelayHub: after its own failure the rest of a body is not taken for requests") {
    Rig rig;
    rig.start_hub();
    CHECK(rig.call("CORE").code() == "0000");
    if (is_instrumented) return;
    const MemoryShortage shortage{rig.hub().process().id(), spare};
    const std::string hidden = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    std::string body;
    while (body.size() + hidden.size() < 1'000'000) body += hidden;
    const RawConnection connection{rig.hub().port()};
    connection.send("POST /tx HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string received = connection.receive();
    CHECK(received.starts_with("HTTP/1.1 500 "));
    CHECK(received.find("E999") != std::string::npos);
    CHECK(received.rfind("HTTP/1.1 ") == 0);
}

TEST_CASE("RelayHub: an answer that there is no memory for is E999, and no failure of the target") {
    std::atomic<bool> is_large = false;
    CrookedTarget target{[&](const Victim& victim) {
        victim.send(http_answer(is_large ? large_body("code", "0000") : R"({"code":"0000"})"));
    }};
    Rig rig;
    rig.start_hub({"--target", "LARGE=" + target.url(), "--fail-threshold", "1"});
    CHECK(rig.call("LARGE").code() == "0000");
    if (is_instrumented) return;
    is_large = true;
    {
        const MemoryShortage shortage{rig.hub().process().id(), spare};
        const HttpAnswer answer = rig.call("LARGE");
        check_failed(answer);
        CHECK(answer.body.at("target") == "LARGE");
    }
    const json report = rig.report("LARGE");
    CHECK(report.at("state") == "CLOSED");
    CHECK(report.at("calls") == 2);
    CHECK(report.at("failures") == 0);
    CHECK(report.at("in_flight") == 0);
    CHECK(report.at("answers") == json{{"0000", 1}, {"E999", 1}});
    CHECK(rig.health().at("failed") == 0);
    CHECK(rig.call("LARGE").code() == "0000");
}

} // namespace tests::e2e_hub_failure
