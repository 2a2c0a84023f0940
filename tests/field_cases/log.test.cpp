// SPDX-License-Identifier: MIT
// The log of transitions: whole lines from many threads, and no trouble of its own for the caller.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/adapter/transition_log.hpp>
#include <dashpot/registry/registry.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tests::field_cases_log {

using namespace field;
using Targets = Registry<ManualClock>;

namespace {

/// A file of this test's own, gone afterwards.
class Scratch {
  public:
    explicit Scratch(const std::string& name)
        : path_{std::filesystem::temp_directory_path() / (name + '.' + std::to_string(::getpid()))} {
        std::filesystem::remove(path_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() { std::filesystem::remove(path_); }

    std::string path() const { return path_.string(); }
    std::vector<std::string> lines() const {
        std::ifstream file{path_};
        std::vector<std::string> all;
        for (std::string line; std::getline(file, line);) all.push_back(line);
        return all;
    }

  private:
    std::filesystem::path path_;
};

/// "2026-11-30T08:15:30.042Z|NAME|FROM->TO": the name and the change; empty if it is not of that shape.
std::pair<std::string, std::string> fields(const std::string& line) {
    constexpr std::string_view shape = "dddd-dd-ddTdd:dd:dd.dddZ|";
    if (line.size() < shape.size()) return {};
    for (std::size_t i = 0; i != shape.size(); ++i) {
        const bool fits = shape[i] == 'd' ? line[i] >= '0' && line[i] <= '9' : line[i] == shape[i];
        if (!fits) return {};
    }
    const auto bar = line.find('|', shape.size());
    if (bar == std::string::npos || line.find('|', bar + 1) != std::string::npos) return {};
    return {line.substr(shape.size(), bar - shape.size()), line.substr(bar + 1)};
}

} // namespace

// apache/arrow#49433, tudasc/TypeART#84, badaix/aixlog#9
TEST_CASE(
    "TransitionLog: lines of many threads are whole, none is missing, and each target's are in order",
    "[long]") {
    constexpr std::size_t threads = 16;
    constexpr std::size_t transitions = 10'000;
    const Scratch file{"dashpot-log"};
    {
        TransitionLog log{file.path()};
        Targets targets;
        const auto subscription = targets.on_transition(std::ref(log));
        std::vector<std::jthread> running;
        for (std::size_t i = 0; i != threads; ++i) {
            running.emplace_back([&, i] {
                const auto target = targets.get("target-" + std::to_string(i));
                for (std::size_t turn = 0; turn != transitions / 2; ++turn) {
                    target->breaker().trip();
                    target->breaker().reset();
                }
            });
        }
        running.clear();
        CHECK(log.lost() == 0);
    }
    const auto lines = file.lines();
    CHECK(lines.size() == threads * transitions);
    std::map<std::string, std::size_t> heard;
    std::size_t torn = 0;
    std::size_t out_of_order = 0;
    for (const std::string& line : lines) {
        const auto [name, change] = fields(line);
        torn += name.empty() ? 1U : 0U;
        const char* const due = heard[name]++ % 2 == 0 ? "CLOSED->OPEN" : "OPEN->CLOSED";
        out_of_order += change == due ? 0U : 1U;
    }
    CHECK(torn == 0);
    CHECK(out_of_order == 0);
    CHECK(heard.size() == threads);
    for (const auto& [name, count] : heard) CHECK(count == transitions);
}

// apache/arrow#49433
TEST_CASE("TransitionLog: two logs of one file, as two processes have it, do not mix their lines") {
    const Scratch file{"dashpot-two-logs"};
    {
        TransitionLog one{file.path()};
        TransitionLog other{file.path()};
        std::vector<std::jthread> running;
        for (TransitionLog* const log : {&one, &other}) {
            running.emplace_back([log] {
                for (int i = 0; i != 2000; ++i)
                    log->append("CORE", {State::closed, State::open, 2, Reason::trip});
            });
        }
    }
    const auto lines = file.lines();
    CHECK(lines.size() == 4000);
    std::size_t torn = 0;
    for (const std::string& line : lines) {
        torn += fields(line) == std::pair<std::string, std::string>{"CORE", "CLOSED->OPEN"} ? 0U : 1U;
    }
    CHECK(torn == 0);
}

// badaix/aixlog#9
TEST_CASE("TransitionLog: a name cannot forge a line or a field") {
    using namespace std::string_literals;
    const auto name =
        GENERATE("a\nb"s, "a|CLOSED->OPEN"s, "\n2026-11-30T08:15:30.042Z|CORE|OPEN->CLOSED"s, "\r"s,
                 "\0"s, "\x1B[2J"s);
    const Scratch file{"dashpot-forged"};
    {
        TransitionLog log{file.path()};
        Targets targets;
        const auto subscription = targets.on_transition(std::ref(log));
        targets.get(name)->breaker().trip();
    }
    const auto lines = file.lines();
    REQUIRE(lines.size() == 1);
    CHECK(fields(lines.front()).second == "CLOSED->OPEN");
    for (const char c : lines.front()) CHECK((c >= 0x20 && c != 0x7F));
}

// denoland/std#6996
TEST_CASE("TransitionLog: a sink that fails costs its line, not the caller's result or anybody else's "
          "event") {
    const bool disk_is_full = GENERATE(false, true);
    if (disk_is_full && !std::filesystem::exists("/dev/full")) {
        SUCCEED("no full disk to be had here");
        return;
    }
    const Scratch file{"dashpot-failing"};
    TransitionLog log{disk_is_full ? "/dev/full" : file.path(),
                      [&]() -> std::chrono::system_clock::time_point {
                          if (!disk_is_full) throw std::runtime_error{"what time is it?"};
                          return {};
                      }};
    Targets targets{{.policy = {3}}};
    int heard = 0;
    const auto logging = targets.on_transition(std::ref(log));
    const auto counting = targets.on_transition([&](std::string_view, const Transition&) { ++heard; });
    const auto target = targets.get("CORE");
    for (int i = 0; i != 3; ++i) CHECK_THROWS_AS(target->call([] { throw Trouble{}; }), Trouble);
    CHECK(target->breaker().state() == State::open);
    CHECK(heard == 1);
    CHECK(log.lost() == 1);
}

// fabfuel/circuitbreaker#31, exaring/hoglet#25, yammer/circuitbox#193
TEST_CASE("TransitionLog: the wall clock set wrong changes what stands in the log, and nothing else") {
    using namespace std::chrono;
    const auto jump = GENERATE(hours{-24}, hours{24}, hours{24 * 365 * 50});
    const Scratch file{"dashpot-wall-clock"};
    system_clock::time_point wall{sys_days{year{2026} / 11 / 30} + 8h + 15min + 30s + 42ms};
    {
        TransitionLog log{file.path(), [&] { return wall; }};
        ManualClock clock{start};
        Targets targets{{.policy = {3}, .breaker = with_probes(1)}, {}, clock};
        const auto subscription = targets.on_transition(std::ref(log));
        const auto target = targets.get("CORE");
        for (int i = 0; i != 3; ++i) target->breaker().record_failure();
        REQUIRE(target->breaker().state() == State::open);
        wall += jump;
        clock.advance(1s);
        CHECK_FALSE(target->try_enter());
        CHECK(target->breaker().retry_after() == 9s);
        clock.advance(9s);
        CHECK(target->try_enter().success());
    }
    const auto lines = file.lines();
    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == "2026-11-30T08:15:30.042Z|CORE|CLOSED->OPEN");
    CHECK(lines[1].substr(0, 10) != lines[0].substr(0, 10));
    CHECK(fields(lines[1]).second == "OPEN->HALF_OPEN");
    CHECK(fields(lines[2]).second == "HALF_OPEN->CLOSED");
}

TEST_CASE("TransitionLog: an attempt to make one that is refused leaves no file open") {
    const std::filesystem::path open_files{"/proc/self/fd"};
    if (!std::filesystem::exists(open_files)) {
        SUCCEED("open files cannot be counted here");
        return;
    }
    const auto count = [&] {
        return std::distance(std::filesystem::directory_iterator{open_files},
                             std::filesystem::directory_iterator{});
    };
    const Scratch file{"dashpot-no-clock"};
    const auto before = count();
    for (int i = 0; i != 10; ++i) CHECK_THROWS(TransitionLog{file.path(), nullptr});
    for (int i = 0; i != 10; ++i) CHECK_THROWS(TransitionLog{file.path() + "/no/such/place"});
    CHECK(count() == before);
}

} // namespace tests::field_cases_log
