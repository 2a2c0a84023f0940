// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/line_file.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <atomic>
#include <barrier>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tests::adapter_detail_line_file_race {

using dashpot::detail::LineFile;
using support::ScratchFile;

TEST_CASE("LineFile: rotated under load, it loses no line, doubles none and cuts none in two",
          "[race]") {
    constexpr int writers = 4;
    constexpr int lines_each = 2'000;
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    std::atomic<int> running = writers;
    int rotations = 0;
    {
        std::vector<std::jthread> threads;
        for (int writer = 0; writer != writers; ++writer) {
            threads.emplace_back([&, writer] {
                for (int i = 0; i != lines_each; ++i) {
                    // Some lines are longer than others: one that is cut in two shows.
                    const std::string line = std::to_string(writer) + ":" + std::to_string(i) + ":" +
                                             std::string(static_cast<std::size_t>(i % 97), 'x') + "\n";
                    file.append([&] { return line; }, [](std::uint64_t) { return std::string{}; });
                }
                --running;
            });
        }
        do {
            std::filesystem::rename(scratch.path(), scratch.path() + "." + std::to_string(rotations++));
            if (file.reopen()) FAIL("it was not reopened");
        } while (running != 0);
    }
    CHECK(file.lost() == 0);
    CHECK(rotations > 0);
    std::map<std::string, int> seen;
    for (const auto& entry : std::filesystem::directory_iterator{scratch.directory()}) {
        std::ifstream lines{entry.path(), std::ios::binary};
        for (std::string line; std::getline(lines, line);) {
            if (lines.eof()) FAIL("a line without an end: " + line);
            ++seen[line];
        }
    }
    CHECK(seen.size() == writers * lines_each);
    for (int writer = 0; writer != writers; ++writer) {
        for (int i = 0; i != lines_each; ++i) {
            const std::string line = std::to_string(writer) + ":" + std::to_string(i) + ":" +
                                     std::string(static_cast<std::size_t>(i % 97), 'x');
            if (seen[line] != 1) FAIL(line + ": " + std::to_string(seen[line]) + " times");
        }
    }
}

TEST_CASE("LineFile: what several logs of one file leave torn is ended once, whichever writes next",
          "[race]") {
    constexpr int writers = 4;
    constexpr int rounds = 200;
    const ScratchFile scratch;
    std::vector<std::unique_ptr<LineFile>> files;
    for (int writer = 0; writer != writers; ++writer)
        files.push_back(std::make_unique<LineFile>("Log", scratch.path()));
    const auto none = [](std::uint64_t) { return std::string{}; };
    for (int round = 0; round != rounds; ++round) {
        // A program that knows nothing of the others leaves a part of a line.
        std::ofstream{scratch.path(), std::ios::app | std::ios::binary} << "torn";
        std::barrier together{writers};
        std::vector<std::jthread> threads;
        for (const auto& file : files) {
            threads.emplace_back([&] {
                together.arrive_and_wait();
                file->append([] { return std::string{"line\n"}; }, none);
            });
        }
    }
    std::map<std::string, int> seen;
    std::ifstream lines{scratch.path(), std::ios::binary};
    for (std::string line; std::getline(lines, line);) ++seen[line];
    CHECK(seen == std::map<std::string, int>{{"line", writers * rounds}, {"torn", rounds}});
}

} // namespace tests::adapter_detail_line_file_race
