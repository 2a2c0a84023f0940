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
/// **Contract.** The descriptor is never 0, 1 or 2, so that other output of the process does not reach
/// the file.
/// **Threads.** One thread at a time may use it. **Cost.** Each write makes one write(). For a plain
/// file it makes four more system calls, which read the last byte under flock().
class AppendFile {
  public:
    AppendFile() = default;

    /// Opens `path`, and creates a plain file if there is none.
    /// @return the file. If an error occurs, the returned file is not open and errno contains the
    /// error; ENXIO means a FIFO that no process reads
    [[nodiscard]] static AppendFile open(const std::string& path) noexcept {
        AppendFile file{path, O_WRONLY | O_CREAT};
        if (!file || file.kind_ != Kind::plain) return file;
        // The end of the file can only be read if the file is open for reading too. The file's
        // permissions may allow only writing.
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

    /// Returns true if the file is a pipe or a FIFO, whose reader may leave or stop reading.
    [[nodiscard]] bool is_pipe() const noexcept { return kind_ == Kind::pipe; }

    /// Returns true if the last line of the file is incomplete, whichever process wrote it. The result
    /// is empty if the end of the file cannot be read.
    [[nodiscard]] std::optional<bool> ends_within_a_line() const noexcept {
        if (!is_readable_) return std::nullopt;
        const off_t size = ::lseek(descriptor_, 0, SEEK_END);
        char last = '\n';
        if (size > 0 && ::pread(descriptor_, &last, 1, size - 1) < 0) return std::nullopt;
        return last != '\n';
    }

    /// Writes once.
    /// @return as contained_write(); EAGAIN: a pipe that is full
    [[nodiscard]] ssize_t write(std::string_view text) const noexcept {
        return contained_write(descriptor_, text);
    }

    /// Locks the file against its other writers, if they use this lock. If another process does not
    /// release the lock, the constructor gives up after a fixed number of turns.
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
        // Without O_NONBLOCK, open() waits for the reader of a FIFO. Without O_NOCTTY, a terminal
        // becomes the process's controlling terminal.
        : descriptor_{above_standard(
              ::open(path.c_str(), mode | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0644))} {
        struct stat about{};
        if (descriptor_ < 0 || ::fstat(descriptor_, &about) != 0) return;
        kind_ = S_ISREG(about.st_mode)    ? Kind::plain
                : S_ISFIFO(about.st_mode) ? Kind::pipe
                                          : Kind::other;
    }

    /// Returns a descriptor above 2. If a process starts with its standard output closed, the next
    /// opened file gets the number of the standard output.
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
