// SPDX-License-Identifier: MIT
// Per target: further attempts and their budget, the caller's time, and an answer in place of a
// failure.
#include "metrics_rig.hpp"
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <string>
#include <vector>

namespace tests::e2e_retries {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

json with_core(json settings) {
    if (!settings.contains("fail_threshold")) settings["fail_threshold"] = 1000;
    return {{"targets", {{"CORE", settings}}}};
}

/// Three attempts without a wait.
json thrice(bool is_idempotent) {
    return {{"max_attempts", 3}, {"wait", 0}, {"idempotent", is_idempotent}};
}

json given_up(int attempts, int deadline, int budget, int retry_after) {
    return {{"attempts", attempts},
            {"deadline", deadline},
            {"budget", budget},
            {"retry_after", retry_after}};
}

/// A call of a client that does not wait for longer.
HttpAnswer call_within(Rig& rig, const std::string& milliseconds) {
    return example::JsonClient{rig.hub().port()}.post("/tx", R"({"target":"CORE"})",
                                                      {{"X-Timeout-Ms", milliseconds}});
}

const json instead{{"code", "F001"}, {"balance", nullptr}};

} // namespace

TEST_CASE("RelayHub: only a call that never reached its target is made again") {
    Rig rig;
    rig.start_hub_with(with_core({{"retry", thrice(false)}}));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.stats("CORE").at("calls") == 1);
    CHECK(rig.report("CORE").at("retries") ==
          json{{"attempts", 1}, {"retries", 0}, {"given_up", given_up(0, 0, 0, 1)}});
    CHECK(rig.report("CORE").at("retry_budget") == 100);

    REQUIRE(rig.target("CORE").stop(30s) == 0);
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 502);
    CHECK(answer.code() == "E902");
    const json report = rig.report("CORE");
    CHECK(report.at("calls") == 4);
    CHECK(report.at("failures") == 4);
    CHECK(report.at("answers") == json{{"E500", 1}, {"E902", 1}});
    CHECK(report.at("retries") ==
          json{{"attempts", 4}, {"retries", 2}, {"given_up", given_up(1, 0, 0, 1)}});
    CHECK(report.at("retry_budget") == 98);
    CHECK_FALSE(rig.report("CLAIM").contains("retries"));
}

TEST_CASE("RelayHub: a connection that breaks after the request was sent is not tried again") {
    Rig rig;
    rig.start_hub_with(with_core({{"retry", thrice(false)}, {"call_timeout", 30}}));
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(held.front().get().code() == "E902");
    CHECK(rig.stats("CORE").at("calls") == 1);
}

TEST_CASE("RelayHub: a target whose operations are idempotent is called again after any failure") {
    Rig rig;
    json retry = thrice(true);
    retry["wait"] = 1;
    rig.start_hub_with(with_core({{"retry", retry}}));
    rig.set("CORE", {{"mode", "fail"}});
    auto answers = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("calls") == 1; }));
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(answers.front().get().code() == "0000");
    const json report = rig.report("CORE");
    CHECK(report.at("calls") == 2);
    CHECK(report.at("failures") == 1);
    CHECK(report.at("answers") == json{{"0000", 1}});
    CHECK(report.at("retries") ==
          json{{"attempts", 2}, {"retries", 1}, {"given_up", given_up(0, 0, 0, 0)}});
    CHECK(report.at("retry_budget") == 99.1); // one taken, and a tenth earned
    CHECK(report.at("retry") == json{{"max_attempts", 3},
                                     {"wait", 1.0},
                                     {"idempotent", true},
                                     {"budget", {{"ratio", 0.1}, {"capacity", 100}}}});
    // A rejection is no failure.
    rig.set("CORE", {{"mode", "reject"}});
    CHECK(rig.call("CORE").code() == "B201");
    CHECK(rig.stats("CORE").at("calls") == 3);
}

TEST_CASE("RelayHub: all calls of a target share one retry budget") {
    Rig rig;
    json retry = thrice(true);
    retry["budget"] = {{"capacity", 3}};
    rig.start_hub_with(with_core({{"retry", retry}}));
    rig.set("CORE", {{"mode", "fail"}});
    const auto calls_of_one_more = [&] {
        const int before = rig.stats("CORE").at("calls");
        CHECK(rig.call("CORE").code() == "E500");
        return rig.stats("CORE").at("calls").get<int>() - before;
    };
    CHECK(calls_of_one_more() == 3);
    CHECK(calls_of_one_more() == 2);
    CHECK(calls_of_one_more() == 1);
    CHECK(rig.report("CORE").at("retries").at("given_up") == given_up(1, 0, 2, 0));
    CHECK(rig.report("CORE").at("retry_budget") == 0);
    const Page page = scrape(rig);
    for (const char* line : {R"(dashpot_retry_budget_balance{name="CORE"} 0)",
                             R"(dashpot_retry_budget_refused_total{name="CORE"} 2)",
                             R"(dashpot_retry_attempts_total{name="CORE"} 6)",
                             R"(dashpot_retry_retries_total{name="CORE"} 3)",
                             R"(dashpot_retry_given_up_total{name="CORE",reason="budget"} 2)"}) {
        INFO(page.text);
        CHECK(page.has(line));
    }
    CHECK_FALSE(page.has(R"(dashpot_retry_attempts_total{name="CLAIM"} 0)"));
    // As it runs: without a budget, and then without a retry.
    retry["budget"] = false;
    HttpAnswer answer = rig.configure(with_core({{"retry", retry}}).dump());
    REQUIRE(answer.status == 200);
    CHECK(answer.body.at("changed") == json{{{"field", "targets.CORE.retry.budget"},
                                             {"old", {{"ratio", 0.1}, {"capacity", 3}}},
                                             {"new", false}}});
    CHECK(calls_of_one_more() == 3);
    CHECK(calls_of_one_more() == 3);
    CHECK_FALSE(rig.report("CORE").contains("retry_budget"));
    answer = rig.configure(with_core(json::object()).dump());
    CHECK(answer.body.at("changed").at(0).at("field") == "targets.CORE.retry");
    CHECK(answer.body.at("changed").at(0).at("new") == nullptr);
    CHECK(calls_of_one_more() == 1);
}

TEST_CASE("RelayHub: a circuit that opens between two attempts ends the call") {
    Rig rig;
    json retry = thrice(true);
    retry["max_attempts"] = 10;
    rig.start_hub_with(with_core({{"retry", retry}, {"fail_threshold", 2}, {"reset_timeout", 600}}));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.stats("CORE").at("calls") == 2);
    CHECK(rig.report("CORE").at("refused").at("circuit_open") == 1);
    CHECK(rig.report("CORE").at("retry_budget") == 99); // the attempt that was refused cost nothing
    CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.stats("CORE").at("calls") == 2);
}

TEST_CASE("RelayHub: a call that waits for its next attempt leaves its slot to others") {
    Rig rig;
    json retry = thrice(true);
    retry["wait"] = 5;
    rig.start_hub_with(with_core({{"retry", retry}, {"max_inflight", 1}}));
    // 72, one call in flight to CORE and one that waits for its next attempt, ten to CLAIM.
    CHECK(rig.health().at("threads_at_most") == 84);
    rig.set("CORE", {{"mode", "fail"}});
    auto waiting = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.report("CORE").at("failures") == 1; }));
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(rig.call("CORE").code() == "0000");
    // As many may wait as may be in flight, because each holds a thread.
    rig.set("CORE", {{"mode", "fail"}});
    auto second = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.report("CORE").at("failures") == 2; }));
    CHECK(rig.call("CORE").code() == "E905");
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(waiting.front().get().code() == "0000");
    CHECK(second.front().get().code() == "0000");
}

TEST_CASE("RelayHub: the caller's own time ends a call, and is no failure of the target") {
    Rig rig;
    rig.start_hub_with(with_core({{"call_timeout", 30}, {"fail_threshold", 1}}));
    rig.set("CORE", {{"mode", "hang"}});
    const HttpAnswer answer = call_within(rig, "300");
    CHECK(answer.status == 504);
    CHECK(answer.code() == "E901");
    CHECK(answer.took >= 300ms);
    CHECK(answer.took < 10s);
    json report = rig.report("CORE");
    CHECK(report.at("calls") == 1);
    CHECK(report.at("failures") == 0);
    CHECK(report.at("in_flight") == 0);
    CHECK(report.at("state") == "CLOSED");
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(call_within(rig, "60000").code() == "0000");
    // Other failures count as ever, and so does a call timeout that is the shorter of the two.
    REQUIRE(rig.configure(with_core({{"call_timeout", 0.2}, {"fail_threshold", 1}}).dump()).status ==
            200);
    rig.set("CORE", {{"mode", "hang"}});
    CHECK(call_within(rig, "60000").code() == "E901");
    CHECK(rig.report("CORE").at("failures") == 1);
    CHECK(rig.report("CORE").at("state") == "OPEN");
}

TEST_CASE("RelayHub: the target is told how much of the caller's time is left") {
    Rig rig;
    rig.start_hub_with(with_core({{"call_timeout", 30}}));
    rig.set("CORE", {{"mode", "hang"}});
    // A hub before the hub: what it passes on ends the call of the one behind it.
    Service front{program("relay_hub"),
                  {"--listen", "127.0.0.1:0", "--target", "CORE=" + rig.hub().url(), "--call-timeout",
                   "30", "--fail-threshold", "1", "--breaker-log", "/dev/null"},
                  rig.directory() / "front.err"};
    const HttpAnswer answer = example::JsonClient{front.port()}.post("/tx", R"({"target":"CORE"})",
                                                                     {{"X-Timeout-Ms", "300"}});
    CHECK(answer.status / 100 == 5); // E500, if the hub behind it noticed first
    CHECK(eventually([&] { return rig.report("CORE").at("answers") == json{{"E901", 1}}; }));
    CHECK(rig.report("CORE").at("in_flight") == 0);
    const json report = example::JsonClient{front.port()}.get("/targets").body.at("targets").at("CORE");
    CHECK(report.at("failures") == 0); // whichever of the two hubs noticed first
    CHECK(report.at("state") == "CLOSED");
}

TEST_CASE("RelayHub: an X-Timeout-Ms that makes no sense is a bad request") {
    Rig rig;
    rig.start_hub();
    for (const char* nonsense :
         {"0", "-1", "+1", "1.5", "1e3", "300ms", "86400001", "99999999999", "0x10"}) {
        INFO(nonsense);
        const HttpAnswer answer = call_within(rig, nonsense);
        CHECK(answer.status == 400);
        CHECK(answer.code() == "E400");
        CHECK(answer.body.at("message") ==
              "X-Timeout-Ms: '" + std::string{nonsense} + "' is not a whole number from 1 to 86400000");
    }
    const HttpAnswer twice = example::JsonClient{rig.hub().port()}.post(
        "/tx", R"({"target":"CORE"})", {{"X-Timeout-Ms", "5"}, {"X-Timeout-Ms", "6"}});
    CHECK(twice.body.at("message") == "X-Timeout-Ms: is there more than once");
    CHECK(rig.health().at("malformed") == 10);
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(call_within(rig, "86400000").code() == "0000");
}

TEST_CASE("RelayHub: the caller's time ends a wait in the queue, and forbids one before an attempt") {
    Rig rig;
    json retry = thrice(true);
    retry["wait"] = 20;
    rig.start_hub_with(with_core({{"retry", retry},
                                  {"call_timeout", 30},
                                  {"max_inflight", 1},
                                  {"queue", {{"max_wait_ms", 60'000}}}}));
    rig.set("CORE", {{"mode", "hang"}});
    auto held = std::async(std::launch::async, [&] { return call_within(rig, "10000"); });
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    const HttpAnswer answer = call_within(rig, "300");
    CHECK(answer.status == 504);
    CHECK(answer.code() == "E901");
    CHECK(answer.body.at("message") == "the time of X-Timeout-Ms was over before the call");
    CHECK(answer.took >= 300ms);
    CHECK(answer.took < 9s);
    CHECK(rig.report("CORE").at("refused").at("deadline_exceeded") == 1);
    // This one fails, and would have to wait for longer than its caller does.
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(held.get().code() == "E902");
    CHECK(rig.report("CORE").at("retries").at("given_up") == given_up(0, 1, 0, 0));
    CHECK(rig.report("CORE").at("calls") == 1);
}

TEST_CASE("RelayHub: a fallback answers in place of failures and refusals, and of nothing else") {
    Rig rig;
    rig.start_hub_with(with_core({{"fallback", {{"status", 203}, {"body", instead}}},
                                  {"fail_threshold", 2},
                                  {"reset_timeout", 600}}));
    CHECK(rig.call("CORE").code() == "0000");
    rig.set("CORE", {{"mode", "reject"}});
    CHECK(rig.call("CORE").code() == "B201");
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 5; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        CHECK(answer.status == 203);
        CHECK(answer.body == instead);
    }
    // What is wrong with the target is seen all the same.
    json report = rig.report("CORE");
    CHECK(report.at("state") == "OPEN");
    CHECK(report.at("calls") == 4);
    CHECK(report.at("failures") == 2);
    CHECK(report.at("refused").at("circuit_open") == 3);
    CHECK(report.at("answers") == json{{"0000", 1}, {"B201", 1}, {"F001", 5}});
    CHECK(report.at("fallbacks") == 5);
    CHECK(report.at("fallback") == json{{"status", 203}, {"body", instead}});
    CHECK(scrape(rig).has(R"(dashpot_fallback_answers_total{name="CORE"} 5)"));
    CHECK_FALSE(rig.report("CLAIM").contains("fallbacks"));
    CHECK(rig.post(R"({"target":"NOBODY"})").code() == "E404");
    CHECK(rig.post("{").code() == "E400");
    // As it runs: without a status it is 200, and without a fallback the failure is seen.
    REQUIRE(rig.configure(with_core({{"fallback", {{"body", instead}}}, {"reset_timeout", 600}}).dump())
                .status == 200);
    CHECK(rig.call("CORE").status == 200);
    REQUIRE(rig.configure(with_core({{"reset_timeout", 600}}).dump()).status == 200);
    CHECK(rig.call("CORE").code() == "E904");
}

TEST_CASE("RelayHub: a fallback answers after the last attempt") {
    Rig rig;
    rig.start_hub_with(with_core({{"retry", thrice(true)}, {"fallback", {{"body", instead}}}}));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").body == instead);
    CHECK(rig.stats("CORE").at("calls") == 3);
    CHECK(rig.report("CORE").at("fallbacks") == 1);
}

TEST_CASE("RelayHub: a retry or a fallback that makes no sense is exit status 2") {
    struct Bad {
        const char* settings; ///< CORE's
        const char* error;    ///< after the place of CORE
    };
    const std::vector<Bad> all{
        {R"({"retry": 3})", ".retry: must be an object"},
        {R"({"retry": {"max_attempts": 0}})",
         ".retry.max_attempts: '0' is not a whole number from 1 to 10"},
        {R"({"retry": {"max_attempts": 11}})", ".retry.max_attempts"},
        {R"({"retry": {"wait": -1}})", ".retry.wait"},
        {R"({"retry": {"wait": {"initial": 9, "cap": 8}}})", ".retry.wait: ExponentialBackoff::cap"},
        {R"({"retry": {"idempotent": 1}})", ".retry.idempotent: must be true or false"},
        {R"({"retry": {"budget": true}})", ".retry.budget: must be an object"},
        {R"({"retry": {"budget": {"ratio": 0}}})", ".retry.budget: RetryBudgetOptions::ratio"},
        {R"({"retry": {"budget": {"capacity": 0}}})", ".retry.budget.capacity"},
        {R"({"retry": {"attempts": 3}})", ".retry.attempts: unknown key"},
        {R"({"fallback": "F001"})", ".fallback: must be an object"},
        {R"({"fallback": {}})", ".fallback.body: missing"},
        {R"({"fallback": {"body": "F001"}})", ".fallback.body: must be an object"},
        {R"({"fallback": {"body": {}}})", ".fallback.body.code: missing"},
        {R"({"fallback": {"body": {"code": 1}}})", ".fallback.body.code: must be a string"},
        {R"({"fallback": {"status": 199, "body": {"code": "F"}}})", ".fallback.status"},
        {R"({"fallback": {"status": 600, "body": {"code": "F"}}})", ".fallback.status"},
    };
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    for (const Bad& bad : all) {
        INFO(bad.settings);
        example::write_text_file(path, std::string{R"({"targets": {"CORE": )"} + bad.settings + "}}");
        const ShortRun run = run_hub({"--config", path.string()});
        CHECK(run.status == 2);
        INFO(run.errors);
        CHECK(run.errors.find("hub.json: targets.CORE" + std::string{bad.error}) != std::string::npos);
    }
}

} // namespace tests::e2e_retries
