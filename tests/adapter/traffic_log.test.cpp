// SPDX-License-Identifier: MIT
#include <dashpot/adapter/traffic_log.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tests::adapter_traffic_log {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::TrafficLog;
using dashpot::TrafficLogOptions;
using support::FileSizeLimit;
using support::ScratchFile;

namespace {

constexpr std::chrono::sys_days end_of_november{std::chrono::year{2026} / 11 / 30};

std::chrono::system_clock::time_point stopped() { return end_of_november + 8h + 15min + 30s + 42123us; }

const std::string first_line =
    R"({"time":"2026-11-30T08:15:30.042123Z","target":"CORE","outcome":"success","elapsed_ms":12.345,)"
    "\"in_flight\":3}\n";

long lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

/// Records calls until the buffer is full, and one more.
std::size_t fill(TrafficLog& log) {
    std::size_t recorded = 0;
    while (log.record("CORE", Outcome::success, 1ms, 1)) ++recorded;
    return recorded;
}

} // namespace

TEST_CASE("TrafficLog: one line per call, in the form that whatif reads", "[adapter]") {
    const ScratchFile file;
    {
        TrafficLog log{file.path(), {}, stopped};
        CHECK(log.record("CORE", Outcome::success, 12'345us, 3));
        CHECK(log.record("CORE", Outcome::failure, 2s, 1));
        CHECK(log.record("PAY", Outcome::ignored, 0s, 1));
        CHECK(log.record_refused("PAY", 7));
        CHECK(log.dropped() == 0);
    }
    const std::string before = R"({"time":"2026-11-30T08:15:30.042123Z","target":)";
    CHECK(file.text() ==
          first_line + before +
              "\"CORE\",\"outcome\":\"failure\",\"elapsed_ms\":2000.000,\"in_flight\":1}\n" + before +
              "\"PAY\",\"outcome\":\"ignored\",\"elapsed_ms\":0.000,\"in_flight\":1}\n" + before +
              "\"PAY\",\"outcome\":\"refused\",\"elapsed_ms\":0.000,\"in_flight\":7}\n");
}

TEST_CASE("TrafficLog: lines wait until 4096 bytes wait, or for flush()", "[adapter]") {
    const ScratchFile file;
    TrafficLog log{file.path(), {}, stopped};
    log.record("CORE", Outcome::success, 12'345us, 3);
    CHECK(file.text().empty());
    log.flush();
    CHECK(file.text() == first_line);
    const std::size_t few = 4095 / first_line.size();
    for (std::size_t i = 0; i != few; ++i) log.record("CORE", Outcome::success, 12'345us, 3);
    CHECK(file.text() == first_line);
    log.record("CORE", Outcome::success, 12'345us, 3);
    CHECK(lines_of(file.text()) == static_cast<long>(few) + 2);
}

TEST_CASE("TrafficLog: a line that is old is written with the next call", "[adapter]") {
    const ScratchFile file;
    auto now = stopped();
    TrafficLog log{file.path(), {.flush_after = 1s}, [&] { return now; }};
    log.record("CORE", Outcome::success, 1ms, 1);
    now += 1s - 1us;
    log.record("CORE", Outcome::success, 1ms, 1);
    CHECK(file.text().empty());
    now += 1us;
    log.record("CORE", Outcome::success, 1ms, 1);
    CHECK(lines_of(file.text()) == 3);
    now -= 1h; // the clock may be set back
    log.record("CORE", Outcome::success, 1ms, 1);
    now -= 1h;
    log.record("CORE", Outcome::success, 1ms, 1);
    CHECK(lines_of(file.text()) == 5);
}

TEST_CASE("TrafficLog: flush_after 0 writes each line at once", "[adapter]") {
    const ScratchFile file;
    TrafficLog log{file.path(), {.flush_after = 0s}, stopped};
    log.record("CORE", Outcome::success, 12'345us, 3);
    CHECK(file.text() == first_line);
}

TEST_CASE("TrafficLog: a rotation by renaming loses no line", "[adapter]") {
    const ScratchFile file;
    TrafficLog log{file.path(), {}, stopped};
    log.record("CORE", Outcome::success, 12'345us, 3);
    std::filesystem::rename(file.path(), file.path() + ".1");
    CHECK_FALSE(log.reopen());
    log.record("CORE", Outcome::success, 12'345us, 3);
    log.flush();
    CHECK(file.text(".1") == first_line);
    CHECK(file.text() == first_line);
}

TEST_CASE("TrafficLog: what a full file does not take is counted, and shown in the log", "[adapter]") {
    const ScratchFile file;
    TrafficLog log{file.path(), {}, stopped};
    log.record("CORE", Outcome::success, 12'345us, 3);
    log.flush();
    {
        const FileSizeLimit limit{first_line.size()};
        for (int i = 0; i != 5; ++i) log.record("CORE", Outcome::success, 12'345us, 3);
        log.flush();
        CHECK(log.dropped() == 5);
    }
    CHECK(file.text() == first_line);
    log.record("CORE", Outcome::success, 12'345us, 3);
    log.flush();
    CHECK(log.dropped() == 5);
    CHECK(file.text() == first_line + first_line +
                             R"({"time":"2026-11-30T08:15:30.042123Z","target":"","outcome":"dropped",)"
                             "\"elapsed_ms\":0,\"in_flight\":0,\"dropped\":5}\n");
}

TEST_CASE("TrafficLog: while one thread writes, a buffer that is full drops lines and counts them",
          "[adapter]") {
    const ScratchFile file;
    TrafficLog* log_in_use = nullptr;
    std::size_t recorded = 0;
    bool is_writing = false;
    // The wall clock is read for the line about dropped lines, while the log writes: other calls that
    // are recorded meanwhile fill the buffer.
    const auto clock = [&] {
        if (std::exchange(is_writing, false)) {
            std::jthread{[&] { recorded = fill(*log_in_use); }}.join();
        }
        return stopped();
    };
    {
        TrafficLog log{file.path(), {.buffer_size = 4096, .flush_after = 1h}, clock};
        log_in_use = &log;
        {
            const FileSizeLimit limit{0};
            log.record("CORE", Outcome::success, 1ms, 1);
            is_writing = true;
            log.flush();
        }
        CHECK(recorded > 20);
        CHECK(log.dropped() == 2); // one that the file did not take, one without room
    }
    const std::string text = file.text();
    CHECK(lines_of(text) == static_cast<long>(recorded) + 1);
    CHECK(text.ends_with("\"dropped\":2}\n"));
}

TEST_CASE("TrafficLog: lines of several threads are all there, each whole", "[adapter]") {
    const ScratchFile file;
    constexpr int each = 2'000;
    {
        TrafficLog log{file.path()};
        std::vector<std::jthread> threads;
        for (int t = 0; t != 4; ++t) {
            threads.emplace_back([&] {
                for (int i = 0; i != each; ++i) log.record("CORE", Outcome::success, 1ms, 1);
            });
        }
        threads.clear();
        CHECK(log.dropped() == 0);
    }
    std::istringstream text{file.text()};
    int whole = 0;
    for (std::string line; std::getline(text, line);)
        if (line.starts_with("{\"time\":\"") && line.ends_with("\"in_flight\":1}")) ++whole;
    CHECK(whole == 4 * each);
}

TEST_CASE("TrafficLog: begin() measures a call, and records it once", "[adapter]") {
    const ScratchFile file;
    {
        TrafficLog log{file.path(), {}, stopped};
        auto failed = log.begin("CORE", 2);
        failed.record(Outcome::failure);
        failed.record(Outcome::success);
        auto refused = log.begin("CORE", 3);
        refused.refused();
        auto moved = log.begin("CORE", 4);
        const auto forgotten = std::move(moved);
    }
    const std::string text = file.text();
    CHECK(lines_of(text) == 3);
    CHECK(text.find(R"("outcome":"failure")") < text.find(R"("outcome":"refused")"));
    CHECK(text.find(R"("outcome":"ignored")") != std::string::npos);
    CHECK(text.find("\"in_flight\":4}") != std::string::npos);
}

TEST_CASE("TrafficLog: a wall clock that throws costs its line alone", "[adapter]") {
    const ScratchFile file;
    bool throws = true;
    TrafficLog log{file.path(), {}, [&] {
                       if (throws) throw std::runtime_error{"no time"};
                       return stopped();
                   }};
    CHECK_FALSE(log.record("CORE", Outcome::success, 1ms, 1));
    throws = false;
    CHECK(log.record("CORE", Outcome::success, 1ms, 1));
    CHECK(log.dropped() == 1);
    throws = true;
    log.flush(); // the line about the dropped one has no time, and must wait
    CHECK(lines_of(file.text()) == 1);
    throws = false;
    log.flush();
    CHECK(file.text().ends_with("\"dropped\":1}\n"));
}

TEST_CASE("TrafficLog: refuses options out of range, and a file that cannot be opened", "[adapter]") {
    CHECK_THROWS_WITH((TrafficLogOptions{.buffer_size = 4095}.validate()),
                      "TrafficLogOptions::buffer_size is 4095, must be 4096 bytes or more");
    CHECK_THROWS_AS((TrafficLogOptions{.flush_after = -1ns}.validate()), std::invalid_argument);
    CHECK_NOTHROW((TrafficLogOptions{.buffer_size = 4096, .flush_after = 0s}.validate()));
    CHECK_THROWS_AS(TrafficLog("/nowhere/traffic.jsonl"), std::system_error);
    std::ostringstream text;
    text << TrafficLogOptions{};
    CHECK(text.str() == "TrafficLogOptions{.buffer_size = 1048576, .flush_after = 1s}");
}

} // namespace tests::adapter_traffic_log
