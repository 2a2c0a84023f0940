// SPDX-License-Identifier: MIT
#include "stop_signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

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
    // Writing to a file that is at its size limit likewise: standard error may be one.
    std::signal(SIGXFSZ, SIG_IGN);
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

EndWhileStarting::EndWhileStarting()
    : signals_{[] {
          const sigset_t set = stop_set();
          return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
      }()},
      has_started_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!signals_ || !has_started_) throw std::system_error{errno, std::generic_category(), "signalfd"};
    watcher_ = std::thread{[this] {
        std::array<pollfd, 2> events{{{signals_.get(), POLLIN, 0}, {has_started_.get(), POLLIN, 0}}};
        while (::poll(events.data(), events.size(), -1) < 0) {}
        // Whatever the other threads wait for: they may never get it.
        if (events[0].revents != 0) std::_Exit(0);
    }};
}

EndWhileStarting::~EndWhileStarting() {
    static_cast<void>(::eventfd_write(has_started_.get(), 1));
    watcher_.join();
}

Repeater::Repeater(std::function<void()> function)
    : function_{std::move(function)}, thread_{[this] { run(); }} {}

Repeater::~Repeater() {
    {
        const std::lock_guard lock{mutex_};
        is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void Repeater::request() {
    {
        const std::lock_guard lock{mutex_};
        is_requested_ = true;
    }
    changed_.notify_one();
}

void Repeater::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        changed_.wait(lock, [this] { return is_requested_ || is_over_; });
        if (is_over_) return;
        is_requested_ = false;
        lock.unlock();
        function_();
        lock.lock();
    }
}

StopWaiter::StopWaiter(std::function<void()> stop, std::function<void()> hang_up) {
    sigset_t set = stop_set();
    if (hang_up) {
        hang_ups_.emplace(std::move(hang_up));
        sigaddset(&set, SIGHUP);
    }
    waiter_ = std::thread{[this, set, stop = std::move(stop)] {
        int received = 0;
        while (sigwait(&set, &received) == 0 && received == SIGHUP) hang_ups_->request();
        stop();
    }};
}

StopWaiter::~StopWaiter() {
    // Wakes a waiter that no signal ever reached; has no effect on one that is done.
    pthread_kill(waiter_.native_handle(), SIGTERM);
    waiter_.join();
}

} // namespace example
