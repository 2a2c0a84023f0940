// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/temporary_directory.hpp"
#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <algorithm>
#include <utility>

namespace tests::e2e_options {

using namespace e2e;

TEST_CASE("RelayHub: a bad option is refused with its name and exit status 2") {
    const std::vector<Words> bad{
        {"--fail-threshold", "0"},
        {"--fail-threshold", "-1"},
        {"--fail-threshold", "2.5"},
        {"--fail-threshold", "many"},
        {"--fail-threshold", ""},
        {"--fail-threshold", "4294967296"},
        {"--fail-threshold", "99999999999999999999"},
        {"--reset-timeout", "0"},
        {"--reset-timeout", "-3"},
        {"--reset-timeout", "nan"},
        {"--reset-timeout", "inf"},
        {"--reset-timeout", "1e300"},
        {"--reset-timeout", "1e-300"},
        {"--reset-timeout", "10s"},
        {"--call-timeout", "0"},
        {"--call-timeout", "-0.5"},
        {"--call-timeout", "NaN"},
        {"--call-timeout", "100000"},
        {"--max-inflight", "0"},
        {"--max-inflight", "-10"},
        {"--max-inflight", "1001"},
        {"--history", "-1"},
        {"--history", "10001"},
        {"--listen", "nonsense"},
        {"--listen", "127.0.0.1"},
        {"--listen", "127.0.0.1:"},
        {"--listen", "127.0.0.1:70000"},
        {"--listen", "127.0.0.1:-1"},
        {"--listen", ":9200"},
        {"--listen", "[::1:9200"},
        {"--target", "CORE"},
        {"--target", "=http://127.0.0.1:9201"},
        {"--target", "CORE="},
        {"--target", "CORE=127.0.0.1:9201"},
        {"--target", "CORE=https://127.0.0.1:9201"},
        {"--target", "CORE=http://"},
        {"--target", "CORE=http://127.0.0.1:0"},
        {"--target", "CORE=http://127.0.0.1:99999"},
        {"--target", "CORE=http://127.0.0.1:9201/path"},
        {"--target", "CORE=http://user@127.0.0.1:9201"},
        {"--target", "CORE=http://no-such-host.invalid"},
        {"--target", "CO RE=http://127.0.0.1:9201"},
        {"--target", "CO|RE=http://127.0.0.1:9201"},
        {"--target", "CO\nRE=http://127.0.0.1:9201"},
        {"--target", std::string(65, 'X') + "=http://127.0.0.1:9201"},
        {"--target", "A=http://127.0.0.1:1", "--target", "A=http://127.0.0.1:2"},
        {"--target", "=http://127.0.0.1:9201"},
        {"--target", ".=http://127.0.0.1:9201"},
        {"--target", "..=http://127.0.0.1:9201"},
        {"--target", ""},
        {"--listen", ""},
        {"--reset-timeout", ""},
        {"--max-inflight", ""},
        {"--call-timeout", ""},
        {"--history", ""},
        {"--drain-time", ""},
        {"--drain-time", "-1"},
        {"--drain-time", "3601"},
        {"--breaker-log", ""},
        {"--event-log", ""},
        {"--config", ""},
        {"--config", "/no/such/file.json"},
        {"--config", "/"},
    };
    for (const Words& options : bad) {
        INFO(options.front() << " '" << options.back() << "'");
        const ShortRun run = run_hub(options);
        CHECK(run.status == 2);
        CHECK(run.errors.find(options.front()) != std::string::npos);
        CHECK(run.output.empty());
    }
}

TEST_CASE("Examples: an option with nothing behind its '=' does not take the next word for its value") {
    const std::vector<std::pair<std::string, Words>> all{
        {"relay_hub",
         {"--listen", "--target", "--fail-threshold", "--reset-timeout", "--max-inflight",
          "--call-timeout", "--history", "--breaker-log", "--event-log", "--drain-time", "--config",
          "--no-protection"}},
        {"target_simulator", {"--port", "--name"}},
        {"flaky_service", {"--listen", "--seed"}},
        {"breaker_drill", {"--url", "--out", "--open-wait", "--steps", "--seed"}},
        {"relay_demo", {"--help"}}};
    for (const auto& [name, options] : all) {
        for (const std::string& option : options) {
            for (const Words& words :
                 {Words{option + "=", "--version"}, Words{option + "=", "x"}, Words{option + "="}}) {
                INFO(name << " " << words.front() << " " << words.back());
                const ShortRun run = run_program(name, words);
                CHECK(run.status == 2);
                CHECK(run.errors.find(option + ": the value is empty") != std::string::npos);
                CHECK(run.output.empty());
            }
        }
    }
    const ShortRun run = run_hub({"--breaker-log=", "--no-protection"});
    CHECK(run.status == 2);
    CHECK(run.errors.find("--breaker-log: the value is empty") != std::string::npos);

    const ShortRun without = run_hub({"--breaker-log", "--no-protection"});
    CHECK(without.status == 2);
    CHECK(without.errors.find("--breaker-log: the value is missing") != std::string::npos);
}

TEST_CASE("TargetSimulator: a bad option is refused with its name, its range and exit status 2") {
    for (const std::string port :
         {"-1", "65536", "99999999999999999999", "0x50", "80 ", "1.5", "many", ""}) {
        INFO("'" << port << "'");
        const ShortRun run = run_program("target_simulator", {"--port", port});
        CHECK(run.status == 2);
        CHECK(run.errors.find("--port: '" + port + "' is not a whole number from 0 to 65535") !=
              std::string::npos);
    }
}

TEST_CASE("RelayHub: what is wrong with an option is one line of ASCII") {
    for (const Words& options : std::vector<Words>{{"--fail-threshold", "1\n2"},
                                                   {"--reset-timeout", "\x1b[31m"},
                                                   {"--listen", "a\nb:1"},
                                                   {"--target", "a\nb"},
                                                   {"--target", "a\nb=http://127.0.0.1:1"},
                                                   {"--target", "\xff=http://127.0.0.1:1"}}) {
        const ShortRun run = run_hub(options);
        INFO(run.errors);
        CHECK(run.status == 2);
        CHECK(run.errors.starts_with("relay_hub: " + options.front() + ": "));
        CHECK(std::count(run.errors.begin(), run.errors.end(), '\n') == 1);
        CHECK(std::all_of(run.errors.begin(), run.errors.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c <= '~'); }));
    }
}

TEST_CASE("RelayHub: what the config file gave is named with the file and the key") {
    const example::TemporaryDirectory directory;
    const std::string path = (directory.path() / "hub.json").string();
    const auto check = [&](const json& config, int status, const std::string& start) {
        example::write_text_file(path, config.dump());
        const ShortRun run = run_hub({"--config", path});
        INFO(run.errors);
        CHECK(run.status == status);
        CHECK(run.errors.starts_with("relay_hub: " + start));
    };
    const std::string key = path + ": ";
    const json url{{"url", "http://no-such-host.invalid"}};
    check({{"targets", {{"PAY", url}}}}, 2, key + "targets.PAY.url: no address for host");
    check({{"listen", "192.0.2.1:1"}}, 1, key + "listen: cannot listen on 192.0.2.1:1");
    check({{"breaker_log", "/no/such/log"}}, 1, key + "breaker_log: ");
    check({{"event_log", "/no/such/log"}}, 1, key + "event_log: ");
    for (const char* name : {"", ".", "..", "a b", "a/b", "\xC3\xA4"})
        check({{"targets", {{name, {{"url", "http://127.0.0.1:1"}}}}}}, 2,
              "--config: " + key + "targets.");
    for (const char* log : {"breaker_log", "event_log"}) {
        check({{log, ""}}, 2, "--config: " + key + log + ": must not be empty");
        check({{log, std::string{"a\0b", 3}}}, 2,
              "--config: " + key + log + ": must be the name of a file");
    }
    check({{"listen", ""}}, 2, "--config: " + key + "listen: ");
}

TEST_CASE("RelayHub: an unknown option is refused with exit status 2") {
    const ShortRun run = run_hub({"--no-such-option"});
    CHECK(run.status == 2);
    CHECK(run.errors.find("no-such-option") != std::string::npos);
    CHECK(run_hub({"stray"}).status == 2);
    CHECK(run_hub({"--fail-threshold"}).status == 2);
}

TEST_CASE("RelayHub: limits that need too many open files are refused by their name") {
    // A hub without targets needs 720: 72 threads with two each, 512 connections that wait, 64 to
    // spare.
    const ShortRun run = run_hub_with_open_files(739, {"--max-inflight", "5"});
    CHECK(run.status == 2);
    CHECK(run.errors == "relay_hub: --max-inflight, max_inflight: for all targets together 740 open "
                        "files are needed, the limit is 739\n");
    CHECK(run.output.empty());
    // With one more it gets as far as the address that it cannot listen on.
    const ShortRun enough =
        run_hub_with_open_files(740, {"--max-inflight", "5", "--listen", "192.0.2.1:1"});
    CHECK(enough.status == 1);
    CHECK(enough.errors.find("cannot listen on 192.0.2.1:1") != std::string::npos);
}

TEST_CASE("RelayHub: a system that allows fewer open files than any hub needs is no option's fault") {
    const ShortRun run = run_hub_with_open_files(700, {"--max-inflight", "1"});
    CHECK(run.status == 1);
    CHECK(run.errors == "relay_hub: 720 open files are needed, the limit is 700\n");
}

TEST_CASE("RelayHub: prints its options and its version") {
    const ShortRun help = run_hub({"--help"});
    CHECK(help.status == 0);
    for (const char* option :
         {"--listen", "127.0.0.1:9200", "--target", "CORE=http://127.0.0.1:9201",
          "CLAIM=http://127.0.0.1:9202", "--fail-threshold", "--reset-timeout", "--max-inflight",
          "--call-timeout", "--history", "--breaker-log", "breaker.log", "--config", "--no-protection"})
        CHECK(help.output.find(option) != std::string::npos);
    const ShortRun version = run_hub({"--version"});
    CHECK(version.status == 0);
    CHECK(version.output.find("relay_hub 0.") == 0);
}

TEST_CASE("Examples: each program prints its options and its version, and refuses others") {
    for (const std::string name :
         {"relay_hub", "relay_demo", "target_simulator", "flaky_service", "breaker_drill"}) {
        INFO(name);
        const ShortRun help = run_program(name, {"--help"});
        CHECK(help.status == 0);
        CHECK(help.output.find("Usage: " + name) != std::string::npos);
        CHECK(help.output.find("--version") != std::string::npos);
        const ShortRun version = run_program(name, {"--version"});
        CHECK(version.status == 0);
        CHECK(version.output.starts_with(name + " 0."));
        const ShortRun bad = run_program(name, {"--no-such-option"});
        CHECK(bad.status == 2);
        CHECK(bad.errors.find("no-such-option") != std::string::npos);
        CHECK(bad.output.empty());
    }
}

TEST_CASE("RelayHub: times may be fractions, and all options reach the targets") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "7", "--reset-timeout", "0.25", "--max-inflight", "3",
                   "--call-timeout", "1.5"});
    for (const char* target : {"CORE", "CLAIM"}) {
        const json report = rig.report(target);
        CHECK(report.at("fail_threshold") == 7);
        CHECK(report.at("reset_timeout") == 0.25);
        CHECK(report.at("max_inflight") == 3);
        CHECK(report.at("call_timeout") == 1.5);
    }
    CHECK(rig.health().at("threads_at_most") >= 6);
}

} // namespace tests::e2e_options
