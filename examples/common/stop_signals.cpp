// SPDX-License-Identifier: MIT
#include "stop_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <utility>

#include <pthread.h>
#include <signal.h>

namespace example {
namespace {

sigset_t stop_set() noexcept {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

} // namespace

void block_stop_signals() {
    const sigset_t set = stop_set();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // Writing to a connection or a pipe that the other side has closed is an error, not the end.
    std::signal(SIGPIPE, SIG_IGN);
}

void block_hangup_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool await_stop_signal(std::chrono::nanoseconds at_most) {
    using namespace std::chrono;
    const sigset_t set = stop_set();
    const auto end = steady_clock::now() + at_most;
    for (;;) {
        const nanoseconds rest = std::max(nanoseconds{end - steady_clock::now()}, nanoseconds{0});
        const auto whole = floor<seconds>(rest);
        const timespec limit{whole.count(), (rest - whole).count()};
        if (sigtimedwait(&set, nullptr, &limit) > 0) return true;
        if (errno != EINTR) return false;
    }
}

StopWaiter::StopWaiter(std::function<void()> stop, std::function<void()> hang_up)
    : waiter_{[stop = std::move(stop), hang_up = std::move(hang_up)] {
          sigset_t set = stop_set();
          if (hang_up) sigaddset(&set, SIGHUP);
          int received = 0;
          while (sigwait(&set, &received) == 0 && received == SIGHUP) hang_up();
          stop();
      }} {}

StopWaiter::~StopWaiter() {
    // Wakes a waiter that no signal ever reached; has no effect on one that is done.
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
}

} // namespace example
