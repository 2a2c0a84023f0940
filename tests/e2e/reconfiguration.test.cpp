// SPDX-License-Identifier: MIT
// A new config for a hub that runs: all of it or nothing, and no call, state or window lost by it.
#include "metrics_rig.hpp"
#include "raw_connection.hpp"
#include "rig.hpp"

#include "../../examples/common/file_descriptor.hpp"
#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <array>
#include <atomic>
#include <csignal>

#include <fcntl.h>
#include <sys/stat.h>

namespace tests::e2e_reconfiguration {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

json window(double failure_rate, int size = 100) {
    return {{"type", "count_window"},
            {"size", size},
            {"minimum_calls", 10},
            {"failure_rate", failure_rate}};
}

/// All that it is, and not what has happened since.
json settings(json report) {
    json result;
    for (const char* key : {"policy", "reset_timeout", "half_open", "max_inflight", "call_timeout"})
        result[key] = report.at(key);
    return result;
}

std::size_t lines_in(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("RelayHub: a changed config file is read again by command, and what changed is reported") {
    Rig rig;
    rig.start_hub_with({{"policy", window(0.9)}, {"call_timeout", 3}});
    rig.write_config(json{{"policy", window(0.5)},
                          {"drain_time", 2},
                          {"targets", {{"CORE", {{"max_inflight", 4}, {"reset_timeout", 0.5}}}}}}
                         .dump());
    const HttpAnswer answer = rig.configure("{}");
    CHECK(answer.status == 200);
    CHECK(answer.body ==
          json{{"changed",
                {{{"field", "drain_time"}, {"old", 0.0}, {"new", 2.0}},
                 {{"field", "targets.CORE.max_inflight"}, {"old", 10}, {"new", 4}},
                 {{"field", "targets.CORE.policy.failure_rate"}, {"old", 0.9}, {"new", 0.5}},
                 {{"field", "targets.CORE.reset_timeout"}, {"old", 10.0}, {"new", 0.5}},
                 {{"field", "targets.CLAIM.policy.failure_rate"}, {"old", 0.9}, {"new", 0.5}}}}});
    CHECK(rig.report("CORE").at("policy").at("failure_rate") == 0.5);
    CHECK(rig.report("CORE").at("max_inflight") == 4);
    CHECK(rig.report("CORE").at("reset_timeout") == 0.5);
    CHECK(rig.report("CLAIM").at("max_inflight") == 10);
    CHECK(rig.hub_errors() == "relay_hub: drain_time: 0.0 -> 2.0\n"
                              "relay_hub: targets.CORE.max_inflight: 10 -> 4\n"
                              "relay_hub: targets.CORE.policy.failure_rate: 0.9 -> 0.5\n"
                              "relay_hub: targets.CORE.reset_timeout: 10.0 -> 0.5\n"
                              "relay_hub: targets.CLAIM.policy.failure_rate: 0.9 -> 0.5\n");
    // The same once more is no change, and nothing to tell.
    CHECK(rig.configure("").body == json{{"changed", json::array()}});
    CHECK(lines_in(rig.hub_errors()) == 5);
}

TEST_CASE("RelayHub: a policy of another kind is reported whole, and what comes or goes is null") {
    Rig rig;
    rig.start_hub_with({{"targets", {{"CORE", {{"policy", window(0.5)}}}}}});
    json slow = window(0.5);
    slow["slow_calls"] = {{"longer_than", 1.0}, {"rate", 0.5}};
    HttpAnswer answer = rig.configure(json{{"targets", {{"CORE", {{"policy", slow}}}}}}.dump());
    REQUIRE(answer.status == 200);
    CHECK(answer.body.at("changed") == json{{{"field", "targets.CORE.policy.slow_calls"},
                                             {"old", nullptr},
                                             {"new", slow.at("slow_calls")}}});
    answer = rig.configure(R"({"fail_threshold":7})");
    REQUIRE(answer.status == 200);
    const json run{{"type", "consecutive_failures"}, {"threshold", 7}};
    CHECK(answer.body.at("changed").at(0) ==
          json{{"field", "targets.CORE.policy"}, {"old", slow}, {"new", run}});
    CHECK(answer.body.at("changed").at(1) ==
          json{{"field", "targets.CLAIM.policy.threshold"}, {"old", 5}, {"new", 7}});
    CHECK(rig.report("CORE").at("policy") == run);
    CHECK(rig.report("CORE").at("fail_threshold") == 7);
}

TEST_CASE("RelayHub: SIGHUP reads the config file again") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    rig.write_config(R"({"max_inflight": 8})");
    rig.hub().process().send_signal(SIGHUP);
    CHECK(eventually([&] { return rig.report("CLAIM").at("max_inflight") == 8; }));
    CHECK(eventually([&] { return lines_in(rig.hub_errors()) == 2; }));
    CHECK(rig.hub_errors() == "relay_hub: targets.CORE.max_inflight: 3 -> 8\n"
                              "relay_hub: targets.CLAIM.max_inflight: 3 -> 8\n");
    CHECK(rig.hub().stop(30s) == 0);
}

TEST_CASE("RelayHub: a config that is sent holds until the file is read again") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    CHECK(rig.configure(R"({"max_inflight": 5, "call_timeout": 1})").status == 200);
    CHECK(rig.report("CORE").at("max_inflight") == 5);
    CHECK(rig.report("CORE").at("call_timeout") == 1.0);
    CHECK(rig.configure(R"({"max_inflight": 6})").status == 200);
    CHECK(rig.report("CORE").at("call_timeout") == 3.0); // each config is a whole one
    CHECK(rig.configure("{}").status == 200);
    CHECK(rig.report("CORE").at("max_inflight") == 3);
}

TEST_CASE("RelayHub: the command line goes on to count as it did at the start") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}}, {"--max-inflight", "7", "--drain-time", "0"});
    CHECK(rig.configure(R"({"max_inflight": 5, "drain_time": 9})").body.at("changed").empty());
    CHECK(rig.report("CORE").at("max_inflight") == 7);
    CHECK(rig.configure(R"({"targets": {"CORE": {"max_inflight": 5}}})").status == 200);
    CHECK(rig.report("CORE").at("max_inflight") == 5);
    CHECK(rig.report("CLAIM").at("max_inflight") == 7);
}

TEST_CASE("RelayHub: with one mistake in it, a config changes nothing at all") {
    Rig rig;
    rig.start_hub_with({{"policy", window(0.9)}});
    const json before_core = rig.report("CORE");
    const json before_claim = rig.report("CLAIM");
    for (
        const auto& [body, told] : std::vector<std::pair<std::string, std::string>>{
            {"nonsense", "the request: is not JSON"},
            {"[]", "the request: must be an object"},
            {"null", "the request: must be an object"},
            {R"({"max_inflight": 3, "fail_treshold": 3})", "the request: fail_treshold: unknown key"},
            {R"({"max_inflight": 3, "targets": {"CLAIM": {"policy": {"type": "count_window", "failure_rate": 50}}}})",
             "the request: targets.CLAIM.policy: CountWindow::failure_rate is "},
            {R"({"targets": {"CORE": {"max_inflight": 3}, "CLAIM": {"call_timeout": 0}}})",
             "the request: targets.CLAIM.call_timeout"},
            {R"({"max_inflight": 3, "max_inflight": 4})", "max_inflight"},
            {R"({"max_inflight": 3, "targets": {"NEW": {}}})", "targets.NEW.url: missing"},
            {R"({"max_inflight": 3, "event_log": ")" + rig.log().string() + "\"}", "event_log"},
        }) {
        INFO(body);
        const HttpAnswer answer = rig.configure(body);
        CHECK(answer.status == 400);
        CHECK(answer.code() == "E400");
        INFO(answer.body.dump());
        CHECK(answer.body.at("message").get<std::string>().find(told) != std::string::npos);
        CHECK(rig.report("CORE") == before_core);
        CHECK(rig.report("CLAIM") == before_claim);
    }
    CHECK(rig.hub_errors().empty());
}

TEST_CASE("RelayHub: what cannot change while it runs is named, and then nothing else changes") {
    Rig rig;
    rig.start_hub_with({{"targets", {{"PAY", {{"url", "http://127.0.0.1:1"}}}}}});
    const std::string pay = R"("PAY":{"url":"http://127.0.0.1:1"})";
    for (const auto& [body, told] : std::vector<std::pair<std::string, std::string>>{
             {R"({"max_inflight":3,"event_log":"e.jsonl","targets":{)" + pay + "}}",
              "event_log: cannot change while the hub runs, it is none"},
             {R"({"max_inflight":3})", "targets.PAY: is not there, and no target can be removed"},
             {R"({"max_inflight":3,"targets":{"NEW":{"url":"http://127.0.0.1:1"},)" + pay + "}}",
              "targets.NEW: is new, and no target can be added"},
             {R"({"max_inflight":3,"targets":{"PAY":{"url":"http://127.0.0.1:2"}}})",
              "targets.PAY.url: cannot change while the hub runs, it is http://127.0.0.1:1"},
             {R"({"max_inflight":3,"targets":{"CORE":{"url":"http://127.0.0.1:2"},)" + pay + "}}",
              "targets.CORE.url: cannot change"},
             {R"({"max_inflight":3,"targets":{"CORE":{"history":5},)" + pay + "}}",
              "targets.CORE.history: cannot change while the hub runs, it is 0"},
         }) {
        INFO(body);
        const HttpAnswer answer = rig.configure(body);
        CHECK(answer.status == 409);
        CHECK(answer.code() == "E400");
        INFO(answer.body.dump());
        CHECK(answer.body.at("message").get<std::string>().find(told) != std::string::npos);
        CHECK(rig.report("CORE").at("max_inflight") == 10);
        CHECK(rig.report("PAY").at("max_inflight") == 10);
    }
    CHECK(rig.configure(R"({"max_inflight":3,"targets":{)" + pay + "}}").status == 200);
    CHECK(rig.report("PAY").at("max_inflight") == 3);
}

TEST_CASE("RelayHub: an address or log of the config file cannot change while it runs") {
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    const auto log = (directory.path() / "one.log").string();
    json config{{"listen", "127.0.0.1:0"}, {"breaker_log", log}};
    example::write_text_file(path, config.dump());
    Service hub{program("relay_hub"), {"--config", path.string()}, directory.path() / "hub.err"};
    example::JsonClient client{hub.port()};
    const auto message_of = [&](const json& sent) {
        const HttpAnswer answer = client.post("/admin/config", sent.dump(), Rig::control());
        CHECK(answer.status == 409);
        return answer.body.value("message", "");
    };
    CHECK(client.post("/admin/config", "{}", Rig::control()).status == 200);
    CHECK(message_of({{"listen", "127.0.0.1:1"}, {"breaker_log", log}}) ==
          "listen: cannot change while the hub runs, it is 127.0.0.1:0");
    CHECK(message_of({{"listen", "127.0.0.1:0"}, {"breaker_log", log + "2"}}) ==
          "breaker_log: cannot change while the hub runs, it is " + log);
}

TEST_CASE("RelayHub: a bad file on SIGHUP is said, and the hub goes on as before") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    const json before = rig.report("CORE");
    const std::string path = (rig.directory() / "hub.json").string();
    const auto check_refused = [&](const std::string& told) {
        const std::size_t lines = lines_in(rig.hub_errors());
        rig.hub().process().send_signal(SIGHUP);
        REQUIRE(eventually([&] { return lines_in(rig.hub_errors()) == lines + 1; }));
        const std::string errors = rig.hub_errors();
        INFO(errors);
        CHECK(errors.find(told) != std::string::npos);
        CHECK(errors.ends_with("; nothing has changed\n"));
        CHECK(rig.report("CORE") == before);
    };
    rig.write_config(R"({"max_inflight": 4, "call_timeout": -1})");
    check_refused(path + ": call_timeout");
    rig.write_config(R"({"max_inflight": 4, "event_log": "e"})");
    check_refused("--config: " + path + ": event_log: cannot change");
    std::filesystem::remove(path);
    check_refused(path + ": cannot be read: No such file or directory");
    rig.write_config(R"({"max_inflight": 4})");
    rig.hub().process().send_signal(SIGHUP);
    CHECK(eventually([&] { return rig.report("CORE").at("max_inflight") == 4; }));
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: what became of new configs stands in GET /healthz and GET /metrics") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    const auto shown = [&] { return rig.health().at("config_reloads"); };
    const auto check = [&](int accepted, int refused, bool is_last_refused) {
        const json reloads = shown();
        INFO(reloads.dump());
        CHECK(reloads.at("accepted") == accepted);
        CHECK(reloads.at("refused") == refused);
        CHECK(reloads.at("is_last_refused") == is_last_refused);
        CHECK(reloads.at("last_accepted").is_string());
        CHECK(reloads.at("last_refused").is_null() == (refused == 0));
        for (const char* accept : {"text/plain", "application/openmetrics-text"}) {
            const Page page = scrape(rig, accept);
            INFO(page.text);
            const std::string reloads_total = "relay_hub_config_reloads_total{result=";
            CHECK(page.has(reloads_total + "\"success\"} " + std::to_string(accepted)));
            CHECK(page.has(reloads_total + "\"failure\"} " + std::to_string(refused)));
            CHECK(page.has(std::string{"relay_hub_config_last_reload_successful "} +
                           (is_last_refused ? "0" : "1")));
            const auto at = page.text.find("\nrelay_hub_config_last_reload_success_timestamp_seconds ");
            REQUIRE(at != std::string::npos);
            // Of this year and not of the machine's start.
            CHECK(std::stod(page.text.substr(page.text.find(' ', at))) > 1.7e9);
        }
    };
    check(0, 0, false);
    rig.write_config(R"({"max_inflight": 0})");
    rig.hub().process().send_signal(SIGHUP);
    REQUIRE(eventually([&] { return shown().at("refused") == 1; }));
    check(0, 1, true);
    CHECK(rig.configure(R"({"max_inflight": 5})").status == 200);
    check(1, 1, false);
    CHECK(rig.configure(R"({"event_log": "another"})").status == 409);
    check(1, 2, true);
    rig.write_config(R"({"max_inflight": 5})");
    CHECK(rig.configure("{}").status == 200); // nothing differs: accepted all the same
    check(2, 2, false);
}

TEST_CASE("RelayHub: a config file that is a FIFO without a writer holds neither the hub nor its end") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    const std::filesystem::path path = rig.directory() / "hub.json";
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    SECTION("read again on SIGHUP, however often") {
        for (int i = 0; i < 100; ++i) rig.hub().process().send_signal(SIGHUP);
        CHECK(rig.call("CORE").code() == "0000");
        CHECK(rig.hub().stop(3s) == 0);
    }
    SECTION("read again by command") {
        auto answer = std::async(std::launch::async, [&] { return rig.configure("{}"); });
        // The hub has opened it to read.
        example::FileDescriptor writer; // kept: with its last writer gone, a FIFO is at its end
        REQUIRE(eventually([&] {
            writer = example::FileDescriptor{::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
            return static_cast<bool>(writer);
        }));
        CHECK(rig.call("CORE").code() == "0000");
        CHECK(rig.hub().stop(3s) == 0);
        CHECK(answer.get().status == 400);
    }
    CHECK(rig.hub_errors().find("max_inflight") == std::string::npos);
}

TEST_CASE("RelayHub: a config file may be a pipe whose writer takes its time") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 3}});
    const std::filesystem::path path = rig.directory() / "hub.json";
    std::filesystem::remove(path);
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    rig.hub().process().send_signal(SIGHUP);
    rig.write_config(R"({"max_inflight": 6})"); // waits for the hub to read
    CHECK(eventually([&] { return rig.report("CORE").at("max_inflight") == 6; }));
}

TEST_CASE("RelayHub: without a config file there is none to read again, but one may be sent") {
    Rig rig;
    rig.start_hub();
    const HttpAnswer answer = rig.configure("{ }");
    CHECK(answer.status == 409);
    CHECK(answer.body.at("message") ==
          "the hub was started without --config: there is no file to read again");
    CHECK(rig.configure(R"({"max_inflight":3})").status == 200);
    CHECK(rig.report("CORE").at("max_inflight") == 3);
    rig.hub().process().send_signal(SIGHUP); // for the logs
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("max_inflight") == 3);
}

TEST_CASE("RelayHub: a config is taken from where commands are taken from, and nowhere else") {
    Rig rig;
    rig.start_hub();
    example::JsonClient client{rig.hub().port()};
    const std::string body = R"({"max_inflight":3})";
    CHECK(client.post("/admin/config", body).status == 403);
    CHECK(client
              .post("/admin/config", body,
                    {{"X-Relay-Hub-Control", "1"}, {"Origin", "http://evil.example"}})
              .status == 403);
    CHECK(client.get("/admin/config", Rig::control()).status == 405);
    CHECK(client.post("/admin/other", body, Rig::control()).status == 404);
    CHECK(rig.report("CORE").at("max_inflight") == 10);
}

TEST_CASE("RelayHub: a threshold changes under load, and the window stays") {
    Rig rig;
    rig.start_hub_with({{"policy", window(0.95, 100'000)}, {"max_inflight", 50}});
    rig.set("CORE", {{"mode", "fail"}});
    constexpr int callers = 4;
    constexpr int calls_each = 150;
    std::atomic<int> running = callers;
    std::vector<std::jthread> threads;
    for (int i = 0; i < callers; ++i)
        threads.emplace_back([&] {
            example::JsonClient client{rig.hub().port(), example::JsonClient::KeepAlive::yes};
            // One failure to one success, so no rate above a half is reached but in the beginning.
            for (int call = 0; call < calls_each; ++call)
                static_cast<void>(client.post("/tx", json{{"target", "CLAIM"}}));
            --running;
        });
    for (int i = 0; i < 9; ++i) CHECK(rig.call("CORE").code() == "E500");
    int changes = 0;
    while (running != 0) {
        const int size = changes % 2 == 0 ? 50'000 : 100'000;
        REQUIRE(rig.configure(json{{"policy", window(changes % 3 == 0 ? 0.9 : 0.95, size)},
                                   {"max_inflight", changes % 2 == 0 ? 60 : 50}}
                                  .dump())
                    .status == 200);
        ++changes;
    }
    threads.clear();
    CHECK(changes > 3);
    const json claim = rig.report("CLAIM");
    CHECK(claim.at("judged").at("calls") == callers * calls_each);
    CHECK(claim.at("judged").at("failures") == 0);
    CHECK(claim.at("generation") == 1);
    CHECK(claim.at("refused") ==
          json{{"circuit_open", 0}, {"probes_in_flight", 0}, {"bulkhead_full", 0}});
    // Nine failures are remembered: the tenth is judged by the rule of now.
    const json core = rig.report("CORE");
    CHECK(core.at("judged").at("calls") == 9);
    CHECK(core.at("judged").at("failures") == 9);
    CHECK(core.at("state") == "CLOSED");
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.report("CORE").at("state") == "OPEN");
}

TEST_CASE("RelayHub: a circuit that is open stays open, and waits as the new config says") {
    Rig rig;
    rig.start_hub_with({{"fail_threshold", 1}, {"reset_timeout", 600}});
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(rig.call("CORE").code() == "E904");
    const json before = rig.report("CORE");
    REQUIRE(rig.configure(R"({"fail_threshold":2,"reset_timeout":300})").status == 200);
    const json after = rig.report("CORE");
    for (const char* same : {"state", "since", "opened_at", "generation", "last_opening", "judged"})
        CHECK(before.at(same) == after.at(same));
    CHECK(after.at("retry_after_ms") <= 300'000);
    CHECK(rig.call("CORE").code() == "E904");
    REQUIRE(rig.configure(R"({"fail_threshold":2,"reset_timeout":0.001})").status == 200);
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: more calls at once find their threads, fewer let those in flight finish") {
    Rig rig;
    rig.start_hub_with({{"max_inflight", 1}, {"call_timeout", 30}});
    const auto threads = rig.health().at("threads_at_most").get<std::size_t>();
    const std::size_t many = threads + 24; // more calls than there are threads
    REQUIRE(rig.configure(json{{"max_inflight", many}, {"call_timeout", 30}}.dump()).status == 200);
    CHECK(rig.health().at("threads_at_most") == threads + 2 * (many - 1));
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 2000}});
    auto answers = rig.call_at_once("CORE", many);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == many; }));
    REQUIRE(rig.configure(R"({"max_inflight":2,"call_timeout":30})").status == 200);
    CHECK(rig.health().at("threads_at_most") == threads + 2);
    CHECK(rig.call("CORE").code() == "E905");
    CHECK(rig.call("CLAIM").code() == "0000");
    for (auto& answer : answers) CHECK(answer.get().code() == "0000");
    CHECK(rig.report("CORE").at("in_flight") == 0);
}

TEST_CASE("RelayHub: a call goes on with the time-out that it began with, the next has the new one") {
    Rig rig;
    rig.start_hub_with({{"call_timeout", 30}});
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1500}});
    auto answers = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    REQUIRE(rig.configure(R"({"call_timeout":0.05})").status == 200);
    CHECK(rig.call("CORE").code() == "E901");
    CHECK(answers.front().get().code() == "0000");
}

TEST_CASE("RelayHub: a half-open period goes on with the time-out that its probes are waited for") {
    const auto config = [](double call_timeout) {
        return json{{"fail_threshold", 1},
                    {"reset_timeout", 0.05},
                    {"half_open", {{"probes", 2}}},
                    {"call_timeout", call_timeout}};
    };
    Rig rig;
    rig.start_hub_with(config(0.3));
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "normal"}});
    REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
    REQUIRE(rig.report("CORE").at("state") == "HALF_OPEN"); // one of two has succeeded
    REQUIRE(rig.configure(config(5).dump()).status == 200);
    CHECK(rig.report("CORE").at("half_open").at("probe_timeout") == 6.0);
    // A probe that is waited for 1.3 s may not call for 5 s.
    rig.set("CORE", {{"mode", "hang"}});
    HttpAnswer answer = rig.call("CORE");
    CHECK(answer.code() == "E901");
    CHECK(answer.took < 3s);
    REQUIRE(rig.report("CORE").at("state") == "OPEN");
    // In the next period the probes are waited for 6 s.
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1000}});
    REQUIRE(eventually([&] { return rig.report("CORE").at("retry_after_ms") == 0; }));
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: without protection a new config protects nothing") {
    Rig rig;
    rig.start_hub({"--no-protection"});
    REQUIRE(rig.configure(R"({"max_inflight":1,"fail_threshold":1,"call_timeout":30})").status == 200);
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 3; ++i) CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.report("CORE").at("state") == "DISABLED");
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 500}});
    for (auto& answer : rig.call_at_once("CORE", 5)) CHECK(answer.get().code() == "0000");
}

TEST_CASE("RelayHub: configs that come at the same time are taken one after the other, never mixed") {
    const json one{
        {"fail_threshold", 11}, {"reset_timeout", 11}, {"max_inflight", 11}, {"call_timeout", 11}};
    const json two{
        {"policy", window(0.5)}, {"reset_timeout", 22}, {"max_inflight", 22}, {"call_timeout", 22}};
    Rig rig;
    rig.start_hub_with(one);
    const json as_one = settings(rig.report("CORE"));
    REQUIRE(rig.configure(two.dump()).status == 200);
    const json as_two = settings(rig.report("CORE"));
    REQUIRE(as_one != as_two);

    std::atomic<bool> is_over = false;
    std::atomic<int> refused = 0;
    std::atomic<int> mixed = 0;
    std::array<std::atomic<int>, 2> seen{};
    {
        std::vector<std::jthread> threads;
        for (const json* config : {&one, &two})
            threads.emplace_back([&, config] {
                example::JsonClient client{rig.hub().port(), example::JsonClient::KeepAlive::yes};
                for (int i = 0; i < 150; ++i)
                    if (client.post("/admin/config", config->dump(), Rig::control()).status != 200)
                        ++refused;
                is_over = true;
            });
        for (int reader = 0; reader < 2; ++reader)
            threads.emplace_back([&] {
                example::JsonClient client{rig.hub().port(), example::JsonClient::KeepAlive::yes};
                while (!is_over) {
                    const json targets = client.get("/targets").body.at("targets");
                    const json core = settings(targets.at("CORE"));
                    if (core != settings(targets.at("CLAIM")) || (core != as_one && core != as_two))
                        ++mixed;
                    ++seen[core == as_one ? 0 : 1];
                }
            });
        while (!is_over) {
            rig.hub().process().send_signal(SIGHUP); // the file says `one`
            std::this_thread::sleep_for(2ms);
        }
    }
    CHECK(refused == 0);
    CHECK(mixed == 0);
    CHECK(seen[0] > 0);
    CHECK(seen[1] > 0);
    // What is told is what happened: each change goes on from the one before.
    std::map<std::string, std::string> last;
    std::istringstream lines{rig.hub_errors()};
    for (std::string line; std::getline(lines, line);) {
        const auto colon = line.find(": ", 11);
        const auto arrow = line.find(" -> ");
        REQUIRE(colon != std::string::npos);
        REQUIRE(arrow != std::string::npos);
        const std::string field = line.substr(0, colon);
        const std::string before = line.substr(colon + 2, arrow - colon - 2);
        if (last.contains(field)) CHECK(last[field] == before);
        last[field] = line.substr(arrow + 4);
    }
    CHECK(last.size() == 10);
}

} // namespace tests::e2e_reconfiguration
