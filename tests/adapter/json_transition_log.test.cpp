// SPDX-License-Identifier: MIT
#include <dashpot/adapter/json_transition_log.hpp>

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::adapter_json_transition_log {

using namespace std::chrono_literals;
using dashpot::JsonTransitionLog;
using dashpot::Reason;
using dashpot::State;
using dashpot::Transition;
using support::FileSizeLimit;
using support::opened;
using support::ScratchFile;

namespace {

constexpr std::chrono::sys_days end_of_november{std::chrono::year{2026} / 11 / 30};

std::chrono::system_clock::time_point stopped() { return end_of_november + 8h + 42ms; }

std::string logged(std::string_view target, const Transition& transition = opened) {
    const ScratchFile file;
    JsonTransitionLog log{file.path(), stopped};
    CHECK(log.append(target, transition));
    CHECK(log.lost() == 0);
    return file.text();
}

/// The value of `target`, as it stands in the line.
std::string name_in_line(std::string_view target) {
    const std::string line = logged(target);
    constexpr std::string_view before = R"({"time":"2026-11-30T08:00:00.042Z","target":")";
    constexpr std::string_view after = R"(","from":"CLOSED")";
    REQUIRE(line.starts_with(before));
    const auto end = line.find(after, before.size());
    REQUIRE(end != std::string::npos);
    return line.substr(before.size(), end - before.size());
}

} // namespace

TEST_CASE("JsonTransitionLog: writes what happened, why, and the numbers", "[adapter]") {
    Transition transition{.from = State::closed,
                          .to = State::open,
                          .generation = 7,
                          .reason = Reason::failure_rate_and_slow_rate};
    transition.snapshot.calls = 20;
    transition.snapshot.failures = 11;
    transition.snapshot.slow = 5;
    transition.snapshot.failure_rate = 0.55;
    transition.snapshot.slow_rate = 0.25;
    transition.snapshot.refused = 3;
    transition.snapshot.retry_after = 9'999'000'001ns;
    CHECK(logged("CORE", transition) ==
          R"({"time":"2026-11-30T08:00:00.042Z","target":"CORE","from":"CLOSED","to":"OPEN",)"
          R"("reason":"failure_rate_and_slow_rate","generation":7,"calls":20,"failures":11,"slow":5,)"
          R"("failure_rate":0.55,"slow_rate":0.25,"refused":3,"retry_after_ms":10000})"
          "\n");
}

TEST_CASE("JsonTransitionLog: a rate that is not judged is null, and 0 is 0", "[adapter]") {
    Transition transition = opened;
    CHECK(logged("T", transition).find(R"("failure_rate":null,"slow_rate":null,)") !=
          std::string::npos);
    transition.snapshot.failure_rate = 0.0;
    transition.snapshot.slow_rate = 1.0;
    CHECK(logged("T", transition).find(R"("failure_rate":0,"slow_rate":1,)") != std::string::npos);
}

TEST_CASE("JsonTransitionLog: writes the greatest numbers in full", "[adapter]") {
    Transition transition = opened;
    transition.generation = std::numeric_limits<std::uint64_t>::max();
    transition.snapshot.failure_rate = 1.0 / 3;
    transition.snapshot.retry_after = std::chrono::nanoseconds::max();
    const std::string line = logged("T", transition);
    CHECK(line.find(R"("generation":18446744073709551615,)") != std::string::npos);
    CHECK(line.find(R"("failure_rate":0.3333333333333333,)") != std::string::npos);
    CHECK(line.find(R"("retry_after_ms":9223372036855})") != std::string::npos);
}

TEST_CASE("JsonTransitionLog: a line is JSON whatever the target is called", "[adapter]") {
    using namespace std::string_view_literals;
    CHECK(name_in_line("CORE") == "CORE");
    CHECK(name_in_line("") == "");
    CHECK(name_in_line(R"(a"b)") == R"(a\"b)");
    CHECK(name_in_line(R"(a\b)") == R"(a\\x5Cb)");
    CHECK(name_in_line(R"(a\xFF)") == R"(a\\x5CxFF)"); // what looks escaped is told from what is
    CHECK(name_in_line("a\nb\tc") == R"(a\u000Ab\u0009c)");
    CHECK(name_in_line("a\0b\x1F "sv) == R"(a\u0000b\u001F )");
    CHECK(name_in_line("\x7F|") == "\x7F|");
    CHECK(name_in_line("\xC3\xA9\xF0\x9F\x94\xA5") == "\xC3\xA9\xF0\x9F\x94\xA5");
    CHECK(name_in_line("\xC3") == R"(\\xC3)");
    CHECK(name_in_line("a\xFF\xFE") == R"(a\\xFF\\xFE)");
    CHECK(name_in_line("\xED\xA0\x80") == R"(\\xED\\xA0\\x80)"); // half of a surrogate pair
}

#if __has_include(<nlohmann/json.hpp>)
namespace {

/// The name that the log shows so.
std::string unescaped(std::string_view shown) {
    std::string name;
    for (; !shown.empty(); shown.remove_prefix(1)) {
        if (shown.front() != '\\') {
            name += shown.front();
            continue;
        }
        REQUIRE(shown.size() >= 4);
        REQUIRE(shown[1] == 'x');
        name += static_cast<char>(std::stoi(std::string{shown.substr(2, 2)}, nullptr, 16));
        shown.remove_prefix(3);
    }
    return name;
}

} // namespace

TEST_CASE("JsonTransitionLog: a parser reads every line, and every name as it was", "[adapter][long]") {
    const ScratchFile file;
    std::vector<std::string> names;
    std::mt19937 random{7};
    for (int i = 0; i != 2'000; ++i) {
        std::string name;
        for (auto length = random() % 12; length != 0; --length) {
            // Bytes that mean something are tried more often.
            constexpr std::string_view likely = "\"\\\n\r\t\x7F\xC3\xA9\xE2\x82\xAC\xFFua0 ";
            name += random() % 2 == 0 ? likely[random() % likely.size()]
                                      : static_cast<char>(random() % 256);
        }
        names.push_back(std::move(name));
    }
    {
        JsonTransitionLog log{file.path(), stopped};
        for (const std::string& name : names) REQUIRE(log.append(name, opened));
    }
    std::istringstream lines{file.text()};
    std::string line;
    std::size_t count = 0;
    for (; std::getline(lines, line); ++count) {
        const auto event = nlohmann::json::parse(line, nullptr, false);
        INFO(line);
        REQUIRE(event.is_object());
        CHECK(event.size() == 13);
        REQUIRE(count < names.size());
        const std::string& name = names[count];
        const auto read = event.at("target").get<std::string>();
        CHECK(unescaped(read) == name);
    }
    CHECK(count == names.size());
}
#endif

TEST_CASE("JsonTransitionLog: a full disk loses lines, counts them and throws nothing", "[adapter]") {
    JsonTransitionLog log{"/dev/full", stopped};
    CHECK_FALSE(log.append("CORE", opened));
    log("CORE", opened);
    CHECK(log.lost() == 2);
}

TEST_CASE("JsonTransitionLog: a torn line is counted, and the next begins on a line of its own",
          "[adapter]") {
    const ScratchFile file;
    JsonTransitionLog log{file.path(), stopped};
    {
        const FileSizeLimit disk{10};
        log("CORE", opened);
    }
    CHECK(log.append("CLAIM", opened));
    CHECK(log.lost() == 1);
    CHECK(file.text() == "{\"time\":\"2\n" + logged("CLAIM"));
}

TEST_CASE("JsonTransitionLog: is reopened as the log of lines is", "[adapter]") {
    const ScratchFile file;
    JsonTransitionLog log{file.path(), stopped};
    log("ONE", opened);
    std::filesystem::rename(file.path(), file.path() + ".1");
    CHECK_FALSE(log.reopen());
    log("TWO", opened);
    CHECK(file.text(".1") == logged("ONE"));
    CHECK(file.text() == logged("TWO"));
    std::filesystem::remove_all(file.directory());
    CHECK(log.reopen() == std::errc::no_such_file_or_directory);
    CHECK(log.append("THREE", opened));
}

TEST_CASE("JsonTransitionLog: refuses an empty wall clock and a path that cannot be opened",
          "[adapter]") {
    const ScratchFile file;
    CHECK_THROWS_WITH((JsonTransitionLog{file.path(), nullptr}),
                      "JsonTransitionLog: the wall clock must not be empty");
    CHECK_FALSE(std::filesystem::exists(file.path()));
    CHECK_THROWS_AS(JsonTransitionLog{"/"}, std::system_error);
}

TEST_CASE("JsonTransitionLog: in a pipe, an object gives the number of lines lost", "[adapter]") {
    support::Fifo fifo;
    fifo.join();
    JsonTransitionLog log{fifo.path(), stopped};
    fifo.leave();
    for (int i = 0; i != 3; ++i) CHECK_FALSE(log.append("ONE", opened));
    fifo.join();
    CHECK(log.append("TWO", opened));
    CHECK(log.lost() == 3);
    CHECK(fifo.read() ==
          "{\"time\":\"2026-11-30T08:00:00.042Z\",\"lost_lines\":3}\n" + logged("TWO", opened));
}

TEST_CASE("JsonTransitionLog: listens to a registry", "[adapter]") {
    const ScratchFile file;
    JsonTransitionLog log{file.path(), stopped};
    dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock> targets{
        {.policy = {.threshold = 2}, .breaker = {.reset_timeout = 10s}}, {}, clock};
    const auto logging = targets.on_transition(std::ref(log));
    for (int i = 0; i != 2; ++i) CHECK(targets.get("CORE")->try_enter().failure());
    CHECK_FALSE(targets.get("CORE")->try_enter());
    targets.get("CORE")->breaker().reset();
    constexpr std::string_view head = R"({"time":"2026-11-30T08:00:00.042Z","target":"CORE",)";
    CHECK(file.text() ==
          std::string{head} +
              R"("from":"CLOSED","to":"OPEN","reason":"consecutive_failures","generation":2,)"
              R"("calls":2,"failures":2,"slow":0,"failure_rate":null,"slow_rate":null,"refused":0,)"
              R"("retry_after_ms":10000})"
              "\n" +
              std::string{head} +
              R"("from":"OPEN","to":"CLOSED","reason":"reset","generation":3,)"
              R"("calls":0,"failures":0,"slow":0,"failure_rate":null,"slow_rate":null,"refused":1,)"
              R"("retry_after_ms":0})"
              "\n");
}

TEST_CASE("JsonTransitionLog: is pinned where it is, and appending is noexcept", "[adapter]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<JsonTransitionLog>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<JsonTransitionLog>);
    STATIC_REQUIRE(noexcept(std::declval<JsonTransitionLog&>()(std::string_view{}, opened)));
}

} // namespace tests::adapter_json_transition_log
