// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_CONTAINED_WRITE_HPP
#define DASHPOT_ADAPTER_DETAIL_CONTAINED_WRITE_HPP

#include <dashpot/core/abi.hpp>

#if defined(_WIN32)
#error "dashpot: TransitionLog and JsonTransitionLog need POSIX files, which Windows has not. \
There, subscribe a function that writes to Registry::on_transition()."
#endif

#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Suppresses the signals that a write can raise on this thread: SIGPIPE if a pipe has no reader,
/// SIGXFSZ if a file is at its size limit. By default each of these signals ends the process.
///
/// **Contract.** A signal that this thread's writes raise is removed before the destructor returns. A
/// signal that was pending before stays pending. The signals of other threads do not change.
/// **Threads.** The same thread must construct and destroy it. **Cost.** It makes four system calls.
class WriteSignals {
  public:
    WriteSignals() noexcept {
        sigset_t pending{};
        ::sigpending(&pending);
        ::sigemptyset(&raised_by_write_);
        for (const int signal : {SIGPIPE, SIGXFSZ})
            if (::sigismember(&pending, signal) == 0) ::sigaddset(&raised_by_write_, signal);
        ::pthread_sigmask(SIG_BLOCK, &raised_by_write_, &before_);
    }
    WriteSignals(const WriteSignals&) = delete;
    WriteSignals& operator=(const WriteSignals&) = delete;
    ~WriteSignals() {
        const int error = errno;
        take(SIGPIPE);
        take(SIGXFSZ);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }

  private:
    // This uses sigwait() instead of sigtimedwait(), which some POSIX systems do not have.
    void take(int signal) const noexcept {
        if (::sigismember(&raised_by_write_, signal) == 0) return;
        sigset_t pending{};
        ::sigpending(&pending);
        if (::sigismember(&pending, signal) == 0) return;
        sigset_t only{};
        ::sigemptyset(&only);
        ::sigaddset(&only, signal);
        int taken = 0;
        ::sigwait(&only, &taken);
    }

    sigset_t raised_by_write_{};
    sigset_t before_{};
};

/// Writes once, as write() does, and tries again after an interruption. A pipe without a reader gives
/// EPIPE, a file at its size limit EFBIG; neither raises a signal.
///
/// @return the number of bytes written; -1 if nothing was written, and errno contains the error
[[nodiscard]] inline ssize_t contained_write(int file, std::string_view text) noexcept {
    const WriteSignals contained;
    ssize_t written = 0;
    do {
        written = ::write(file, text.data(), text.size());
    } while (written < 0 && errno == EINTR);
    return written;
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
