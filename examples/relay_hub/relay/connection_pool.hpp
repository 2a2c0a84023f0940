// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CONNECTION_POOL_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_CONNECTION_POOL_HPP

#include "target_address.hpp"

#include "../../common/file_descriptor.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace relay_hub {

/// A connection to a target, idle or in use.
struct TargetConnection {
    example::FileDescriptor socket;
    SocketAddress address;
    example::SteadyTime opened;
    example::SteadyTime idle_until{}; ///< Where it is idle.
    bool is_reused = false;           ///< It has served a call before.
    bool is_on_trial = false;         ///< It is the first of its target to serve a second call.
};

/// The idle connections to one target.
///
/// HTTP/1.1 keeps connections without saying so, but some servers close after each answer, a moment
/// later, and never read what comes in between. So the first connection that serves a second call is
/// on trial, and the only one meanwhile. If the target answers on it, the others are used again too. If
/// the target ends it instead, none is kept for `distrust`. If the target later ends a connection that
/// is used again, there is another trial.
///
/// **Contract.** Idle connections and calls under way are together at most `limit`, or there are no
/// idle ones: so the pool needs no descriptors beyond those of the calls. An idle connection is closed
/// at its idle_until, `max_age` after it was opened, when the target closes it, and when the target's
/// host no longer has its address.
/// **Threads.** Every member may be called from any thread at any time.
class ConnectionPool {
  public:
    /// Shorter than the five seconds that many servers wait, so that they seldom close first.
    static constexpr std::chrono::seconds max_idle{4};
    static constexpr std::chrono::seconds max_age{60};
    static constexpr std::chrono::seconds distrust{60};

    explicit ConnectionPool(std::size_t limit) noexcept : limit_{limit} {}

    /// One call under way, from before it takes a connection until after it gave it back.
    class Call {
      public:
        explicit Call(ConnectionPool& pool) noexcept : pool_{pool} { pool_.change_calls(+1); }
        ~Call() { pool_.change_calls(-1); }
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

      private:
        ConnectionPool& pool_;
    };

    /// @return the connection that was used last, of those that seem alive. None: open a new one
    [[nodiscard]] std::optional<TargetConnection> take(example::SteadyTime now,
                                                       const AddressList& addresses);

    /// Keeps a connection on which a complete answer came, for `idle` at most.
    /// @param says_kept  the target says that it keeps connections
    void give_back(TargetConnection connection, example::SteadyTime now, std::chrono::nanoseconds idle,
                   bool says_kept) noexcept;
    /// The connection, which take() returned, does not come back. @param was_closed  the target had
    /// closed it, or did so without reading the request
    void lose(const TargetConnection& connection, example::SteadyTime now, bool was_closed) noexcept;

    /// Closes the idle connections that are not to be used any more.
    void tidy(example::SteadyTime now, const AddressList& addresses);
    void set_limit(std::size_t limit) noexcept;
    [[nodiscard]] std::size_t idle() const noexcept;

  private:
    enum class Habit : std::uint8_t { unknown, on_trial, keeps, closes };

    void change_calls(int by) noexcept;
    void shrink_locked() noexcept;

    mutable std::mutex mutex_;
    std::size_t limit_;                  // guarded by mutex_
    std::size_t calls_ = 0;              // guarded by mutex_
    std::vector<TargetConnection> idle_; // guarded by mutex_; the one that was used last is the last
    Habit habit_ = Habit::unknown;       // guarded by mutex_
    example::SteadyTime closes_until_{}; // guarded by mutex_; in Habit::closes
};

} // namespace relay_hub

#endif
