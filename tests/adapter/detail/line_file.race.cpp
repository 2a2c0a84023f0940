// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/line_file.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
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
                    file.append([&] { return line; });
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

} // namespace tests::adapter_detail_line_file_race
