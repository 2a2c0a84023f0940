// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_STOP_SIGNALS_HPP
#define DASHPOT_EXAMPLES_COMMON_STOP_SIGNALS_HPP

#include <chrono>
#include <functional>
#include <thread>

namespace example {

/// Keeps SIGTERM and SIGINT for a StopWaiter. To be called before the first thread is made, since
/// threads inherit what is blocked. SIGPIPE is ignored.
void block_stop_signals();

/// The same for SIGHUP, which a program has to want.
void block_hangup_signal();

/// Waits for one of them, one that came already included, but no longer than that.
/// @return false: none came
bool await_stop_signal(std::chrono::nanoseconds at_most);

/// Calls `stop` at the first SIGTERM or SIGINT, one that came already included, on a thread of its
/// own where anything is allowed; in a signal handler nearly nothing is. Until then it calls `hang_up`,
/// if there is one, at every SIGHUP; several that come at once may be one.
///
/// Made after what `stop` uses: it ends first, and when it has, `stop` does not run any more.
class StopWaiter {
  public:
    explicit StopWaiter(std::function<void()> stop, std::function<void()> hang_up = {});
    ~StopWaiter();
    StopWaiter(const StopWaiter&) = delete;
    StopWaiter& operator=(const StopWaiter&) = delete;

  private:
    std::thread waiter_;
};

} // namespace example

#endif
