// SPDX-License-Identifier: MIT
// A policy of your own: open when `limit` points are reached. A failure adds 3 points, a success takes
// one away.
#include <dashpot/dashpot.hpp>

#include <cstdint>
#include <iostream>
#include <optional>

struct Points {
    std::uint32_t limit = 9; ///< 1 or more.

    friend bool operator==(const Points&, const Points&) = default;

    void validate() const {
        if (limit == 0) dashpot::refuse_option("Points::limit is 0, must be 1 or more");
    }

    /// The numbers. The breaker calls it under its lock, one call at a time.
    class Tally {
      public:
        explicit Tally(const Points& policy) noexcept : limit_{policy.limit} {}

        /// Returns a reason exactly when the circuit is to open now.
        std::optional<dashpot::Reason> record(const dashpot::FinishedCall& call) noexcept {
            if (call.failed) {
                points_ += 3;
                ++failures_;
            } else if (points_ != 0) {
                --points_;
            }
            ++calls_;
            return points_ >= limit_ ? std::optional{dashpot::Reason::policy} : std::nullopt;
        }
        void clear() noexcept {
            points_ = 0;
            calls_ = failures_ = 0;
        }
        /// What snapshots and events show.
        dashpot::Counts counts(dashpot::Instant /*now*/) const noexcept {
            return {.calls = calls_, .failures = failures_};
        }
        // Without next_success() each success is recorded, as it must be here.

      private:
        std::uint32_t limit_;
        std::uint32_t points_ = 0;
        std::uint64_t calls_ = 0;
        std::uint64_t failures_ = 0;
    };
};
static_assert(dashpot::FailurePolicy<Points>);

int main() {
    dashpot::CircuitBreaker breaker{Points{.limit = 7}};
    for (const bool ok : {false, true, false, true, false}) {
        auto permit = breaker.try_acquire();
        permit.record(ok ? dashpot::Outcome::success : dashpot::Outcome::failure);
        std::cout << (ok ? "success" : "failure") << ": " << to_string(breaker.state()) << '\n';
    }
}
// Output:
// failure: CLOSED
// success: CLOSED
// failure: CLOSED
// success: CLOSED
// failure: OPEN
