// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/append_file.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <utility>

namespace tests::adapter_detail_append_file {

using dashpot::detail::AppendFile;
using support::Fifo;
using support::ScratchFile;

TEST_CASE("AppendFile: creates the file, and appends to what is there", "[adapter]") {
    const ScratchFile scratch;
    for (int i = 0; i != 2; ++i) {
        const AppendFile file = AppendFile::open(scratch.path());
        REQUIRE(file);
        CHECK_FALSE(file.is_pipe());
        CHECK(file.write("line\n") == 5);
    }
    CHECK(scratch.text() == "line\nline\n");
}

TEST_CASE("AppendFile: a path that cannot be opened says why", "[adapter]") {
    CHECK_FALSE(AppendFile::open("/no/such/file"));
    CHECK(errno == ENOENT);
    CHECK_FALSE(AppendFile::open("/"));
    CHECK(errno == EISDIR);
}

TEST_CASE("AppendFile: sees where the file ends, whichever program wrote it", "[adapter]") {
    const ScratchFile scratch;
    const AppendFile file = AppendFile::open(scratch.path());
    CHECK(file.ends_within_a_line() == false);
    std::ofstream{scratch.path(), std::ios::app} << "to";
    CHECK(file.ends_within_a_line() == true);
    std::ofstream{scratch.path(), std::ios::app} << "rn\n";
    CHECK(file.ends_within_a_line() == false);
}

TEST_CASE("AppendFile: where it cannot be read, its end is unknown", "[adapter]") {
    Fifo fifo;
    fifo.join();
    const AppendFile pipe = AppendFile::open(fifo.path());
    REQUIRE(pipe);
    CHECK(pipe.is_pipe());
    CHECK_FALSE(pipe.ends_within_a_line());
    const AppendFile device = AppendFile::open("/dev/null");
    REQUIRE(device);
    CHECK_FALSE(device.is_pipe());
    CHECK_FALSE(device.ends_within_a_line());
    if (::geteuid() == 0) return; // root reads everything
    const ScratchFile scratch;
    std::ofstream{scratch.path()} << "to";
    REQUIRE(::chmod(scratch.path().c_str(), 0200) == 0);
    const AppendFile file = AppendFile::open(scratch.path());
    CHECK(file);
    CHECK_FALSE(file.ends_within_a_line());
}

TEST_CASE("AppendFile: a FIFO is not waited for, neither to open it nor to write to it", "[adapter]") {
    Fifo fifo;
    CHECK_FALSE(AppendFile::open(fifo.path()));
    CHECK(errno == ENXIO);
    fifo.join();
    const AppendFile file = AppendFile::open(fifo.path());
    const std::string line(1000, 'x');
    while (file.write(line) == static_cast<ssize_t>(line.size())) {}
    CHECK(errno == EAGAIN);
}

TEST_CASE("AppendFile: takes no descriptor of the standard streams", "[adapter]") {
    const ScratchFile scratch;
    Fifo fifo;
    fifo.join();
    for (const std::string& path : {scratch.path(), fifo.path()}) {
        const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
        REQUIRE(kept >= 0);
        ::close(STDIN_FILENO);
        const AppendFile file = AppendFile::open(path);
        const bool is_taken = ::fcntl(STDIN_FILENO, F_GETFD) >= 0;
        const bool is_written = file.write("line\n") == 5;
        ::dup2(kept, STDIN_FILENO);
        ::close(kept);
        CHECK_FALSE(is_taken);
        CHECK(is_written);
    }
    CHECK(scratch.text() == "line\n");
    CHECK(fifo.read() == "line\n");
}

TEST_CASE("AppendFile: a lock that another process keeps is not waited for", "[adapter]") {
    const ScratchFile scratch;
    const AppendFile file = AppendFile::open(scratch.path());
    const int other = ::open(scratch.path().c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(other >= 0);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    {
        const AppendFile::Lock lock{file};
        CHECK(file.write("line\n") == 5);
    }
    ::flock(other, LOCK_UN);
    {
        const AppendFile::Lock lock{file};
        CHECK(::flock(other, LOCK_EX | LOCK_NB) != 0);
    }
    CHECK(::flock(other, LOCK_EX | LOCK_NB) == 0);
    ::close(other);
}

TEST_CASE("AppendFile: moved and swapped, it leaves no file open behind it", "[adapter]") {
    const ScratchFile scratch;
    const std::size_t before = support::open_files();
    {
        AppendFile one = AppendFile::open(scratch.path());
        AppendFile other{std::move(one)};
        AppendFile third = AppendFile::open(scratch.path() + ".1");
        third.swap(other);
        CHECK(third.write("line\n") == 5);
        third = AppendFile::open(scratch.path());
    }
    CHECK(support::open_files() == before);
    CHECK(scratch.text() == "line\n");
}

} // namespace tests::adapter_detail_append_file
