// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <string>
#include <vector>

namespace tests::e2e_policy_config {

using namespace e2e;

namespace {

/// CORE alone, with these settings.
json with_core(const json& settings) { return {{"targets", {{"CORE", settings}}}}; }

/// The settings that a target is reported to have, as a config file would say them.
json settings_of(const json& report) {
    return {{"policy", report.at("policy")},
            {"reset_timeout", report.at("reset_timeout")},
            {"half_open", report.at("half_open")}};
}

} // namespace

TEST_CASE("RelayHub: what the config file leaves out has the library's default") {
    Rig rig;
    const json window{{"type", "count_window"}, {"failure_rate", 0.35}};
    rig.start_hub_with({{"reset_timeout", {{"initial", 0.5}}},
                        {"targets",
                         {{"CORE", {{"policy", window}, {"half_open", {{"probes", 3}}}}},
                          {"CLAIM", {{"policy", {{"type", "time_window"}}}, {"reset_timeout", 7}}}}}},
                       {"--call-timeout", "2"});
    const json backoff{{"initial", 0.5}, {"factor", 2.0}, {"cap", 300.0}, {"jitter", 0.0}};
    CHECK(
        settings_of(rig.report("CORE")) ==
        json{{"policy",
              {{"type", "count_window"}, {"size", 100}, {"minimum_calls", 10}, {"failure_rate", 0.35}}},
             {"reset_timeout", backoff},
             {"half_open", {{"probes", 3}, {"successes_to_close", 3}, {"probe_timeout", 3.0}}}});
    CHECK(settings_of(rig.report("CLAIM")) ==
          json{{"policy",
                {{"type", "time_window"},
                 {"length", 10.0},
                 {"buckets", 10},
                 {"minimum_calls", 10},
                 {"failure_rate", 0.5}}},
               {"reset_timeout", 7.0},
               {"half_open", {{"probes", 1}, {"successes_to_close", 1}, {"probe_timeout", 3.0}}}});
}

TEST_CASE("RelayHub: reports a target's settings as a config file says them") {
    const json slow_calls{{"longer_than", 1.5}, {"rate", 0.25}};
    const std::vector<json> all{
        {{"policy", {{"type", "consecutive_failures"}, {"threshold", 1'000'000}}},
         {"reset_timeout", 0.001},
         {"half_open", {{"probes", 1000}, {"successes_to_close", 1}, {"probe_timeout", 86400.0}}}},
        {{"policy",
          {{"type", "count_window"},
           {"size", 50},
           {"minimum_calls", 50},
           {"failure_rate", 1.0},
           {"slow_calls", slow_calls}}},
         {"reset_timeout",
          {{"initial", 0.2}, {"factor", 1.5}, {"cap", 0.2}, {"jitter", 1.0}, {"seed", 0}}},
         {"half_open", {{"probes", 3}, {"successes_to_close", 2}, {"probe_timeout", 5.0}}}},
        {{"policy",
          {{"type", "time_window"},
           {"length", 30.0},
           {"buckets", 60},
           {"minimum_calls", 1},
           {"failure_rate", 0.07},
           {"slow_calls", {{"longer_than", 0.0}, {"rate", 1.0}}}}},
         {"reset_timeout",
          {{"initial", 1.0},
           {"factor", 1.0},
           {"cap", 60.0},
           {"jitter", 0.0},
           {"seed", 18446744073709551615U}}},
         {"half_open", {{"probes", 2}, {"successes_to_close", 2}, {"probe_timeout", 0.25}}}}};
    Rig rig;
    for (const json& settings : all) {
        rig.start_hub_with(with_core(settings));
        CHECK(settings_of(rig.report("CORE")) == settings);
    }
}

TEST_CASE("RelayHub: of two policies the more special one is in force") {
    Rig rig;
    const json config{{"policy", {{"type", "time_window"}}},
                      {"targets",
                       {{"CORE", {{"policy", {{"type", "count_window"}}}}},
                        {"PAY", {{"url", rig.target("CLAIM").url()}, {"fail_threshold", 3}}}}}};
    const auto type = [&](const char* target) { return rig.report(target).at("policy").at("type"); };
    rig.start_hub_with(config);
    CHECK(type("CORE") == "count_window");
    CHECK(type("PAY") == "consecutive_failures"); // what fail_threshold is short for
    CHECK(type("CLAIM") == "time_window");
    CHECK_FALSE(rig.report("CLAIM").contains("fail_threshold"));

    rig.start_hub_with(config, {"--fail-threshold", "9"});
    CHECK(type("CORE") == "count_window");
    CHECK(rig.report("PAY").at("fail_threshold") == 3);
    CHECK(rig.report("CLAIM").at("policy") == json{{"type", "consecutive_failures"}, {"threshold", 9}});
}

TEST_CASE("RelayHub: a bad policy is refused with the target, the field and exit status 2") {
    struct Bad {
        const char* settings; ///< CORE's
        std::vector<const char*> named;
    };
    const std::vector<Bad> all{
        {R"({"policy": "count_window"})", {".policy: must be an object"}},
        {R"({"policy": null})", {".policy: must be an object"}},
        {R"({"policy": {}})", {".policy.type: missing"}},
        {R"({"policy": {"type": 1}})", {".policy.type: must be a string"}},
        {R"({"policy": {"type": "CountWindow"}})", {".policy.type", "count_window"}},
        {R"({"policy": {"type": "count_window"}, "fail_threshold": 3})", {"fail_threshold and policy"}},

        {R"({"policy": {"type": "consecutive_failures", "threshold": 0}})", {".policy.threshold"}},
        {R"({"policy": {"type": "consecutive_failures", "threshold": 2.5}})", {".policy.threshold"}},
        {R"({"policy": {"type": "consecutive_failures", "treshold": 2}})",
         {".policy.treshold: unknown"}},
        {R"({"policy": {"type": "consecutive_failures", "size": 2}})", {".policy.size: unknown key"}},

        {R"({"policy": {"type": "count_window", "size": 0}})", {".policy.size"}},
        {R"({"policy": {"type": "count_window", "size": -1}})", {".policy.size"}},
        {R"({"policy": {"type": "count_window", "size": 1000001}})", {".policy.size", "1000000"}},
        {R"({"policy": {"type": "count_window", "size": "100"}})", {".policy.size: must be a whole"}},
        {R"({"policy": {"type": "count_window", "length": 10}})", {".policy.length: unknown key"}},
        {R"({"policy": {"type": "count_window", "minimum_calls": 0}})", {".policy.minimum_calls"}},
        {R"({"policy": {"type": "count_window", "size": 5, "minimum_calls": 6}})",
         {".policy: CountWindow::minimum_calls", "must be in [1, "}},
        {R"({"policy": {"type": "count_window", "failure_rate": 50}})",
         {".policy: CountWindow::failure_rate", "for 50 % write 0.5"}},
        {R"({"policy": {"type": "count_window", "failure_rate": 0}})", {"CountWindow::failure_rate"}},
        {R"({"policy": {"type": "count_window", "failure_rate": "0.5"}})",
         {".policy.failure_rate: must be a number"}},

        {R"({"policy": {"type": "time_window", "length": 0}})", {".policy.length"}},
        {R"({"policy": {"type": "time_window", "length": 1, "buckets": 7}})",
         {".policy: TimeWindow::length", "divide"}},
        {R"({"policy": {"type": "time_window", "buckets": 0}})", {".policy.buckets"}},
        {R"({"policy": {"type": "time_window", "buckets": 10001}})", {".policy.buckets", "10000"}},
        {R"({"policy": {"type": "time_window", "minimum_calls": true}})", {".policy.minimum_calls"}},
        {R"({"policy": {"type": "time_window", "failure_rate": 1.01}})", {"TimeWindow::failure_rate"}},
        {R"({"policy": {"type": "time_window", "size": 10}})", {".policy.size: unknown key"}},

        {R"({"policy": {"type": "time_window", "slow_calls": 3}})", {".policy.slow_calls: must be an"}},
        {R"({"policy": {"type": "time_window", "slow_calls": {}}})",
         {".policy.slow_calls.longer_than: missing"}},
        {R"({"policy": {"type": "time_window", "slow_calls": {"longer_than": -1}}})",
         {".policy.slow_calls.longer_than", "0 to 86400"}},
        {R"({"policy": {"type": "time_window", "slow_calls": {"longer_than": 1, "rate": 2}}})",
         {".policy.slow_calls: SlowCalls::rate"}},
        {R"({"policy": {"type": "time_window", "slow_calls": {"longer_than": 1, "slow_rate": 1}}})",
         {".policy.slow_calls.slow_rate: unknown key"}},
        {R"({"policy": {"type": "time_window", "failure_rate": 0.5, "failure_rate": 0.6}})",
         {"'failure_rate' is there twice"}},

        {R"({"reset_timeout": "10"})", {".reset_timeout: must be a number"}},
        {R"({"reset_timeout": {"initial": 0}})", {".reset_timeout.initial"}},
        {R"({"reset_timeout": {"initial": 9, "cap": 8}})", {".reset_timeout: ExponentialBackoff::cap"}},
        {R"({"reset_timeout": {"factor": 0.5}})", {".reset_timeout: ExponentialBackoff::factor"}},
        {R"({"reset_timeout": {"factor": "2"}})", {".reset_timeout.factor: must be a number"}},
        {R"({"reset_timeout": {"jitter": 20}})", {".reset_timeout: ExponentialBackoff::jitter"}},
        {R"({"reset_timeout": {"cap": 100000}})", {".reset_timeout.cap", "86400"}},
        {R"({"reset_timeout": {"seed": -1}})", {".reset_timeout.seed"}},
        {R"({"reset_timeout": {"seed": 18446744073709551616}})", {".reset_timeout.seed"}},
        {R"({"reset_timeout": {"multiplier": 2}})", {".reset_timeout.multiplier: unknown key"}},

        {R"({"half_open": 3})", {".half_open: must be an object"}},
        {R"({"half_open": {"probes": 0}})", {".half_open.probes"}},
        {R"({"half_open": {"probes": 1001}})", {".half_open.probes", "1000"}},
        {R"({"half_open": {"probes": 2, "successes_to_close": 3}})",
         {".half_open: HalfOpen::successes_to_close"}},
        {R"({"half_open": {"successes_to_close": 0}})", {".half_open.successes_to_close"}},
        {R"({"half_open": {"probe_timeout": 0}})", {".half_open.probe_timeout"}},
        {R"({"half_open": {"max_probes": 2}})", {".half_open.max_probes: unknown key"}},
    };
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    for (const Bad& bad : all) {
        INFO(bad.settings);
        example::write_text_file(path, std::string{R"({"targets": {"CORE": )"} + bad.settings + "}}");
        const ShortRun run = run_hub({"--config", path.string()});
        CHECK(run.status == 2);
        CHECK(run.output.empty());
        INFO(run.errors);
        const bool is_duplicate = bad.named.front()[0] == '\'';
        CHECK((is_duplicate || run.errors.find("hub.json: targets.CORE") != std::string::npos));
        for (const char* name : bad.named) CHECK(run.errors.find(name) != std::string::npos);
    }
}

} // namespace tests::e2e_policy_config
