// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_QUEUE_SUPPORT_HPP
#define DASHPOT_TESTS_GUARD_QUEUE_SUPPORT_HPP

#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

/// What the tests of the queued bulkhead share.
namespace queue_support {

using dashpot::testing::ManualClock;
using Queue = dashpot::QueuedBulkhead<ManualClock>;

/// A waiter that notes what became of it, and keeps its slot.
class Noting : public dashpot::Waiter {
  public:
    void granted(dashpot::QueuePermit slot) noexcept override {
        ++grants;
        held = std::move(slot);
        if (then) then(*this);
    }
    void refused(dashpot::Refusal why) noexcept override {
        ++refusals;
        refusal = why;
        if (then) then(*this);
    }

    [[nodiscard]] bool waits() const { return grants == 0 && refusals == 0; }
    [[nodiscard]] bool is_granted() const { return grants == 1 && refusals == 0; }
    [[nodiscard]] bool is_refused(dashpot::Error reason) const {
        return grants == 0 && refusals == 1 && refusal == dashpot::Refusal{reason};
    }

    int grants = 0;
    int refusals = 0;
    std::optional<dashpot::Refusal> refusal{};
    dashpot::QueuePermit held{};
    std::function<void(Noting&)> then{}; // called at the end of either function
};

/// Takes as many slots as there are.
[[nodiscard]] inline std::vector<Queue::Permit> fill(Queue& queue) {
    std::vector<Queue::Permit> permits;
    while (auto permit = queue.try_acquire()) permits.push_back(std::move(permit));
    return permits;
}

[[nodiscard]] inline dashpot::Deadline at(std::chrono::nanoseconds time) {
    return dashpot::Deadline{dashpot::Instant{time}};
}

} // namespace queue_support

#endif
