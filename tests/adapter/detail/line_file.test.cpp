// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/line_file.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace tests::adapter_detail_line_file {

using dashpot::detail::LineFile;
using support::Fifo;
using support::FileSizeLimit;
using support::open_files;
using support::ScratchFile;

namespace {

bool append(LineFile& file, const std::string& line) {
    return file.append([&] { return line + "\n"; },
                       [](std::uint64_t lost) { return "lost " + std::to_string(lost) + "\n"; });
}

/// Fills the pipe. @return how many lines were written
std::uint64_t fill(LineFile& file, const std::string& line) {
    std::uint64_t written = 0;
    while (append(file, line)) ++written;
    return written;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

} // namespace

TEST_CASE("LineFile: appends lines to what is there", "[adapter]") {
    const ScratchFile scratch;
    std::ofstream{scratch.path()} << "before\n";
    {
        LineFile file{"Log", scratch.path()};
        CHECK(append(file, "one"));
        CHECK(append(file, "two"));
        CHECK(file.lost() == 0);
    }
    CHECK(scratch.text() == "before\none\ntwo\n");
}

TEST_CASE("LineFile: a file that cannot be opened is an error of its owner", "[adapter]") {
    CHECK_THROWS_WITH((LineFile{"Log", "/no/such/file"}),
                      "Log: cannot open \"/no/such/file\": No such file or directory");
}

TEST_CASE("LineFile: a line that cannot be made is lost, and nothing is thrown", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    CHECK_FALSE(file.append([]() -> std::string { throw std::runtime_error{"no line"}; },
                            [](std::uint64_t) { return std::string{}; }));
    CHECK(append(file, "two"));
    CHECK(file.lost() == 1);
    CHECK(scratch.text() == "two\n");
}

TEST_CASE("LineFile: reopened after a rename, it writes to a file of the old name", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    append(file, "one");
    std::filesystem::rename(scratch.path(), scratch.path() + ".1");
    append(file, "two");
    const std::size_t before = open_files();
    CHECK_FALSE(file.reopen());
    CHECK(open_files() == before);
    append(file, "three");
    CHECK(scratch.text(".1") == "one\ntwo\n");
    CHECK(scratch.text() == "three\n");
}

TEST_CASE("LineFile: reopened after a removal, it makes the file again", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    append(file, "one");
    std::filesystem::remove(scratch.path());
    CHECK_FALSE(file.reopen());
    CHECK(append(file, "two"));
    CHECK(scratch.text() == "two\n");
}

TEST_CASE("LineFile: reopened without need, it goes on where it was", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    for (int i = 0; i != 3; ++i) {
        append(file, "line");
        CHECK_FALSE(file.reopen());
    }
    CHECK(scratch.text() == "line\nline\nline\n");
}

TEST_CASE("LineFile: what cannot be reopened is said, and the old file goes on", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    append(file, "one");
    std::filesystem::rename(scratch.path(), scratch.path() + ".1");
    std::filesystem::create_directory(scratch.path()); // a directory is in the way
    const std::size_t before = open_files();
    CHECK(file.reopen() == std::errc::is_a_directory);
    CHECK(open_files() == before);
    CHECK(append(file, "two"));
    CHECK(file.lost() == 0);
    CHECK(scratch.text(".1") == "one\ntwo\n");
    std::filesystem::remove(scratch.path());
    CHECK_FALSE(file.reopen());
    CHECK(append(file, "three"));
    CHECK(scratch.text() == "three\n");
}

TEST_CASE("LineFile: a torn line is ended in the file that it is in, and in no other", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    {
        const FileSizeLimit disk{3};
        append(file, "first");
    }
    CHECK(file.lost() == 1);
    SECTION("the same file, opened anew") {
        CHECK_FALSE(file.reopen());
        append(file, "second");
        CHECK(scratch.text() == "fir\nsecond\n");
    }
    SECTION("another file") {
        std::filesystem::rename(scratch.path(), scratch.path() + ".1");
        CHECK_FALSE(file.reopen());
        append(file, "second");
        CHECK(scratch.text(".1") == "fir");
        CHECK(scratch.text() == "second\n");
    }
}

TEST_CASE("LineFile: the line that an earlier process left torn is ended first", "[adapter]") {
    const ScratchFile scratch;
    std::ofstream{scratch.path()} << "before\nto";
    LineFile file{"Log", scratch.path()};
    append(file, "one");
    CHECK(scratch.text() == "before\nto\none\n");
    // So in a file that comes to be of this name.
    std::filesystem::remove(scratch.path());
    std::ofstream{scratch.path()} << "o";
    CHECK_FALSE(file.reopen());
    append(file, "two");
    append(file, "three");
    CHECK(scratch.text() == "o\ntwo\nthree\n");
    // An empty one has no line to end.
    std::filesystem::remove(scratch.path());
    CHECK_FALSE(file.reopen());
    append(file, "four");
    CHECK(scratch.text() == "four\n");
}

TEST_CASE("LineFile: the line that another log of the same file left torn is ended first",
          "[adapter]") {
    const ScratchFile scratch;
    LineFile one{"Log", scratch.path()};
    LineFile other{"Log", scratch.path()};
    {
        const FileSizeLimit disk{3};
        CHECK_FALSE(append(one, "first"));
    }
    CHECK(append(other, "second"));
    CHECK(append(one, "third")); // and it is ended once
    CHECK(append(other, "fourth"));
    CHECK(scratch.text() == "fir\nsecond\nthird\nfourth\n");
    // Also behind a program that knows nothing of it.
    std::ofstream{scratch.path(), std::ios::app} << "to";
    CHECK(append(one, "fifth"));
    CHECK(append(other, "sixth"));
    CHECK(scratch.text() == "fir\nsecond\nthird\nfourth\nto\nfifth\nsixth\n");
}

TEST_CASE("LineFile: behind a file that was emptied, no line feed comes first", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    {
        const FileSizeLimit disk{3};
        append(file, "first");
    }
    std::filesystem::resize_file(scratch.path(), 0); // as logrotate's copytruncate does
    CHECK(append(file, "second"));
    CHECK(scratch.text() == "second\n");
}

TEST_CASE("LineFile: a file at its size limit loses the line, and no signal ends the process",
          "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    REQUIRE(append(file, "one"));
    {
        const FileSizeLimit disk{4};
        CHECK_FALSE(append(file, "two"));
    }
    CHECK(append(file, "three"));
    CHECK(file.lost() == 1);
    CHECK(scratch.text() == "one\nthree\n");
}

TEST_CASE("LineFile: a FIFO without a reader is an error that says so, and is not waited for",
          "[adapter]") {
    Fifo fifo;
    CHECK_THROWS_WITH((LineFile{"Log", fifo.path()}),
                      "Log: cannot open \"" + fifo.path() +
                          "\", a FIFO that no process has open for reading: No such device or address");
    fifo.join();
    LineFile file{"Log", fifo.path()};
    CHECK(append(file, "one"));
    CHECK(fifo.read() == "one\n");
    fifo.leave();
    CHECK(file.reopen() == std::errc::no_such_device_or_address);
}

TEST_CASE("LineFile: while a pipe has no reader its lines are lost, and the next line is preceded by "
          "their number",
          "[adapter]") {
    Fifo fifo;
    fifo.join();
    LineFile file{"Log", fifo.path()};
    fifo.leave();
    CHECK_FALSE(append(file, "one"));
    CHECK_FALSE(append(file, "two"));
    fifo.join();
    CHECK(append(file, "three"));
    CHECK(append(file, "four"));
    CHECK(file.lost() == 2);
    CHECK(fifo.read() == "lost 2\nthree\nfour\n");
}

TEST_CASE("LineFile: a reader that stops reading holds no writer, and every line is written or counted",
          "[adapter]") {
    Fifo fifo;
    fifo.join();
    LineFile file{"Log", fifo.path()};
    const std::string line(100, 'x');
    const std::uint64_t written = fill(file, line);
    CHECK_FALSE(append(file, line));
    CHECK_FALSE(append(file, line));
    CHECK(file.lost() == 3);
    const std::string before = fifo.read();
    CHECK(count(before, line + "\n") == written);
    CHECK(before.size() == written * (line.size() + 1)); // whole lines and nothing else
    CHECK(append(file, line));
    CHECK(append(file, line));
    CHECK(fifo.read() == "lost 3\n" + line + "\n" + line + "\n");
}

TEST_CASE("LineFile: a line too long for a pipe may be torn, and the next begins on its own",
          "[adapter]") {
    Fifo fifo;
    fifo.join();
    LineFile file{"Log", fifo.path()};
    const std::string line(100'000, 'x'); // more than a pipe holds
    CHECK_FALSE(append(file, line));
    const std::string part = fifo.read();
    CHECK(part.size() < line.size());
    CHECK_FALSE(file.reopen()); // it is the same pipe
    CHECK(append(file, "short"));
    CHECK(fifo.read() == "\nlost 1\nshort\n");
}

TEST_CASE("LineFile: a file has no line about lost ones", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    {
        const FileSizeLimit disk{0};
        CHECK_FALSE(append(file, "one"));
    }
    CHECK(append(file, "two"));
    CHECK(scratch.text() == "two\n");
}

TEST_CASE("LineFile: a disk that was full does no harm to the file on the next", "[adapter]") {
    const ScratchFile scratch;
    std::filesystem::create_symlink("/dev/full", scratch.path());
    LineFile file{"Log", scratch.path()};
    CHECK_FALSE(append(file, "one"));
    std::filesystem::remove(scratch.path());
    CHECK_FALSE(file.reopen());
    CHECK(append(file, "two"));
    CHECK(file.lost() == 1);
    CHECK(scratch.text() == "two\n");
}

TEST_CASE("LineFile: a file made again is of the same mode", "[adapter]") {
    const ScratchFile scratch;
    LineFile file{"Log", scratch.path()};
    struct stat first{};
    REQUIRE(::stat(scratch.path().c_str(), &first) == 0);
    std::filesystem::remove(scratch.path());
    REQUIRE_FALSE(file.reopen());
    struct stat second{};
    REQUIRE(::stat(scratch.path().c_str(), &second) == 0);
    CHECK(first.st_mode == second.st_mode);
    CHECK((second.st_mode & 0111U) == 0);
}

TEST_CASE("LineFile: is pinned where it is, and reopening is noexcept", "[adapter]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<LineFile>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<LineFile>);
    STATIC_REQUIRE(noexcept(std::declval<LineFile&>().reopen()));
}

} // namespace tests::adapter_detail_line_file
