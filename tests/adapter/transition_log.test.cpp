// SPDX-License-Identifier: MIT
#include <dashpot/adapter/transition_log.hpp>

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "adapter/log_support.hpp"
#include "guard/breaker_support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::adapter_transition_log {

using namespace std::chrono_literals;
using dashpot::State;
using dashpot::Transition;
using dashpot::TransitionLog;
using support::FileSizeLimit;
using support::open_files;
using support::opened;
using support::ScratchFile;

namespace {

constexpr std::chrono::sys_days end_of_november{std::chrono::year{2026} / 11 / 30};

TransitionLog::WallClock stopped_at(std::chrono::system_clock::time_point time) {
    return [time] { return time; };
}

std::string logged(std::chrono::system_clock::time_point time, std::string_view target,
                   const Transition& transition = opened) {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(time)};
    CHECK(log.append(target, transition));
    CHECK(log.lost() == 0);
    return file.text();
}

/// How many times this process has called write() and its kin; empty where nobody counts.
std::optional<std::uint64_t> writes_so_far() {
    std::ifstream io{"/proc/self/io"};
    std::string key;
    std::uint64_t value = 0;
    while (io >> key >> value) {
        if (key == "syscw:") return value;
    }
    return std::nullopt;
}

} // namespace

TEST_CASE("TransitionLog: writes time, target and states in one line", "[adapter]") {
    CHECK(logged(end_of_november + 8h + 15min + 30s + 42ms, "CORE") ==
          "2026-11-30T08:15:30.042Z|CORE|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: writes every state as it is called", "[adapter]") {
    const auto line = [](State from, State to) {
        return logged(end_of_november, "T", {.from = from, .to = to}).substr(25);
    };
    CHECK(line(State::open, State::half_open) == "T|OPEN->HALF_OPEN\n");
    CHECK(line(State::half_open, State::closed) == "T|HALF_OPEN->CLOSED\n");
    CHECK(line(State::closed, State::disabled) == "T|CLOSED->DISABLED\n");
    CHECK(line(State::disabled, State::forced_open) == "T|DISABLED->FORCED_OPEN\n");
}

TEST_CASE("TransitionLog: writes the time in UTC, whole milliseconds, never rounded up", "[adapter]") {
    const auto time = [](std::chrono::system_clock::time_point at) {
        return logged(at, "T").substr(0, 24);
    };
    CHECK(time(end_of_november) == "2026-11-30T00:00:00.000Z");
    CHECK(time(end_of_november + 24h - 1us) == "2026-11-30T23:59:59.999Z");
    CHECK(time(end_of_november + 24h) == "2026-12-01T00:00:00.000Z");
    CHECK(time(end_of_november + 999'999us) == "2026-11-30T00:00:00.999Z");
    CHECK(time(std::chrono::sys_days{std::chrono::year{2024} / 2 / 29} + 12h) ==
          "2024-02-29T12:00:00.000Z");
    CHECK(time(std::chrono::system_clock::time_point{}) == "1970-01-01T00:00:00.000Z");
    CHECK(time(std::chrono::system_clock::time_point{-1ms}) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("TransitionLog: a line is one line of three fields, whatever the target is called",
          "[adapter]") {
    const auto target = [](std::string_view name) {
        const std::string line = logged(end_of_november, name);
        CHECK(std::count(line.begin(), line.end(), '\n') == 1);
        CHECK(std::count(line.begin(), line.end(), '|') == 2);
        return line.substr(25, line.rfind('|') - 25);
    };
    using namespace std::string_view_literals;
    CHECK(target("CORE") == "CORE");
    CHECK(target("") == "");
    CHECK(target("a b") == "a b");
    CHECK(target("a|b") == "a\\x7Cb");
    CHECK(target("a\\b") == "a\\x5Cb");
    CHECK(target("a\nb\r\tc") == "a\\x0Ab\\x0D\\x09c");
    CHECK(target("a\0b"sv) == "a\\x00b");
    CHECK(target("\x1F \x7F") == "\\x1F \\x7F");
    CHECK(target("\\x0A") == "\\x5Cx0A"); // what looks escaped is told from what is
    CHECK(target("\xC3\xA9t\xC3\xA9") == "\xC3\xA9t\xC3\xA9");
}

TEST_CASE("TransitionLog: appends to what is there", "[adapter]") {
    const ScratchFile file;
    std::ofstream{file.path()} << "before\n";
    for (int i = 0; i != 2; ++i) {
        TransitionLog log{file.path(), stopped_at(end_of_november)};
        log("CORE", opened);
    }
    CHECK(file.text() == "before\n2026-11-30T00:00:00.000Z|CORE|CLOSED->OPEN\n"
                         "2026-11-30T00:00:00.000Z|CORE|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: reads the wall clock for each line", "[adapter]") {
    const ScratchFile file;
    std::chrono::system_clock::time_point now = end_of_november;
    TransitionLog log{file.path(), [&] { return now; }};
    log("CORE", opened);
    now -= 24h; // and may be set back
    log("CORE", opened);
    CHECK(file.text().substr(0, 10) == "2026-11-30");
    CHECK(file.text().substr(43, 10) == "2026-11-29");
}

TEST_CASE("TransitionLog: writes a line with one system call", "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    constexpr std::uint64_t lines = 50; // a sanitizer may write now and then, too
    const auto before = writes_so_far();
    for (std::uint64_t i = 0; i != lines; ++i) log("CORE", opened);
    const auto after = writes_so_far();
    if (before) {
        CHECK(*after - *before >= lines);
        CHECK(*after - *before < 2 * lines);
    }
    CHECK(file.text().size() == lines * 43);
}

TEST_CASE("TransitionLog: lines of several logs and threads do not mix", "[adapter]") {
    const ScratchFile file;
    TransitionLog one{file.path(), stopped_at(end_of_november)};
    TransitionLog other{file.path(), stopped_at(end_of_november)};
    {
        std::vector<std::jthread> threads;
        for (TransitionLog* log : {&one, &one, &other, &other}) {
            threads.emplace_back([log] {
                for (int i = 0; i != 200; ++i) log->append("CORE", opened);
            });
        }
    }
    std::istringstream lines{file.text()};
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        if (line != "2026-11-30T00:00:00.000Z|CORE|CLOSED->OPEN") FAIL(line);
    }
    CHECK(count == 800);
}

TEST_CASE("TransitionLog: a file that cannot be opened is an error that names it", "[adapter]") {
    const ScratchFile file;
    const std::string missing = file.path() + "/no/such/directory.log";
    try {
        const TransitionLog log{missing};
        FAIL("it was opened");
    } catch (const std::system_error& error) {
        CHECK(std::string{error.what()}.find(missing) != std::string::npos);
        CHECK(error.code() == std::errc::no_such_file_or_directory);
    }
    CHECK_THROWS_AS(TransitionLog{"/"}, std::system_error);
    CHECK_THROWS_AS(TransitionLog{""}, std::system_error);
}

TEST_CASE("TransitionLog: refuses an empty wall clock, and leaves no file open behind it",
          "[adapter]") {
    const ScratchFile file;
    const std::size_t before = open_files();
    CHECK_THROWS_WITH((TransitionLog{file.path(), nullptr}),
                      "TransitionLog: the wall clock must not be empty");
    CHECK(open_files() == before);
    { const TransitionLog log{file.path()}; }
    CHECK(open_files() == before);
}

TEST_CASE("TransitionLog: a full disk loses lines, counts them and throws nothing", "[adapter]") {
    TransitionLog log{"/dev/full", stopped_at(end_of_november)};
    CHECK(log.lost() == 0);
    CHECK_FALSE(log.append("CORE", opened));
    log("CORE", opened);
    CHECK(log.lost() == 2);
}

TEST_CASE("TransitionLog: a wall clock that throws loses the line and nothing else", "[adapter]") {
    const ScratchFile file;
    bool is_broken = true;
    TransitionLog log{file.path(), [&] {
                          if (is_broken) throw std::runtime_error{"no time"};
                          return std::chrono::system_clock::time_point{end_of_november};
                      }};
    CHECK_FALSE(log.append("CORE", opened));
    is_broken = false;
    CHECK(log.append("CORE", opened));
    CHECK(log.lost() == 1);
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|CORE|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: a torn line is counted, and the next begins on a line of its own",
          "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    REQUIRE(log.append("ONE", opened)); // 42 bytes
    bool was_written = true;
    bool was_written_again = true;
    {
        const FileSizeLimit disk{42 + 30};
        was_written = log.append("TWO", opened);
        was_written_again = log.append("THREE", opened);
    }
    CHECK_FALSE(was_written);
    CHECK_FALSE(was_written_again);
    CHECK(log.lost() == 2);
    CHECK(log.append("FOUR", opened));
    CHECK(log.append("FIVE", opened));
    CHECK(log.lost() == 2);
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|ONE|CLOSED->OPEN\n"
                         "2026-11-30T00:00:00.000Z|TWO|C\n"
                         "2026-11-30T00:00:00.000Z|FOUR|CLOSED->OPEN\n"
                         "2026-11-30T00:00:00.000Z|FIVE|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: a line that was lost whole leaves no empty one", "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    REQUIRE(log.append("ONE", opened));
    {
        const FileSizeLimit disk{42};
        log("TWO", opened);
    }
    CHECK(log.append("FOUR", opened));
    CHECK(log.lost() == 1);
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|ONE|CLOSED->OPEN\n"
                         "2026-11-30T00:00:00.000Z|FOUR|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: a line torn right before its end, or again and again, is ended once",
          "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    const rlim_t line = 42;
    {
        const FileSizeLimit disk{line - 1};
        log("ONE", opened); // all but the newline
    }
    {
        const FileSizeLimit disk{line};
        log("TWO", opened); // the newline that ends ONE, and no more
    }
    {
        const FileSizeLimit disk{line + 5};
        log("SIX", opened);
    }
    {
        const FileSizeLimit disk{line + 5 + 3};
        log("TEN", opened);
    }
    CHECK(log.append("END", opened));
    CHECK(log.lost() == 4);
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|ONE|CLOSED->OPEN\n"
                         "2026-\n"
                         "20\n"
                         "2026-11-30T00:00:00.000Z|END|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: a line torn by another process is ended by the next process that writes",
          "[adapter]") {
    const ScratchFile file;
    TransitionLog second{file.path(), stopped_at(end_of_november)};
    const pid_t child = ::fork();
    if (child == 0) {
        const FileSizeLimit disk{30};
        TransitionLog first{file.path(), stopped_at(end_of_november)};
        ::_exit(first.append("ONE", opened) ? 1 : 0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    CHECK(second.append("TWO", opened));
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|ONE|C\n"
                         "2026-11-30T00:00:00.000Z|TWO|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: in a pipe, a line of three fields gives the number of lines lost",
          "[adapter]") {
    support::Fifo fifo;
    fifo.join();
    TransitionLog log{fifo.path(), stopped_at(end_of_november)};
    fifo.leave();
    for (int i = 0; i != 3; ++i) CHECK_FALSE(log.append("ONE", opened));
    fifo.join();
    CHECK(log.append("TWO", opened));
    CHECK(log.lost() == 3);
    CHECK(fifo.read() == "2026-11-30T00:00:00.000Z||3 lines lost\n"
                         "2026-11-30T00:00:00.000Z|TWO|CLOSED->OPEN\n");
}

TEST_CASE("TransitionLog: listens to a registry", "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock> targets{
        {.policy = {.threshold = 1}, .breaker = {.reset_timeout = 10s}}, {}, clock};
    {
        const auto logging = targets.on_transition(std::ref(log));
        CHECK(targets.get("CORE")->try_enter().failure());
        clock.advance(10s);
        CHECK(targets.get("CORE")->try_enter().success());
        targets.get("CLAIM")->breaker().force_open();
    }
    targets.get("CLAIM")->breaker().reset();
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|CORE|CLOSED->OPEN\n"
                         "2026-11-30T00:00:00.000Z|CORE|OPEN->HALF_OPEN\n"
                         "2026-11-30T00:00:00.000Z|CORE|HALF_OPEN->CLOSED\n"
                         "2026-11-30T00:00:00.000Z|CLAIM|CLOSED->FORCED_OPEN\n");
}

TEST_CASE("TransitionLog: a file that was renamed keeps its lines, and the next make a new one",
          "[adapter]") {
    const ScratchFile file;
    TransitionLog log{file.path(), stopped_at(end_of_november)};
    log("ONE", opened);
    std::filesystem::rename(file.path(), file.path() + ".1");
    log("TWO", opened);
    CHECK_FALSE(log.reopen());
    log("THREE", opened);
    CHECK(file.text(".1") == "2026-11-30T00:00:00.000Z|ONE|CLOSED->OPEN\n"
                             "2026-11-30T00:00:00.000Z|TWO|CLOSED->OPEN\n");
    CHECK(file.text() == "2026-11-30T00:00:00.000Z|THREE|CLOSED->OPEN\n");
    CHECK(log.lost() == 0);
}

TEST_CASE("TransitionLog: is pinned where it is, and appending is noexcept", "[adapter]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<TransitionLog>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<TransitionLog>);
    STATIC_REQUIRE(noexcept(std::declval<TransitionLog&>().append(std::string_view{}, opened)));
    STATIC_REQUIRE(noexcept(std::declval<TransitionLog&>()(std::string_view{}, opened)));
}

} // namespace tests::adapter_transition_log
