// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_APPEND_FILE_HPP
#define DASHPOT_ADAPTER_DETAIL_APPEND_FILE_HPP

#include <dashpot/adapter/detail/contained_write.hpp>
#include <dashpot/core/abi.hpp>

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A file that is open for appending: a plain file, a pipe or a device. Neither opening nor writing
/// waits for the reader of a pipe.
///
/// **Contract.** The descriptor is never 0, 1 or 2, so that nothing else is printed into the file.
/// **Threads.** One at a time. **Cost.** A write is one write() and, for a plain file, four more
/// system calls that look at its last byte under flock().
class AppendFile {
  public:
    AppendFile() = default;

    /// Opens `path`, and makes a plain file if there is none.
    /// @return a file that is not open if that fails; errno says why. ENXIO: a FIFO that no process
    /// reads
    [[nodiscard]] static AppendFile open(const std::string& path) noexcept {
        AppendFile file{path, O_WRONLY | O_CREAT};
        if (!file || file.kind_ != Kind::plain) return file;
        // To look at its end it must be readable as well. It may be for writing only.
        AppendFile readable{path, O_RDWR};
        if (readable.kind_ != Kind::plain || !readable.is_same(file)) return file;
        readable.is_readable_ = true;
        return readable;
    }

    AppendFile(AppendFile&& other) noexcept { swap(other); }
    AppendFile& operator=(AppendFile&& other) noexcept {
        swap(other);
        return *this;
    }
    ~AppendFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void swap(AppendFile& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        std::swap(kind_, other.kind_);
        std::swap(is_readable_, other.is_readable_);
    }

    explicit operator bool() const noexcept { return descriptor_ >= 0; }

    /// Returns true if it is a pipe or a FIFO: its reader may leave, or stop reading.
    [[nodiscard]] bool is_pipe() const noexcept { return kind_ == Kind::pipe; }

    /// Returns true if the file ends within a line, by whoever wrote it; empty where that cannot be
    /// seen.
    [[nodiscard]] std::optional<bool> ends_within_a_line() const noexcept {
        if (!is_readable_) return std::nullopt;
        const off_t size = ::lseek(descriptor_, 0, SEEK_END);
        char last = '\n';
        if (size > 0 && ::pread(descriptor_, &last, 1, size - 1) < 0) return std::nullopt;
        return last != '\n';
    }

    /// Writes once. @return as contained_write(); EAGAIN: a pipe that is full
    [[nodiscard]] ssize_t write(std::string_view text) const noexcept {
        return contained_write(descriptor_, text);
    }

    /// While it lives, the other writers of the file that lock it do not write. A lock that another
    /// process does not give back is waited for no longer than a few turns.
    class Lock {
      public:
        explicit Lock(const AppendFile& file) noexcept
            : descriptor_{file.is_readable_ ? file.descriptor_ : -1} {
            constexpr int turns = 100;
            for (int turn = 0; descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0;
                 ++turn) {
                if (errno != EINTR && (errno != EWOULDBLOCK || turn == turns)) descriptor_ = -1;
                ::sched_yield();
            }
        }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
        ~Lock() {
            if (descriptor_ >= 0) ::flock(descriptor_, LOCK_UN);
        }

      private:
        int descriptor_;
    };

  private:
    enum class Kind { none, plain, pipe, other };

    AppendFile(const std::string& path, int mode) noexcept
        // Without O_NONBLOCK a FIFO waits for its reader; without O_NOCTTY a terminal adopts the
        // process.
        : descriptor_{above_standard(
              ::open(path.c_str(), mode | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644))} {
        struct stat about{};
        if (descriptor_ < 0 || ::fstat(descriptor_, &about) != 0) return;
        kind_ = S_ISREG(about.st_mode)    ? Kind::plain
                : S_ISFIFO(about.st_mode) ? Kind::pipe
                                          : Kind::other;
    }

    /// A process that was started with its standard output closed gets that number for the next file.
    [[nodiscard]] static int above_standard(int descriptor) noexcept {
        if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
        const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        const int error = errno;
        ::close(descriptor);
        errno = error;
        return moved;
    }

    [[nodiscard]] bool is_same(const AppendFile& other) const noexcept {
        struct stat one{};
        struct stat two{};
        return ::fstat(descriptor_, &one) == 0 && ::fstat(other.descriptor_, &two) == 0 &&
               one.st_dev == two.st_dev && one.st_ino == two.st_ino;
    }

    int descriptor_ = -1;
    Kind kind_ = Kind::none;
    bool is_readable_ = false;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
