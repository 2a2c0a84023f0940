// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_LINE_FILE_HPP
#define DASHPOT_ADAPTER_DETAIL_LINE_FILE_HPP

#include <dashpot/core/abi.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A file that whole lines are appended to, by any number of threads and processes.
///
/// **Contract.** A line is one write to a file opened for appending: lines do not mix. One that cannot
/// be written whole is lost and counted; if part of it got there, the next begins on a line of its own,
/// also when that was in an earlier life of the process.
/// **Threads.** Any. **Cost.** One system call and a mutex per line. POSIX only.
class LineFile {
  public:
    /// Opens `path` for appending, and makes it if need be.
    /// @param owner  stands before the message of the std::system_error
    LineFile(std::string_view owner, std::string path)
        : path_{std::move(path)}, file_{open(path_)}, is_torn_{ends_within_a_line(path_)} {
        if (file_ >= 0) return;
        throw std::system_error{errno, std::generic_category(),
                                std::string{owner} + ": cannot open \"" + path_ + "\""};
    }

    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;
    ~LineFile() { ::close(file_); }

    /// Appends what `make_line` returns, with the line feed at its end. @return false if it was lost
    template <class MakeLine>
    bool append(MakeLine&& make_line) noexcept {
        try {
            if (write(std::forward<MakeLine>(make_line)())) return true;
        } catch (...) { // out of memory, or what make_line asks: a line is lost, the service goes on
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    /// Opens the path anew, as after somebody has renamed the file. What is appended meanwhile is in
    /// the one file or in the other, whole. @return the error, with which all stays as it was
    [[nodiscard]] std::error_code reopen() noexcept {
        int other = open(path_);
        if (other < 0) return {errno, std::generic_category()};
        {
            const std::lock_guard lock{mutex_};
            std::swap(file_, other);
            is_torn_ = ends_within_a_line(path_);
        }
        ::close(other);
        return {};
    }

    /// Lines that could not be written.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  private:
    [[nodiscard]] static int open(const std::string& path) noexcept {
        return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    }

    /// Only of a plain file: to look into a pipe would take from it.
    [[nodiscard]] static bool ends_within_a_line(const std::string& path) noexcept {
        struct stat about{};
        if (::stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
            return false;
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return false; // it may be for writing only
        char last = '\n';
        static_cast<void>(::pread(file, &last, 1, about.st_size - 1));
        ::close(file);
        return last != '\n';
    }

    [[nodiscard]] bool write(std::string text) {
        const std::lock_guard lock{mutex_};
        if (is_torn_) text.insert(text.begin(), '\n');
        ssize_t written = 0;
        do {
            written = ::write(file_, text.data(), text.size());
        } while (written < 0 && errno == EINTR);
        if (written == static_cast<ssize_t>(text.size())) {
            is_torn_ = false;
            return true;
        }
        // A disk that fills up takes part of a line; a next one must not be glued to it.
        if (written > 0) is_torn_ = text[static_cast<std::size_t>(written) - 1] != '\n';
        return false;
    }

    const std::string path_;
    std::atomic<std::uint64_t> lost_{0};
    std::mutex mutex_;
    int file_;     // guarded by mutex_
    bool is_torn_; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
