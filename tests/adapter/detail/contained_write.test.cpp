// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/contained_write.hpp>

#include "adapter/log_support.hpp"

#include "catch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace tests::adapter_detail_contained_write {

using dashpot::detail::contained_write;

namespace {

/// A pipe whose reader has left; SIGPIPE has its default action meanwhile.
class DeafPipe {
  public:
    DeafPipe() : handler_{std::signal(SIGPIPE, SIG_DFL)} {
        std::array<int, 2> ends{};
        REQUIRE(::pipe(ends.data()) == 0);
        ::close(ends[0]);
        writer_ = ends[1];
    }
    DeafPipe(const DeafPipe&) = delete;
    DeafPipe& operator=(const DeafPipe&) = delete;
    ~DeafPipe() {
        ::close(writer_);
        (void)std::signal(SIGPIPE, handler_);
    }
    int writer() const { return writer_; }

  private:
    void (*handler_)(int);
    int writer_ = -1;
};

sigset_t set_of(int signal) {
    sigset_t set{};
    sigemptyset(&set);
    sigaddset(&set, signal);
    return set;
}

bool is_pending(int signal) {
    sigset_t pending{};
    sigpending(&pending);
    return sigismember(&pending, signal) == 1;
}

bool is_blocked(int signal) {
    sigset_t now{};
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return sigismember(&now, signal) == 1;
}

} // namespace

TEST_CASE("contained_write: a pipe without a reader is an error, and no signal", "[adapter]") {
    const DeafPipe pipe;
    errno = 0;
    CHECK(contained_write(pipe.writer(), "line\n") == -1);
    CHECK(errno == EPIPE);
    CHECK_FALSE(is_pending(SIGPIPE));
    CHECK_FALSE(is_blocked(SIGPIPE));
}

TEST_CASE("contained_write: a file at its size limit is an error, and no signal", "[adapter]") {
    const support::ScratchFile scratch;
    const int file = ::open(scratch.path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    ssize_t first = 0;
    ssize_t second = 0;
    int error = 0;
    {
        const support::FileSizeLimit limit{3};
        first = contained_write(file, "line\n");
        second = contained_write(file, "line\n");
        error = errno;
    }
    ::close(file);
    CHECK(first == 3);
    CHECK(second == -1);
    CHECK(error == EFBIG);
    CHECK_FALSE(is_pending(SIGXFSZ));
    CHECK_FALSE(is_blocked(SIGXFSZ));
}

TEST_CASE("contained_write: what the caller blocks stays blocked, and what was pending stays pending",
          "[adapter]") {
    const DeafPipe pipe;
    const sigset_t set = set_of(SIGPIPE);
    REQUIRE(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    CHECK(contained_write(pipe.writer(), "line\n") == -1);
    CHECK(is_blocked(SIGPIPE));
    CHECK_FALSE(is_pending(SIGPIPE));
    REQUIRE(pthread_kill(pthread_self(), SIGPIPE) == 0);
    CHECK(contained_write(pipe.writer(), "line\n") == -1);
    CHECK(is_pending(SIGPIPE));
    int taken = 0;
    REQUIRE(sigwait(&set, &taken) == 0);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace tests::adapter_detail_contained_write
