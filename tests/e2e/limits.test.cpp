// SPDX-License-Identifier: MIT
// Per target: a rate limit, a queue, and a limit of calls in flight that is learned.
#include "metrics_rig.hpp"
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tests::e2e_limits {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

json with_core(const json& settings) { return {{"targets", {{"CORE", settings}}}}; }

/// A limit that no test waits out: one call an hour, after `burst` at once.
json rarely(int burst) { return {{"permits", 1}, {"per", 3600}, {"burst", burst}}; }

/// One call that CORE holds, and a queue before it.
json one_and_a_queue(int max_queued, int max_wait_ms) {
    return with_core({{"max_inflight", 1},
                      {"queue", {{"max_queued", max_queued}, {"max_wait_ms", max_wait_ms}}},
                      {"call_timeout", 30}});
}

/// A call that CORE holds until it is set to another mode, which ends it with an E902.
std::vector<std::future<HttpAnswer>> hold_one(Rig& rig) {
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    return held;
}

std::map<std::string, int> codes_of(std::vector<std::future<HttpAnswer>>& answers) {
    std::map<std::string, int> result;
    for (auto& answer : answers) ++result[answer.get().code()];
    return result;
}

json refusals(Rig& rig) { return rig.report("CORE").at("refused"); }

} // namespace

TEST_CASE("RelayHub: what is beyond the rate limit is E906, with the time to wait") {
    Rig rig;
    rig.start_hub_with(with_core({{"rate_limit", rarely(3)}}));
    CHECK(rig.report("CORE").at("permits_available") == 3);
    for (int i = 0; i < 3; ++i) CHECK(rig.call("CORE").code() == "0000");
    for (int i = 0; i < 5; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        CHECK(answer.status == 429);
        CHECK(answer.code() == "E906");
        CHECK(answer.body.at("target") == "CORE");
        const int wait = answer.body.at("retry_after_ms");
        CHECK(wait > 3'500'000);
        CHECK(wait <= 3'600'000);
        CHECK(answer.headers.find("Retry-After")->second == std::to_string((wait + 999) / 1000));
    }
    CHECK(rig.call("CLAIM").code() == "0000");
    const json report = rig.report("CORE");
    CHECK(report.at("calls") == 3);
    CHECK(report.at("failures") == 0);
    CHECK(report.at("state") == "CLOSED");
    CHECK(report.at("answers") == json{{"0000", 3}, {"E906", 5}});
    CHECK(
        report.at("refused") ==
        json{{"circuit_open", 0}, {"probes_in_flight", 0}, {"bulkhead_full", 0}, {"rate_limited", 5}});
    CHECK(report.at("rate_limit") == json{{"permits", 1}, {"per", 3600.0}, {"burst", 3}});
    CHECK(report.at("permits_available") == 0);
    CHECK(rig.stats("CORE").at("calls") == 3);
    CHECK_FALSE(rig.report("CLAIM").contains("rate_limit"));
    const Page page = scrape(rig);
    CHECK(page.has(R"(dashpot_rate_limiter_refused_total{name="CORE"} 5)"));
    CHECK(page.has(R"(dashpot_rate_limiter_burst{name="CORE"} 3)"));
    CHECK_FALSE(page.has(R"(dashpot_rate_limiter_burst{name="CLAIM"} 3)"));
}

TEST_CASE("RelayHub: a call that a guard refuses takes no permit of the rate limit") {
    Rig rig;
    rig.start_hub_with(with_core({{"rate_limit", rarely(3)},
                                  {"fail_threshold", 1},
                                  {"reset_timeout", 0.2},
                                  {"max_inflight", 1}}));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "E904");
    CHECK(rig.report("CORE").at("permits_available") == 2);
    // So there is one left for the probe, and one for a call beside the one that fills the compartment.
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(eventually([&] { return rig.call("CORE").code() == "0000"; }));
    CHECK(rig.report("CORE").at("permits_available") == 1);
    auto held = hold_one(rig);
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "E905");
    CHECK(rig.report("CORE").at("permits_available") == 0);
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(held.front().get().code() == "E902");
}

TEST_CASE("RelayHub: a probe that the rate limit refuses is given back") {
    Rig rig;
    rig.start_hub_with(
        with_core({{"rate_limit", rarely(1)}, {"fail_threshold", 1}, {"reset_timeout", 0.05}}));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(eventually([&] { return rig.call("CORE").code() == "E906"; }));
    CHECK(rig.call("CORE").code() == "E906"); // not E904, because no probe is out
    CHECK(rig.report("CORE").at("probes_in_flight") == 0);
    CHECK(rig.report("CORE").at("calls") == 1);
    REQUIRE(rig.configure(with_core({{"fail_threshold", 1}, {"reset_timeout", 0.05}}).dump()).status ==
            200);
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: calls wait in the queue, and what does not fit in is E905 at once") {
    Rig rig;
    rig.start_hub_with(one_and_a_queue(2, 60'000));
    auto held = hold_one(rig);
    auto waiting = rig.call_at_once("CORE", 2);
    CHECK(eventually([&] { return rig.report("CORE").at("waiting") == 2; }));
    for (int i = 0; i < 3; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        CHECK(answer.status == 429);
        CHECK(answer.code() == "E905");
        CHECK(answer.body.at("message") == "as many calls in flight and waiting as it may have");
        CHECK(answer.took < 5s);
    }
    CHECK(rig.call("CLAIM").code() == "0000");
    const Page page = scrape(rig);
    for (const char* line :
         {R"(dashpot_bulkhead_max{name="CORE"} 1)", R"(dashpot_bulkhead_in_flight{name="CORE"} 1)",
          R"(dashpot_bulkhead_queue_capacity{name="CORE"} 2)",
          R"(dashpot_bulkhead_queue_depth{name="CORE"} 2)",
          R"(dashpot_bulkhead_refused_total{name="CORE"} 3)",
          R"(dashpot_bulkhead_max{name="CLAIM"} 10)"}) {
        INFO(page.text);
        CHECK(page.has(line));
    }
    CHECK_FALSE(page.has(R"(dashpot_bulkhead_queue_depth{name="CLAIM"} 0)"));
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(codes_of(held) == std::map<std::string, int>{{"E902", 1}});
    CHECK(codes_of(waiting) == std::map<std::string, int>{{"0000", 2}});
    CHECK(rig.stats("CORE").at("max_inflight") == 1);
    const json report = rig.report("CORE");
    CHECK(report.at("waiting") == 0);
    CHECK(report.at("in_flight") == 0);
    CHECK(report.at("queue") == json{{"max_queued", 2}, {"max_wait_ms", 60000}});
    CHECK(report.at("refused") == json{{"circuit_open", 0},
                                       {"probes_in_flight", 0},
                                       {"bulkhead_full", 0},
                                       {"queue_full", 3},
                                       {"queue_timeout", 0}});
}

TEST_CASE("RelayHub: a call that has waited as long as it may is E905") {
    Rig rig;
    rig.start_hub_with(one_and_a_queue(5, 250));
    auto held = hold_one(rig);
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 429);
    CHECK(answer.code() == "E905");
    CHECK(answer.body.at("message") == "waited as long as a call may, and none in flight ended");
    CHECK(answer.took >= 250ms);
    CHECK(answer.took < 10s);
    CHECK(refusals(rig).at("queue_timeout") == 1);
    CHECK(refusals(rig).at("queue_full") == 0);
    CHECK(rig.report("CORE").at("failures") == 0);
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(held.front().get().code() == "E902");
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: with its circuit open a target lets no call wait") {
    Rig rig;
    json config = one_and_a_queue(5, 60'000);
    config["targets"]["CORE"]["fail_threshold"] = 1;
    config["targets"]["CORE"]["reset_timeout"] = 600;
    rig.start_hub_with(config);
    auto held = hold_one(rig);
    auto waiting = rig.call_at_once("CORE", 2);
    CHECK(eventually([&] { return rig.report("CORE").at("waiting") == 2; }));
    REQUIRE(rig.command("CORE", "force-open").status == 200);
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.code() == "E904");
    CHECK(answer.took < 10s);
    CHECK(refusals(rig).at("circuit_open") == 1);
    CHECK(scrape(rig).has(R"(dashpot_circuit_breaker_not_permitted_total{name="CORE"} 1)"));
    // Those that wait already learn of it as soon as there is a slot.
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(codes_of(held) == std::map<std::string, int>{{"E902", 1}});
    CHECK(codes_of(waiting) == std::map<std::string, int>{{"E904", 2}});
    CHECK(rig.stats("CORE").at("calls") == 1);
}

TEST_CASE("RelayHub: callers that wait for CORE take no thread from CLAIM") {
    Rig rig;
    rig.start_hub_with(one_and_a_queue(150, 60'000));
    auto held = hold_one(rig);
    const int threads = rig.health().at("threads_at_most");
    CHECK(threads == 64 + 8 + 1 + 150 + 10);
    auto waiting = rig.call_at_once("CORE", 150);
    CHECK(eventually([&] { return rig.report("CORE").at("waiting") == 150; }));
    for (int i = 0; i < 20; ++i) {
        const HttpAnswer answer = rig.call("CLAIM");
        REQUIRE(answer.code() == "0000");
        REQUIRE(answer.took < 5s);
    }
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(codes_of(held) == std::map<std::string, int>{{"E902", 1}});
    CHECK(codes_of(waiting) == std::map<std::string, int>{{"0000", 150}});
    CHECK(rig.stats("CORE").at("max_inflight") == 1);
}

TEST_CASE("RelayHub: callers that wait need one open file each, and those in flight two") {
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    example::write_text_file(path, one_and_a_queue(50, 1000).dump());
    // 72 threads and 1 + 10 calls with two each, 50 that wait, 512 connections that wait for a thread,
    // 64 to spare.
    const Words options{"--config", path.string(), "--listen", "192.0.2.1:1"};
    const ShortRun run = run_hub_with_open_files(791, options);
    CHECK(run.status == 2);
    CHECK(run.errors == "relay_hub: --max-inflight, max_inflight, queue.max_queued: for all targets "
                        "together 792 open files are needed, the limit is 791\n");
    CHECK(run_hub_with_open_files(792, options).status == 1);
    example::write_text_file(path, with_core({{"adaptive", {{"max", 21}}}}).dump());
    const ShortRun learned = run_hub_with_open_files(781, options);
    CHECK(learned.errors == "relay_hub: --max-inflight, max_inflight, adaptive.max: for all targets "
                            "together 782 open files are needed, the limit is 781\n");
    CHECK(run_hub_with_open_files(782, options).status == 1);
}

TEST_CASE("RelayHub: a limit of calls in flight is learned between its bounds") {
    Rig rig;
    rig.start_hub_with(with_core({{"adaptive", {{"type", "aimd"}, {"initial", 2}, {"max", 3}}},
                                  {"call_timeout", 30},
                                  {"fail_threshold", 1000}}));
    CHECK(rig.report("CORE").at("max_inflight") == 2);
    CHECK(rig.report("CORE").at("adaptive") == json{{"type", "aimd"},
                                                    {"initial", 2},
                                                    {"min", 1},
                                                    {"max", 3},
                                                    {"decrease", 0.9},
                                                    {"slow_after", 5.0}});
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 2);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 2; }));
    for (int i = 0; i < 3; ++i) {
        const HttpAnswer answer = rig.call("CORE");
        CHECK(answer.status == 429);
        CHECK(answer.code() == "E905");
    }
    CHECK(
        refusals(rig) ==
        json{{"circuit_open", 0}, {"probes_in_flight", 0}, {"bulkhead_full", 0}, {"limit_reached", 3}});
    const Page page = scrape(rig);
    CHECK(page.has(R"(dashpot_adaptive_limiter_limit{name="CORE"} 2)"));
    CHECK(page.has(R"(dashpot_adaptive_limiter_in_flight{name="CORE"} 2)"));
    CHECK(page.has(R"(dashpot_adaptive_limiter_refused_total{name="CORE"} 3)"));
    CHECK_FALSE(page.has(R"(dashpot_adaptive_limiter_limit{name="CLAIM"} 20)"));
    // A failure counts as a sign of overload, and a call that began before it counts no more.
    rig.set("CORE", {{"mode", "fail"}});
    for (auto& answer : held) CHECK(answer.get().code() == "E902");
    CHECK(rig.report("CORE").at("max_inflight") == 1);
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.report("CORE").at("max_inflight") == 1); // its min
    // Windows of a second in which it is used, without a failure, raise it again, to its max.
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 20}});
    CHECK(eventually([&] {
        auto calls = rig.call_at_once("CORE", 3);
        for (auto& call : calls) static_cast<void>(call.get());
        return rig.report("CORE").at("max_inflight") == 3;
    }));
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: limits that contradict each other, or make no sense, are exit status 2") {
    struct Bad {
        const char* settings; ///< CORE's
        const char* error;    ///< after the place of CORE
    };
    const std::vector<Bad> all{
        {R"({"adaptive": {}, "max_inflight": 5})", ": adaptive and max_inflight are both there"},
        {R"({"adaptive": {}, "queue": {}})", ": adaptive and queue are both there"},
        {R"({"adaptive": 20})", ".adaptive: must be an object"},
        {R"({"adaptive": {"type": "Gradient"}})", ".adaptive.type: must be gradient, vegas or aimd"},
        {R"({"adaptive": {"max": 1001}})",
         ".adaptive.max: '1001' is not a whole number from 1 to 1000"},
        {R"({"adaptive": {"max": 10}})", ".adaptive: Gradient::initial is 20"},
        {R"({"adaptive": {"min": 0}})", ".adaptive.min"},
        {R"({"adaptive": {"tolerance": 0.5}})", ".adaptive: Gradient::tolerance"},
        {R"({"adaptive": {"decrease": 0.5}})", ".adaptive.decrease: unknown key"},
        {R"({"adaptive": {"type": "aimd", "decrease": 1}})", ".adaptive: Aimd::decrease"},
        {R"({"adaptive": {"type": "aimd", "slow_after": 0}})", ".adaptive.slow_after"},
        {R"({"adaptive": {"type": "vegas", "probe_every": 0}})", ".adaptive.probe_every"},
        {R"({"queue": 5})", ".queue: must be an object"},
        {R"({"queue": {"max_queued": 1001}})",
         ".queue.max_queued: '1001' is not a whole number from 0"},
        {R"({"queue": {"max_queued": -1}})", ".queue.max_queued"},
        {R"({"queue": {"max_wait_ms": 0}})", ".queue.max_wait_ms: '0' is not a whole number from 1"},
        {R"({"queue": {"max_wait_ms": 0.5}})", ".queue.max_wait_ms: must be a whole number"},
        {R"({"queue": {"max_wait": 1}})", ".queue.max_wait: unknown key"},
        {R"({"rate_limit": 100})", ".rate_limit: must be an object"},
        {R"({"rate_limit": {}})", ".rate_limit.permits: missing"},
        {R"({"rate_limit": {"permits": 0}})", ".rate_limit.permits"},
        {R"({"rate_limit": {"permits": 1, "per": 0}})", ".rate_limit.per"},
        {R"({"rate_limit": {"permits": 1, "burst": 0}})", ".rate_limit.burst"},
        {R"({"rate_limit": {"permits": 1, "seconds": 1}})", ".rate_limit.seconds: unknown key"},
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

TEST_CASE("RelayHub: of a given and a learned limit the more special one is in force") {
    Rig rig;
    const auto limits = [&](const char* target) {
        json result;
        const json report = rig.report(target);
        for (const char* key : {"max_inflight", "queue", "adaptive"})
            if (report.contains(key)) result[key] = report.at(key);
        if (result.contains("adaptive")) result["adaptive"] = report.at("adaptive").at("type");
        return result;
    };
    const json queue{{"max_queued", 3}, {"max_wait_ms", 1000}};
    rig.start_hub_with({{"max_inflight", 7},
                        {"queue", {{"max_queued", 3}}},
                        {"targets", {{"CORE", {{"adaptive", {{"type", "vegas"}}}}}}}});
    CHECK(limits("CORE") == json{{"max_inflight", 20}, {"adaptive", "vegas"}});
    CHECK(limits("CLAIM") == json{{"max_inflight", 7}, {"queue", queue}});
    const json learned{
        {"adaptive", json::object()},
        {"targets", {{"CORE", {{"max_inflight", 6}}}, {"CLAIM", {{"queue", {{"max_queued", 3}}}}}}}};
    rig.start_hub_with(learned);
    CHECK(limits("CORE") == json{{"max_inflight", 6}});
    CHECK(limits("CLAIM") == json{{"max_inflight", 10}, {"queue", queue}});
    rig.start_hub_with({{"adaptive", json::object()}});
    CHECK(limits("CORE") == json{{"max_inflight", 20}, {"adaptive", "gradient"}});
    rig.start_hub_with({{"adaptive", json::object()}}, {"--max-inflight", "5"});
    CHECK(limits("CORE") == json{{"max_inflight", 5}});
}

TEST_CASE("RelayHub: limits change as it runs, and no call in flight is lost count of") {
    Rig rig;
    rig.start_hub_with(with_core({{"max_inflight", 3}, {"call_timeout", 30}}));
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 2);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 2; }));

    // A queue counts those that came before it.
    const json queue{{"max_queued", 1}, {"max_wait_ms", 60000}};
    HttpAnswer answer = rig.configure(
        with_core(
            {{"max_inflight", 2}, {"queue", queue}, {"rate_limit", rarely(9)}, {"call_timeout", 30}})
            .dump());
    REQUIRE(answer.status == 200);
    CHECK(answer.body.at("changed") ==
          json{{{"field", "targets.CORE.max_inflight"}, {"old", 3}, {"new", 2}},
               {{"field", "targets.CORE.queue"}, {"old", nullptr}, {"new", queue}},
               {{"field", "targets.CORE.rate_limit"},
                {"old", nullptr},
                {"new", {{"permits", 1}, {"per", 3600.0}, {"burst", 9}}}}});
    auto waiting = rig.call_at_once("CORE", 1);
    CHECK(eventually([&] { return rig.report("CORE").at("waiting") == 1; }));
    CHECK(rig.call("CORE").code() == "E905");
    CHECK(rig.report("CORE").at("permits_available") == 9); // full, however long it was not there

    // A larger limit lets in who waits already.
    answer = rig.configure(
        with_core(
            {{"max_inflight", 3}, {"queue", queue}, {"rate_limit", rarely(9)}, {"call_timeout", 30}})
            .dump());
    CHECK(answer.body.at("changed") ==
          json{{{"field", "targets.CORE.max_inflight"}, {"old", 2}, {"new", 3}}});
    CHECK(eventually([&] { return rig.stats("CORE").at("in_flight") == 3; }));
    CHECK(rig.report("CORE").at("permits_available") == 8);

    // So does a learned one in its place: the three in flight count.
    answer = rig.configure(
        with_core({{"adaptive", {{"initial", 4}, {"max", 5}}}, {"call_timeout", 30}}).dump());
    REQUIRE(answer.status == 200);
    CHECK(answer.body.at("changed").at(0).at("field") == "targets.CORE.adaptive");
    CHECK(answer.body.at("changed").at(1) ==
          json{{"field", "targets.CORE.max_inflight"}, {"old", 3}, {"new", nullptr}});
    CHECK(answer.body.at("changed").at(2).at("field") == "targets.CORE.queue");
    CHECK(answer.body.at("changed").at(3).at("field") == "targets.CORE.rate_limit");
    CHECK(rig.report("CORE").at("max_inflight") == 4);
    auto fourth = rig.call_at_once("CORE", 1);
    CHECK(eventually([&] { return rig.stats("CORE").at("in_flight") == 4; }));
    CHECK(rig.call("CORE").code() == "E905");
    CHECK(refusals(rig).at("limit_reached") == 1);
    CHECK(refusals(rig).at("queue_full") == 1); // what was counted stays in view

    // With max_inflight again, those in flight count as well.
    REQUIRE(rig.configure(with_core({{"max_inflight", 4}, {"call_timeout", 30}}).dump()).status == 200);
    CHECK(rig.call("CORE").code() == "E905");
    CHECK(refusals(rig).at("bulkhead_full") == 1);
    rig.set("CORE", {{"mode", "normal"}});
    for (auto* answers : {&held, &waiting, &fourth})
        for (auto& each : *answers) CHECK(each.get().code() == "E902");
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("in_flight") == 0);
}

TEST_CASE("RelayHub: a queue that goes while calls wait lets none of them hang") {
    Rig rig;
    rig.start_hub_with(one_and_a_queue(2, 60'000));
    auto held = hold_one(rig);
    auto waiting = rig.call_at_once("CORE", 2);
    CHECK(eventually([&] { return rig.report("CORE").at("waiting") == 2; }));
    REQUIRE(rig.configure(with_core({{"max_inflight", 1}, {"call_timeout", 30}}).dump()).status == 200);
    CHECK(codes_of(waiting) == std::map<std::string, int>{{"E905", 2}});
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(codes_of(held) == std::map<std::string, int>{{"E902", 1}});
}

TEST_CASE("RelayHub: without protection there are no limits at all") {
    Rig rig;
    rig.start_hub_with(with_core({{"rate_limit", rarely(1)}, {"queue", {{"max_queued", 0}}}}),
                       {"--no-protection"});
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "0000");
}

} // namespace tests::e2e_limits
