// SPDX-License-Identifier: MIT
// The files that changes of state are written to: what stands in them, rotation, and a full disk.
#include "process_limit.hpp"
#include "rig.hpp"

#include "../../examples/common/file_descriptor.hpp"
#include "../../examples/common/temporary_directory.hpp"
#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tests::e2e_logs {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
    const std::string text = example::read_text_file(path);
    CHECK((text.empty() || text.back() == '\n'));
    std::vector<std::string> result;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

std::vector<json> events_of(const std::filesystem::path& path) {
    std::vector<json> result;
    for (const std::string& line : lines_of(path)) {
        result.push_back(json::parse(line, nullptr, false));
        INFO(line);
        REQUIRE(result.back().is_object());
    }
    return result;
}

/// What the breaker log says of the same change.
std::string without_time(const json& event) {
    return event.at("target").get<std::string>() + "|" + event.at("from").get<std::string>() + "->" +
           event.at("to").get<std::string>();
}

} // namespace

TEST_CASE("RelayHub: the event log says why a circuit changed, and on which numbers") {
    Rig rig;
    const auto path = rig.directory() / "events.jsonl";
    rig.start_hub({"--event-log", path.string(), "--fail-threshold", "2", "--reset-timeout", "0.05"});
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 2; ++i) CHECK(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "normal"}});
    REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
    REQUIRE(rig.command("CLAIM", "force-open").status == 200);

    const std::vector<json> events = events_of(path);
    REQUIRE(events.size() == 4);
    json opening = events[0];
    CHECK(opening.at("time").get<std::string>().ends_with("Z"));
    opening.erase("time");
    CHECK(opening == json{{"target", "CORE"},
                          {"from", "CLOSED"},
                          {"to", "OPEN"},
                          {"reason", "consecutive_failures"},
                          {"generation", 2},
                          {"calls", 2},
                          {"failures", 2},
                          {"slow", 0},
                          {"failure_rate", nullptr},
                          {"slow_rate", nullptr},
                          {"refused", 0},
                          {"retry_after_ms", 50}});
    CHECK(events[1].at("reason") == "reset_timeout");
    CHECK(events[2].at("reason") == "probes_succeeded");
    CHECK(events[3].at("reason") == "force_open");
    const std::vector<std::string> lines = lines_of(rig.log());
    REQUIRE(lines.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(lines[i].substr(25) == without_time(events[i]));
}

TEST_CASE("RelayHub: SIGHUP goes on in new logs, and rotation under load loses and doubles nothing") {
    Rig rig;
    const auto events_path = rig.directory() / "events.jsonl";
    rig.start_hub_with({{"event_log", events_path.string()}});
    // The first answer fills statics of httplib, whose guards ThreadSanitizer does not see: not in
    // threads.
    REQUIRE(rig.report("CORE").at("state") == "CLOSED");
    constexpr int changes = 400;
    std::atomic<int> running = 2;
    std::vector<std::jthread> operators;
    for (const char* target : {"CORE", "CLAIM"}) {
        operators.emplace_back([&, target] {
            example::JsonClient client{rig.hub().port(), example::JsonClient::KeepAlive::yes};
            for (int i = 0; i < changes; ++i)
                client.post(std::string{"/targets/"} + target + (i % 2 == 0 ? "/disable" : "/reset"),
                            "{}", Rig::control());
            --running;
        });
    }
    std::vector<std::filesystem::path> logs{rig.log()};
    std::vector<std::filesystem::path> event_logs{events_path};
    const auto exists = [&] {
        return std::filesystem::exists(rig.log()) && std::filesystem::exists(events_path);
    };
    while (running != 0) {
        const std::string suffix = "." + std::to_string(logs.size());
        logs.emplace_back(rig.log().string() + suffix);
        event_logs.emplace_back(events_path.string() + suffix);
        std::filesystem::rename(rig.log(), logs.back());
        std::filesystem::rename(events_path, event_logs.back());
        rig.hub().process().send_signal(SIGHUP);
        REQUIRE(eventually(exists));
    }
    operators.clear();
    REQUIRE(logs.size() > 2);

    std::map<std::string, std::size_t> seen;
    for (const auto& path : logs)
        for (const std::string& line : lines_of(path)) ++seen[line.substr(25)];
    for (const char* target : {"CORE", "CLAIM"}) {
        CHECK(seen[std::string{target} + "|CLOSED->DISABLED"] == changes / 2);
        CHECK(seen[std::string{target} + "|DISABLED->CLOSED"] == changes / 2);
    }
    CHECK(seen.size() == 4);
    // Each change has a generation of its own.
    std::map<std::pair<std::string, std::uint64_t>, int> generations;
    for (const auto& path : event_logs)
        for (const json& event : events_of(path))
            ++generations[{event.at("target"), event.at("generation")}];
    CHECK(generations.size() == 2 * changes);
    for (const auto& [change, times] : generations) CHECK(times == 1);
    CHECK(rig.health().at("lost_log_lines") == 0);
    CHECK(rig.health().at("lost_event_lines") == 0);
    CHECK(rig.hub_errors().empty());
    CHECK(rig.hub().stop(30s) == 0);
}

TEST_CASE("RelayHub: a log that cannot be reopened is said, and goes on as it was") {
    Rig rig;
    rig.start_hub({"--event-log", (rig.directory() / "events.jsonl").string()});
    REQUIRE(rig.command("CORE", "disable").status == 200);
    std::filesystem::rename(rig.log(), rig.directory() / "moved");
    std::filesystem::create_directory(rig.log());
    rig.hub().process().send_signal(SIGHUP);
    REQUIRE(eventually([&] { return !rig.hub_errors().empty(); }));
    CHECK(rig.hub_errors().find("cannot reopen " + rig.log().string() + ": Is a directory") !=
          std::string::npos);
    REQUIRE(rig.command("CORE", "reset").status == 200);
    CHECK(lines_of(rig.directory() / "moved").size() == 2);
    CHECK(rig.health().at("lost_log_lines") == 0);
}

TEST_CASE("RelayHub: an event log on a full disk stops nothing, and its lines are counted apart") {
    Rig rig;
    rig.start_hub({"--event-log", "/dev/full"});
    for (int i = 0; i < 2; ++i) {
        REQUIRE(rig.command("CORE", "disable").status == 200);
        REQUIRE(rig.command("CORE", "reset").status == 200);
    }
    CHECK(rig.health().at("lost_event_lines") == 4);
    CHECK(rig.health().at("lost_log_lines") == 0);
    CHECK(lines_of(rig.log()).size() == 4);
    const std::string errors = rig.hub_errors();
    CHECK(errors.find("/dev/full") != std::string::npos);
    CHECK(errors.find("/dev/full") == errors.rfind("/dev/full"));
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: an event log that cannot be one is an error at the start") {
    const Words port{"--listen", "127.0.0.1:0"};
    const auto with = [&](Words options) {
        options.insert(options.end(), port.begin(), port.end());
        return run_hub(options);
    };
    const ShortRun no_directory = with({"--event-log", "/no/such/directory/events"});
    CHECK(no_directory.status == 1);
    CHECK(no_directory.errors.find("/no/such/directory/events") != std::string::npos);
    CHECK(no_directory.errors.starts_with("relay_hub: --event-log: "));
    CHECK(with({"--event-log", ""}).status == 2);
}

TEST_CASE("RelayHub: both logs in one file, or one in the config file, is an error that names both") {
    const example::TemporaryDirectory directory;
    const auto at = [&](const std::string& name) { return (directory.path() / name).string(); };
    example::write_text_file(at("one.log"), "");
    std::filesystem::create_symlink("one.log", at("symbolic.log"));
    std::filesystem::create_hard_link(at("one.log"), at("hard.log"));
    std::filesystem::create_symlink("new.log", at("dangling.log"));
    const auto check = [&](const Words& options, const std::string& message) {
        Words all{"--listen", "127.0.0.1:0"};
        all.insert(all.end(), options.begin(), options.end());
        const ShortRun run = run_hub(all);
        INFO(run.errors);
        CHECK(run.status == 2);
        CHECK(run.errors == "relay_hub: " + message + "\n");
        CHECK(run.output.empty());
    };
    for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
             {at("one.log"), at("one.log")},
             {at("one.log"), at("./one.log")},
             {at("one.log"), at("symbolic.log")},
             {at("hard.log"), at("symbolic.log")},
             {at("new.log"), at("dangling.log")},
             {at("dangling.log"), directory.path().string() + "//new.log"}})
        check({"--breaker-log", one, "--event-log", other},
              "--event-log, --breaker-log: " + other + " and " + one + " are one file");
    const std::string config = at("hub.json");
    example::write_text_file(config, json{{"event_log", at("one.log")}}.dump());
    check({"--config", config, "--breaker-log", at("hard.log")},
          config + ": event_log, --breaker-log: " + at("one.log") + " and " + at("hard.log") +
              " are one file");
    const std::string before = json{{"breaker_log", at("./hub.json")}}.dump();
    example::write_text_file(config, before);
    check({"--config", config},
          config + ": breaker_log, --config: " + at("./hub.json") + " and " + config + " are one file");
    CHECK(example::read_text_file(config) == before);
}

TEST_CASE("RelayHub: both logs may go to /dev/null") {
    Rig rig;
    rig.start_hub({"--event-log", "/dev/null"}, "/dev/null");
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: a log that is a FIFO without a reader is an error at the start") {
    const example::TemporaryDirectory directory;
    const std::string fifo = (directory.path() / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    for (const char* option : {"--breaker-log", "--event-log"}) {
        const ShortRun run = run_hub({"--listen", "127.0.0.1:0", option, fifo});
        INFO(run.errors);
        CHECK(run.status == 1);
        CHECK(run.errors.starts_with("relay_hub: " + std::string{option} + ": "));
        CHECK(run.errors.find("\"" + fifo + "\", a FIFO that no process has open for reading") !=
              std::string::npos);
    }
}

TEST_CASE("RelayHub: a log whose reader leaves or stops reading holds no caller and no signal") {
    Rig rig;
    const std::string fifo = (rig.directory() / "fifo").string();
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const auto open_reader = [&] {
        return example::FileDescriptor{::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    };
    example::FileDescriptor reader = open_reader();
    rig.start_hub({}, fifo);
    const auto lost = [&] { return rig.health().at("lost_log_lines").get<int>(); };
    const auto read_all = [&] {
        std::string text;
        std::array<char, 65536> part{};
        for (ssize_t size = 0; (size = ::read(reader.get(), part.data(), part.size())) > 0;)
            text.append(part.data(), static_cast<std::size_t>(size));
        return text;
    };
    SECTION("it stops reading") {
        REQUIRE(::fcntl(reader.get(), F_SETPIPE_SZ, 4096) == 4096);
        for (int i = 0; lost() < 10; ++i) {
            REQUIRE(i < 200);
            REQUIRE(rig.command("CORE", "disable").status == 200);
            REQUIRE(rig.command("CORE", "reset").status == 200);
        }
        CHECK(rig.call("CORE").code() == "0000");
        const int lost_lines = lost();
        CHECK(read_all().ends_with("\n"));
        REQUIRE(rig.command("CORE", "disable").status == 200);
        const std::string text = read_all();
        INFO(text);
        CHECK(text.substr(24, text.find('\n') - 24) ==
              "||" + std::to_string(lost_lines) + " lines lost");
        CHECK(text.ends_with("|CORE|CLOSED->DISABLED\n"));
        CHECK(lost() == lost_lines);
    }
    SECTION("it leaves") {
        reader.close();
        REQUIRE(rig.command("CORE", "disable").status == 200);
        CHECK(lost() == 1);
        rig.hub().process().send_signal(SIGHUP);
        REQUIRE(eventually([&] {
            return rig.hub_errors().find("--breaker-log: cannot reopen " + fifo) != std::string::npos;
        }));
        reader = open_reader();
        REQUIRE(rig.command("CORE", "reset").status == 200);
        const std::string text = read_all();
        CHECK(text.find("||1 lines lost\n") != std::string::npos);
        CHECK(text.ends_with("|CORE|DISABLED->CLOSED\n"));
        reader.close();
        rig.hub().process().send_signal(SIGHUP);
    }
    CHECK(rig.hub().stop(5s) == 0);
}

TEST_CASE("RelayHub: a log at its size limit is as one on a full disk") {
    Rig rig;
    const auto events = rig.directory() / "events.jsonl";
    rig.start_hub({"--event-log", events.string()});
    REQUIRE(rig.command("CORE", "disable").status == 200);
    const auto size = std::filesystem::file_size(events);
    const rlimit before = limit_of(rig.hub().process().id(), RLIMIT_FSIZE);
    // For both logs, and for standard error, which is a file here.
    set_limit(rig.hub().process().id(), RLIMIT_FSIZE, {size + 20, before.rlim_max});
    for (int i = 0; i < 20; ++i) {
        REQUIRE(rig.command("CORE", "reset").status == 200);
        REQUIRE(rig.command("CORE", "disable").status == 200);
    }
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.health().at("lost_event_lines") == 40);
    CHECK(rig.health().at("lost_log_lines").get<int>() > 20);
    const std::string errors = rig.hub_errors();
    CHECK(errors.find("lines are being lost") != std::string::npos);
    set_limit(rig.hub().process().id(), RLIMIT_FSIZE, before);
    REQUIRE(rig.command("CORE", "reset").status == 200);
    const auto lines = lines_of(events);
    CHECK(lines.size() == 3); // the second was torn
    CHECK(json::parse(lines.back(), nullptr, false).is_object());
    CHECK(rig.hub().stop(5s) == 0);
}

} // namespace tests::e2e_logs
