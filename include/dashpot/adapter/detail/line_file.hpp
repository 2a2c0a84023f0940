// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_LINE_FILE_HPP
#define DASHPOT_ADAPTER_DETAIL_LINE_FILE_HPP

#include <dashpot/adapter/detail/append_file.hpp>
#include <dashpot/core/abi.hpp>

#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A file to which any number of threads and processes append whole lines.
///
/// **Contract.** Each line is written by one write() to a file opened for appending, so lines do not
/// mix.
/// - A line that cannot be written whole at once is lost and counted. The causes are a full disk, a
///   file at its size limit, and a pipe that is full or has no reader. No signal is raised.
/// - A line always starts on a new line, even if another process, another LineFile or an earlier run
///   of the process has left an incomplete line.
/// - If lines for a pipe were lost, the next line is preceded by a line with their number.
///
/// **Threads.** Any thread may call it. A reader that stops reading does not block callers.
/// **Cost.** Each line takes a mutex and about ten system calls, one of them a write. It needs POSIX.
class LineFile {
  public:
    /// Opens `path` for appending, and creates the file if it does not exist.
    /// @param owner  the prefix of the message of the std::system_error
    LineFile(std::string_view owner, std::string path)
        : path_{std::move(path)}, file_{AppendFile::open(path_)} {
        if (file_) return;
        const int error = errno;
        throw std::system_error{error, std::generic_category(),
                                std::string{owner} + ": cannot open \"" + path_ + "\"" +
                                    (error == ENXIO && is_fifo(path_)
                                         ? ", a FIFO that no process has open for reading"
                                         : "")};
    }

    LineFile(const LineFile&) = delete;
    LineFile& operator=(const LineFile&) = delete;

    /// Appends what `make_line` returns, which must end with a line feed.
    /// @param make_gap  makes the line about the given number of lines lost before it
    /// @return false if the line was lost
    template <class MakeLine, class MakeGap>
    bool append(MakeLine&& make_line, MakeGap&& make_gap) noexcept {
        try {
            const std::string line = std::forward<MakeLine>(make_line)();
            const std::lock_guard lock{mutex_};
            const std::string gap = untold_ > 0 && file_.is_pipe() ? make_gap(untold_) : std::string{};
            if (write_locked(gap + line)) {
                untold_ = 0;
                return true;
            }
            if (file_.is_pipe()) ++untold_;
        } catch (...) { // out of memory, or an exception of `make_line`: only this line is lost
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    /// Opens the path again, for example after a rotation has renamed the file. A line that is
    /// appended meanwhile is complete in one of the two files.
    /// @return the error if the path cannot be opened; the current file then stays in use
    [[nodiscard]] std::error_code reopen() noexcept {
        // open() is outside the lock: if the path hangs, other threads still write to the old file.
        AppendFile other = AppendFile::open(path_);
        if (!other) return {errno, std::generic_category()};
        {
            const std::lock_guard lock{mutex_};
            file_.swap(other);
            if (!file_.is_pipe()) is_torn_ = false; // a FIFO may be unchanged
        }
        return {};
    }

    /// Returns the number of lines that could not be written.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  private:
    [[nodiscard]] static bool is_fifo(const std::string& path) noexcept {
        struct stat about{};
        return ::stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode);
    }

    [[nodiscard]] bool write_locked(std::string text) {
        const AppendFile::Lock lock{file_};
        if (file_.ends_within_a_line().value_or(is_torn_)) text.insert(text.begin(), '\n');
        const ssize_t written = file_.write(text);
        if (written == static_cast<ssize_t>(text.size())) {
            is_torn_ = false;
            return true;
        }
        // A disk that fills up takes only a part of a line. The next line must start on a new line.
        if (written > 0) is_torn_ = text[static_cast<std::size_t>(written) - 1] != '\n';
        return false;
    }

    const std::string path_;
    std::atomic<std::uint64_t> lost_{0};
    std::mutex mutex_;
    AppendFile file_;          // guarded by mutex_
    bool is_torn_ = false;     // guarded by mutex_; used if the end of the file cannot be read
    std::uint64_t untold_ = 0; // guarded by mutex_; lines lost for a pipe since the last written line
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
