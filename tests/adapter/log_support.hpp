// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_ADAPTER_LOG_SUPPORT_HPP
#define DASHPOT_TESTS_ADAPTER_LOG_SUPPORT_HPP

#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include "catch.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

/// What the tests of logs have in common.
namespace support {

inline constexpr dashpot::Transition opened{.from = dashpot::State::closed, .to = dashpot::State::open};

/// A file in a directory of its own, gone with the test.
class ScratchFile {
  public:
    ScratchFile() {
        std::string name = (std::filesystem::temp_directory_path() / "dashpot-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        directory_ = name;
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }

    const std::filesystem::path& directory() const { return directory_; }
    std::string path() const { return (directory_ / "breaker.log").string(); }
    /// What is in it, or in the file beside it whose name goes on.
    std::string text(const std::string& suffix = {}) const {
        std::ifstream file{path() + suffix, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

  private:
    std::filesystem::path directory_;
};

/// While it lives, no file of this process grows beyond `bytes`; it may write no report of its own. The
/// signal for that has its default action, which ends the process.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_DFL)} {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit smaller{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &smaller);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        (void)std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int);
    rlimit before_{};
};

/// A FIFO and its reader, which may leave and come back; SIGPIPE has its default action meanwhile.
class Fifo {
  public:
    Fifo() : handler_{std::signal(SIGPIPE, SIG_DFL)} {
        REQUIRE(::mkfifo(file_.path().c_str(), 0600) == 0);
    }
    Fifo(const Fifo&) = delete;
    Fifo& operator=(const Fifo&) = delete;
    ~Fifo() {
        leave();
        (void)std::signal(SIGPIPE, handler_);
    }

    std::string path() const { return file_.path(); }
    void join() { REQUIRE((reader_ = ::open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) >= 0); }
    void leave() {
        if (reader_ >= 0) ::close(reader_);
        reader_ = -1;
    }
    /// All that is in it.
    std::string read() const {
        std::string text;
        std::array<char, 4096> part{};
        for (ssize_t size = 0; (size = ::read(reader_, part.data(), part.size())) > 0;)
            text.append(part.data(), static_cast<std::size_t>(size));
        return text;
    }

  private:
    const ScratchFile file_;
    void (*handler_)(int);
    int reader_ = -1;
};

/// Of this process.
inline std::size_t open_files() {
    const std::filesystem::directory_iterator files{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

} // namespace support

#endif
