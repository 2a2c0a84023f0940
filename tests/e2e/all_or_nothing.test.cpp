// SPDX-License-Identifier: MIT
// A new config that the system has no room for: it changes nothing, not even for a moment.
#include "process_limit.hpp"
#include "rig.hpp"

#include "catch.hpp"

namespace tests::e2e_all_or_nothing {

using namespace e2e;

namespace {

json window(int size) {
    return {{"type", "count_window"}, {"size", size}, {"minimum_calls", size}, {"failure_rate", 1.0}};
}

/// CORE and CLAIM, and a hundred more, whose windows hold a million calls: 25 MB together.
json config(int size_of_core, int size_of_others, const std::string& url) {
    json result{{"policy", window(size_of_others)}};
    result["targets"]["CORE"] = {{"policy", window(size_of_core)}};
    for (int i = 0; i < 100; ++i) result["targets"]["T" + std::to_string(i)] = {{"url", url}};
    return result;
}

} // namespace

TEST_CASE("RelayHub: a config that needs more memory than there is changes nothing") {
    Rig rig;
    const std::string url = rig.target("CLAIM").url();
    rig.start_hub_with(config(100, 100, url));
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 9; ++i) CHECK(rig.call("CORE").code() == "E500");
    const json before = rig.report("CORE");
    REQUIRE(before.at("judged").at("calls") == 9);
    if (is_instrumented) return; // a sanitizer ends the program where there is no memory
    {
        const MemoryShortage shortage{rig.hub().process().id(), 6 * mebibyte};
        // CORE, the first of all, would lose seven of its nine calls.
        CHECK(rig.configure(config(2, 1'000'000, url).dump()).status == 500);
    }
    CHECK(rig.report("CORE").at("policy") == before.at("policy"));
    CHECK(rig.report("CORE").at("judged") == before.at("judged"));
    CHECK(rig.report("T99").at("policy") == before.at("policy"));
    CHECK(rig.hub_errors().find("->") == std::string::npos);
    // With the memory, the same config holds.
    REQUIRE(rig.configure(config(2, 1'000'000, url).dump()).status == 200);
    CHECK(rig.report("CORE").at("judged").at("calls") == 2);
    CHECK(rig.report("T99").at("policy").at("size") == 1'000'000);
}

TEST_CASE("RelayHub: a config that needs more open files than the system allows changes nothing") {
    Rig rig;
    rig.start_hub({"--max-inflight", "1"});
    set_limit(rig.hub().process().id(), RLIMIT_NOFILE, {1000, 1000});
    const auto threads = rig.health().at("threads_at_most");
    const HttpAnswer answer = rig.configure(
        R"({"call_timeout": 7, "drain_time": 9, "targets": {"CORE": {"max_inflight": 900}}})");
    CHECK(answer.status == 409);
    CHECK(answer.code() == "E400");
    const auto message = answer.body.at("message").get<std::string>();
    CHECK(message.starts_with("max_inflight: "));
    CHECK(message.ends_with(" open files are needed, the limit is 1000"));
    CHECK(rig.report("CORE").at("call_timeout") == 3.0);
    CHECK(rig.health().at("threads_at_most") == threads);
    CHECK(rig.hub_errors().empty());
    REQUIRE(rig.configure(R"({"call_timeout": 7})").status == 200);
    CHECK(rig.report("CORE").at("call_timeout") == 7.0);
}

} // namespace tests::e2e_all_or_nothing
