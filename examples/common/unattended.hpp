// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_UNATTENDED_HPP
#define DASHPOT_EXAMPLES_COMMON_UNATTENDED_HPP

#include <chrono>
#include <functional>
#include <memory>

namespace example {

/// Runs what may hang, as opening a file on a mount that does not answer, on a thread that nobody waits
/// for longer than is said.
///
/// **Contract.** Work runs one after the other. Of the work that is given while other work hangs, only
/// the last is kept. Work that hangs may outlive this object: it must own what it uses.
/// **Threads.** Every member may be called from any thread at any time.
/// **Errors.** run() throws std::system_error if there is no thread to be had. The work must not throw.
class Unattended {
  public:
    Unattended();
    Unattended(const Unattended&) = delete;
    Unattended& operator=(const Unattended&) = delete;
    ~Unattended() { stop(); }

    /// Runs `work` and waits for its end, but no longer than `patience` and not after stop().
    /// @return false: it has not ended, and goes on
    [[nodiscard]] bool run(std::function<void()> work, std::chrono::nanoseconds patience);

    /// Ends all waiting, for good.
    void stop() noexcept;

  private:
    struct State;
    static void work_off(State& state);

    std::shared_ptr<State> state_;
};

} // namespace example

#endif
