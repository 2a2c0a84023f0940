// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_LEDGER_HPP
#define DASHPOT_TESTS_SOAK_LEDGER_HPP

#include "../../examples/relay_demo/sample.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace soak {

using relay_demo::Sample;
using Counts = std::map<std::string, std::uint64_t, std::less<>>;

/// What clients saw of one target. All that was sent is answered or broken as soon as nobody waits.
struct Account {
    std::uint64_t sent = 0;
    std::uint64_t broken = 0; ///< the connection failed before an answer came
    Counts answers;           ///< by code
};

/// By target; "hub" has the requests that are for none, and get the hub's own E400 and E404.
using Accounts = std::map<std::string, Account, std::less<>>;

/// All stretches of the run of one kind together.
struct Phase {
    std::string name;
    /// The hub itself is down or starved on purpose in it.
    bool is_exempt = false;
    std::chrono::duration<double> length{0};
    std::map<std::string, Sample, std::less<>> samples; ///< by target; code "": broken
    std::size_t resident = 0;                           ///< the hub's memory, the most at an end
};

/// The clients' books.
///
/// **Threads.** Every member may be called from any thread at any time.
class Ledger {
  public:
    void send(const std::string& target);
    void answer(const std::string& target, const std::string& code, std::chrono::nanoseconds took);
    void lose(const std::string& target, std::chrono::nanoseconds took);

    /// Begins the accounts of a new hub.
    void open_accounts();
    [[nodiscard]] Accounts accounts() const;

    /// What is answered from now on belongs to that phase, which may have been there before.
    void begin_phase(const std::string& name, bool is_exempt);
    /// @param resident  the hub's memory now, in bytes; 0: there is none
    void end_phase(std::size_t resident);
    [[nodiscard]] std::vector<Phase> phases() const;

  private:
    Phase& phase_locked() { return phases_[current_]; }

    mutable std::mutex mutex_;
    Accounts accounts_;                             // guarded by mutex_
    std::vector<Phase> phases_{1};                  // guarded by mutex_
    std::size_t current_ = 0;                       // guarded by mutex_
    std::chrono::steady_clock::time_point began_{}; // guarded by mutex_
};

} // namespace soak

#endif
