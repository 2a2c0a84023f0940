// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_STOP_SIGNALS_HPP
#define DASHPOT_EXAMPLES_COMMON_STOP_SIGNALS_HPP

#include "file_descriptor.hpp"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace example {

/// Keeps SIGTERM and SIGINT for a StopWaiter. To be called before the first thread is made, since
/// threads inherit what is blocked. SIGPIPE and SIGXFSZ are ignored: a write that fails is an error and
/// not the end.
void block_stop_signals();

/// The same for SIGHUP, which a program has to want.
void block_hangup_signal();

/// Waits for one of them, one that came already included, but no longer than that.
/// @return false: none came
bool await_stop_signal(std::chrono::nanoseconds at_most);

/// While it lives, SIGTERM or SIGINT ends the process at once, with exit status 0: for a program that
/// starts, has nothing to finish, and may hang on a file or a name. SIGHUP stays for the StopWaiter.
class EndWhileStarting {
  public:
    /// @throws std::system_error
    EndWhileStarting();
    EndWhileStarting(const EndWhileStarting&) = delete;
    EndWhileStarting& operator=(const EndWhileStarting&) = delete;
    ~EndWhileStarting();

  private:
    FileDescriptor signals_;
    FileDescriptor has_started_;
    std::thread watcher_;
};

/// Calls a function on a thread of its own, once for each request; those that come while it runs are
/// one.
///
/// **Threads.** request() from any thread. The destructor waits for the function.
class Repeater {
  public:
    explicit Repeater(std::function<void()> function);
    Repeater(const Repeater&) = delete;
    Repeater& operator=(const Repeater&) = delete;
    ~Repeater();
    void request();

  private:
    void run();

    const std::function<void()> function_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_requested_ = false; // guarded by mutex_
    bool is_over_ = false;      // guarded by mutex_
    std::thread thread_;        // last: it uses what is above
};

/// Calls `stop` at the first SIGTERM or SIGINT, one that came already included, on a thread of its
/// own where anything is allowed; in a signal handler nearly nothing is. Until then it calls `hang_up`,
/// if there is one, at every SIGHUP, on another thread: while `hang_up` runs, `stop` can be called.
/// Several SIGHUPs that come while it runs are one.
///
/// Made after what both use: it ends first, and when it has, neither runs any more. So `stop` must end
/// what a `hang_up` under way waits for.
class StopWaiter {
  public:
    explicit StopWaiter(std::function<void()> stop, std::function<void()> hang_up = {});
    ~StopWaiter();
    StopWaiter(const StopWaiter&) = delete;
    StopWaiter& operator=(const StopWaiter&) = delete;

  private:
    std::optional<Repeater> hang_ups_;
    std::thread waiter_;
};

} // namespace example

#endif
