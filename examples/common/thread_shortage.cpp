// SPDX-License-Identifier: MIT
#include "thread_shortage.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>

namespace example {
namespace {

// A thread that left a connection knows it until it has come back for a job.
thread_local bool is_on_way = false;

} // namespace

ThreadShortage::ThreadShortage() : signal_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!signal_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

void ThreadShortage::job_waits() {
    const std::lock_guard lock{mutex_};
    ++waiting_;
    update_locked();
}

bool ThreadShortage::leave() {
    const std::lock_guard lock{mutex_};
    if (waiting_ <= on_way_) return false;
    ++on_way_;
    is_on_way = true;
    update_locked();
    return true;
}

void ThreadShortage::settle(bool took_waiting_job) {
    const bool was_on_way = std::exchange(is_on_way, false);
    if (!took_waiting_job && !was_on_way) return;
    const std::lock_guard lock{mutex_};
    if (took_waiting_job) --waiting_;
    if (was_on_way) --on_way_;
    update_locked();
}

void ThreadShortage::update_locked() {
    const bool is_short = waiting_ > on_way_;
    if (is_short == is_raised_) return;
    is_raised_ = is_short;
    eventfd_t value = 1;
    static_cast<void>(is_short ? ::eventfd_write(signal_.get(), value)
                               : ::eventfd_read(signal_.get(), &value));
}

} // namespace example
