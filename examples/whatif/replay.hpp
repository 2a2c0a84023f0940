// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_REPLAY_HPP
#define DASHPOT_EXAMPLES_WHATIF_REPLAY_HPP

#include "call.hpp"
#include "candidate.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace whatif {

/// What a replay of one candidate came to.
struct Outcomes {
    std::uint64_t openings = 0;     ///< From CLOSED.
    std::uint64_t reopenings = 0;   ///< From HALF_OPEN.
    std::int64_t open = 0;          ///< Nanoseconds while not CLOSED.
    std::uint64_t spared = 0;       ///< Failures among the calls that the replay refused.
    std::uint64_t refused_good = 0; ///< Successes among them.
    /// When it left CLOSED and when it came back; the end is empty if it did not. Only the first ones.
    std::vector<std::pair<std::int64_t, std::optional<std::int64_t>>> bands{};

    /// What a candidate is worth: each failure that it spared, less each success that it refused.
    [[nodiscard]] std::int64_t worth() const noexcept {
        return static_cast<std::int64_t>(spared) - static_cast<std::int64_t>(refused_good);
    }
};

/// The beginning or the end of a call.
struct Event {
    std::int64_t at;
    std::uint32_t place; ///< Of a call in flight, from 0. Used again once the call has ended.
    bool is_begin;
    bool ends_at_once; ///< A beginning: the call has no length, so its end follows directly.
    Ending ending;
};

/// A breaker that is passed recorded calls as if they were made now.
class Replayer {
  public:
    Replayer() = default;
    Replayer(const Replayer&) = delete;
    Replayer& operator=(const Replayer&) = delete;
    virtual ~Replayer() = default;

    /// Plays events, which follow those before. `places` is the number of places in use.
    virtual void play(std::span<const Event> events, std::size_t places) = 0;
    /// Returns the outcomes, if the last call ended at `end`.
    [[nodiscard]] virtual Outcomes finish(std::int64_t end) const = 0;
};

/// Makes the real breaker of a candidate, on a ManualClock that shows `start`.
[[nodiscard]] std::unique_ptr<Replayer> make_replayer(const Candidate& candidate, std::int64_t start);

/// The calls of one target, turned into beginnings and ends in the order of time.
///
/// **Contract.** Calls are added in the order of their ends. At one instant, ends come before
/// beginnings, and both in the order in which the calls were added. A call without length ends directly
/// after its beginning. Only calls are kept that a call to come may precede: those that began within
/// the longest time that a call may take.
class EventQueue {
  public:
    explicit EventQueue(std::int64_t max_elapsed) : max_elapsed_{max_elapsed} {}

    /// Adds a call. Returns true if many wait, so that take() is worth its time.
    bool add(const Call& call) {
        const bool at_once = call.elapsed == 0;
        waiting_.push_back({call.begin(), count_, true, at_once, call.ending});
        if (!at_once) waiting_.push_back({call.end, count_, false, false, call.ending});
        ++count_;
        latest_ = call.end;
        return waiting_.size() >= enough_;
    }

    /// Returns the events that no call to come can precede, or all of them. Valid until the next call.
    [[nodiscard]] std::span<const Event> take(bool all);

    [[nodiscard]] std::size_t places() const noexcept { return places_; }

  private:
    struct Waiting {
        std::int64_t at;
        std::uint64_t number; // of the call
        bool is_begin;
        bool ends_at_once;
        Ending ending;
    };
    static constexpr std::size_t least = 1U << 16U;

    const std::int64_t max_elapsed_;
    std::vector<Waiting> waiting_;
    std::size_t enough_ = least;
    std::uint64_t count_ = 0;
    std::int64_t latest_ = 0;
    std::vector<Event> ready_;
    std::vector<std::uint32_t> free_;
    std::size_t places_ = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> in_flight_; // the place of a call, by its number
};

} // namespace whatif

#endif
