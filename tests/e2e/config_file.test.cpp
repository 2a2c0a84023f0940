// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"
#include "catch.hpp"

#include <algorithm>

namespace tests::e2e_config_file {

using namespace e2e;

namespace {

/// What a file holds, and what is to be said of it.
struct Bad {
    std::string text;
    std::string named;
};

} // namespace

TEST_CASE("RelayHub: a config file sets each target apart") {
    Rig rig;
    const json config{
        {"fail_threshold", 9},
        {"reset_timeout", 20},
        {"call_timeout", 2.5},
        {"targets",
         {{"CORE", {{"fail_threshold", 2}, {"max_inflight", 4}, {"reset_timeout", 0.5}}},
          {"PAY", {{"url", rig.target("CLAIM").url()}, {"call_timeout", 1}, {"max_inflight", 1}}}}}};
    rig.start_hub_with(config, {"--reset-timeout", "30"});

    const auto is = [&](const char* target, const char* key, const json& value) {
        INFO(target << "." << key);
        CHECK(rig.report(target).at(key) == value);
    };
    is("CORE", "fail_threshold", 2);    // its own
    is("CORE", "max_inflight", 4);      // its own
    is("CORE", "reset_timeout", 0.5);   // its own, over the command line
    is("CORE", "call_timeout", 2.5);    // the file, for all
    is("CLAIM", "fail_threshold", 9);   // the file, for all
    is("CLAIM", "reset_timeout", 30.0); // the command line, over the file
    is("CLAIM", "max_inflight", 10);    // the default
    is("PAY", "call_timeout", 1.0);
    CHECK(rig.call("PAY").code() == "0000");

    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CORE").code() == "E904");
}

TEST_CASE("RelayHub: CORE and CLAIM are there unless other targets are named") {
    const auto names_with = [](const json& config, Words options) {
        const example::TemporaryDirectory directory;
        const auto path = directory.path() / "hub.json";
        example::write_text_file(path, config.dump());
        options.insert(options.end(),
                       {"--listen", "127.0.0.1:0", "--breaker-log",
                        (directory.path() / "b.log").string(), "--config", path.string()});
        Service hub{program("relay_hub"), options, directory.path() / "hub.err"};
        const json targets = example::JsonClient{hub.port()}.get("/targets").body.at("targets");
        std::string names;
        for (const auto& [name, report] : targets.items())
            names += name + "=" + report.at("url").get<std::string>().substr(17) + " ";
        return names;
    };
    const json pay{{"url", "http://127.0.0.1:1"}};
    const auto names = [&](const json& targets, const Words& options = {}) {
        return names_with({{"targets", targets}}, options);
    };
    CHECK(names_with({{"max_inflight", 3}}, {}) == "CLAIM=9202 CORE=9201 ");
    CHECK(names({{"CORE", {{"max_inflight", 4}}}}) == "CLAIM=9202 CORE=9201 ");
    CHECK(names({{"CORE", pay}}) == "CLAIM=9202 CORE=1 ");
    CHECK(names({{"PAY", pay}}) == "PAY=1 ");
    CHECK(names({{"PAY", pay}, {"CORE", {{"max_inflight", 4}}}}) == "CORE=9201 PAY=1 ");
    // Who names them by option means them.
    CHECK(names({{"PAY", pay}}, {"--target", "CORE=http://127.0.0.1:2"}) == "CORE=2 PAY=1 ");
}

TEST_CASE("RelayHub: a config file can say all of it") {
    const example::TemporaryDirectory directory;
    const auto log = directory.path() / "changes.log";
    const json config{
        {"listen", "127.0.0.1:0"},
        {"breaker_log", log.string()},
        {"targets",
         {{"CORE", {{"url", "http://127.0.0.1:1"}}}, {"CLAIM", {{"url", "http://127.0.0.1:1/"}}}}}};
    const auto path = directory.path() / "hub.json";
    example::write_text_file(path, config.dump());
    Service hub{program("relay_hub"), {"--config", path.string()}, directory.path() / "hub.err"};
    CHECK(example::JsonClient{hub.port()}.post("/tx", json{{"target", "CORE"}}).code() == "E902");
    CHECK(std::filesystem::exists(log));
    CHECK(hub.stop(std::chrono::seconds{30}) == 0);
}

TEST_CASE("RelayHub: a bad config file is refused with its name, the key and exit status 2") {
    const std::vector<Bad> all{
        {"", "JSON"},
        {"nonsense", "JSON"},
        {"[]", "must be an object"},
        {R"({"fail_treshold": 3})", "fail_treshold"},
        {R"({"fail_threshold": "3"})", "fail_threshold"},
        {R"({"fail_threshold": 3.5})", "fail_threshold"},
        {R"({"fail_threshold": 0})", "fail_threshold"},
        {R"({"fail_threshold": -1})", "fail_threshold"},
        {R"({"fail_threshold": 1e10})", "fail_threshold"},
        {R"({"fail_threshold": 3, "fail_threshold": 4})", "fail_threshold"},
        {R"({"fail_threshold": 3, "policy": {"type": "time_window"}})", "fail_threshold and policy"},
        {R"({"policy": {"type": "time_window", "buckets": 0}})", "hub.json: policy.buckets"},
        {R"({"reset_timeout": 0})", "reset_timeout"},
        {R"({"reset_timeout": "10"})", "reset_timeout"},
        {R"({"call_timeout": 1e300})", "call_timeout"},
        {R"({"max_inflight": true})", "max_inflight"},
        {R"({"max_inflight": null})", "max_inflight"},
        {R"({"history": 10001})", "history"},
        {R"({"targets": {"CORE": {"history": -1}}})", "targets.CORE.history"},
        {R"({"listen": 9200})", "listen"},
        {R"({"listen": "here"})", "listen"},
        {R"({"breaker_log": 1})", "breaker_log"},
        {R"({"breaker_log": ""})", "breaker"},
        {R"({"targets": []})", "targets"},
        {R"({"targets": {"CORE": 1}})", "targets.CORE"},
        {R"({"targets": {"CORE": {"limit": 1}}})", "targets.CORE.limit"},
        {R"({"targets": {"CORE": {"listen": "127.0.0.1:1"}}})", "targets.CORE.listen"},
        {R"({"targets": {"CORE": {"url": "ftp://x"}}})", "targets.CORE.url"},
        {R"({"targets": {"CORE": {"url": 5}}})", "targets.CORE.url"},
        {R"({"targets": {"CORE": {"max_inflight": 0}}})", "targets.CORE.max_inflight"},
        {R"({"targets": {"PAY": {"max_inflight": 1}}})", "targets.PAY.url"},
        {R"({"targets": {"": {"url": "http://127.0.0.1:1"}}})", "target name"},
        {R"({"targets": {"A\nB": {"url": "http://127.0.0.1:1"}}})", "target name"},
        {R"({"targets": {"CORE": {}, "CORE": {}}})", "CORE"},
    };
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    for (const Bad& bad : all) {
        INFO(bad.text);
        example::write_text_file(path, bad.text);
        const ShortRun run = run_hub({"--config", path.string()});
        CHECK(run.status == 2);
        CHECK(run.errors.find("hub.json") != std::string::npos);
        CHECK(run.errors.find(bad.named) != std::string::npos);
    }
}

TEST_CASE("RelayHub: whatever a config file holds, what is wrong with it is said in a line") {
    const auto targets = [](int count) {
        json all;
        for (int i = 0; i < count; ++i)
            all["targets"]["T" + std::to_string(i)] = {{"url", "http://127.0.0.1:1"}};
        return all.dump();
    };
    const std::string megabyte(1'000'000, 'k');
    const std::vector<Bad> all{
        {"{\"\xff\xfe\": 1}", "invalid string"},
        {R"({"a\nrelay_hub: all is well\u001b[2K": 1})", "unknown key"},
        {std::string{"{}\0{}", 5}, "zero byte"},
        {R"({"targets": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "64 deep"},
        {std::string(500'000, '['), "64 deep"},
        {"{\"" + megabyte + "\": 1}", "unknown key"},
        {R"({"listen": ")" + megabyte + "\"}", "HOST:PORT"},
        {R"({"breaker_log": ")" + megabyte + megabyte + "\"}", "larger than 1 MiB"},
        {targets(20'000), "20000 targets, 1000 at most"},
        {targets(10'000), "10000 targets, 1000 at most"},
        {targets(1'001), "1001 targets, 1000 at most"},
    };
    const example::TemporaryDirectory directory;
    const auto path = directory.path() / "hub.json";
    for (const Bad& bad : all) {
        INFO(bad.text.substr(0, 80));
        example::write_text_file(path, bad.text);
        const ShortRun run = run_hub({"--config", path.string()});
        CHECK(run.status == 2);
        CHECK(run.errors.find(bad.named) != std::string::npos);
        CHECK(run.errors.size() < 1'000);
        CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
        CHECK(run.errors.find('\x1b') == std::string::npos);
    }
    example::write_text_file(path, targets(1'000));
    const ShortRun together =
        run_hub({"--target", "CORE=http://127.0.0.1:1", "--config", path.string()});
    CHECK(together.status == 2);
    CHECK(together.errors.find("1001 targets with those") != std::string::npos);
    const ShortRun endless = run_hub({"--config", "/dev/zero"});
    CHECK(endless.status == 2);
    CHECK(endless.errors.find("/dev/zero: is larger than 1 MiB") != std::string::npos);
}

TEST_CASE("RelayHub: there may be many targets, but not too many") {
    Rig rig;
    json config{{"max_inflight", 1}};
    for (int i = 0; i < 998; ++i)
        config["targets"]["T" + std::to_string(i)] = {{"url", rig.target("CLAIM").url()}};
    rig.start_hub_with(config);
    CHECK(rig.call("T997").code() == "0000");
    CHECK(rig.call("T998").code() == "E404");
}

} // namespace tests::e2e_config_file
