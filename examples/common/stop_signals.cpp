// SPDX-License-Identifier: MIT
#include "stop_signals.hpp"

#include <csignal>
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

StopWaiter::StopWaiter(std::function<void()> stop)
    : waiter_{[stop = std::move(stop)] {
          const sigset_t set = stop_set();
          int received = 0;
          sigwait(&set, &received);
          stop();
      }} {}

StopWaiter::~StopWaiter() {
    // Wakes a waiter that no signal ever reached; has no effect on one that is done.
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
}

} // namespace example
