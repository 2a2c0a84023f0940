// SPDX-License-Identifier: MIT
#include "replay.hpp"

#include <dashpot/core/duration.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace whatif {
namespace {

using dashpot::Instant;
using dashpot::Outcome;
using dashpot::State;
using dashpot::testing::ManualClock;

[[nodiscard]] Instant to_instant(std::int64_t at) noexcept {
    return Instant{std::chrono::nanoseconds{at}};
}

[[nodiscard]] Outcome to_outcome(Ending ending) noexcept {
    return ending == Ending::success   ? Outcome::success
           : ending == Ending::failure ? Outcome::failure
                                       : Outcome::ignored;
}

template <class P>
class BreakerReplayer final : public Replayer {
  public:
    BreakerReplayer(const P& policy, const dashpot::BreakerOptions& options, std::int64_t start)
        : clock_{to_instant(start)}, breaker_{policy, options, clock_} {}

    void play(std::span<const Event> events, std::size_t places) override {
        if (permits_.size() < places) permits_.resize(places);
        for (const Event& event : events) {
            clock_.set(to_instant(event.at));
            if (!event.is_begin) {
                end(permits_[event.place], event);
                continue;
            }
            auto permit = breaker_.try_acquire();
            look(event.at);
            if (!permit) {
                if (event.ending == Ending::failure) ++seen_.spared;
                if (event.ending == Ending::success) ++seen_.refused_good;
                if (!event.ends_at_once) permits_[event.place].reset();
            } else if (event.ends_at_once) {
                (void)permit.record(to_outcome(event.ending));
                look(event.at);
            } else {
                permits_[event.place].emplace(std::move(permit));
            }
        }
    }

    [[nodiscard]] Outcomes finish(std::int64_t end) const override {
        Outcomes result = seen_;
        if (state_ != State::closed) result.open += (std::max)(end - left_closed_, std::int64_t{0});
        return result;
    }

  private:
    using Breaker = dashpot::CircuitBreaker<ManualClock, P>;

    void end(std::optional<typename Breaker::Permit>& permit, const Event& event) {
        if (!permit) return;
        (void)permit->record(to_outcome(event.ending));
        permit.reset();
        look(event.at);
    }

    /// Notes a change of state.
    void look(std::int64_t at) {
        const State now = breaker_.state();
        if (now == state_) return;
        if (now == State::open) ++(state_ == State::closed ? seen_.openings : seen_.reopenings);
        constexpr std::size_t most_bands = 10'000; // memory must not grow with the log
        if (state_ == State::closed) {
            left_closed_ = at;
            keeps_band_ = seen_.bands.size() < most_bands;
            if (keeps_band_) seen_.bands.emplace_back(at, std::nullopt);
        } else if (now == State::closed) {
            seen_.open += at - left_closed_;
            if (keeps_band_) seen_.bands.back().second = at;
        }
        state_ = now;
    }

    ManualClock clock_;
    Breaker breaker_;
    State state_ = State::closed;
    std::int64_t left_closed_ = 0;
    bool keeps_band_ = false;
    Outcomes seen_;
    std::vector<std::optional<typename Breaker::Permit>> permits_; // of the admitted calls in flight
};

} // namespace

std::unique_ptr<Replayer> make_replayer(const Candidate& candidate, std::int64_t start) {
    return std::visit(
        [&]<class P>(const P& policy) -> std::unique_ptr<Replayer> {
            return std::make_unique<BreakerReplayer<P>>(policy, candidate.breaker, start);
        },
        candidate.rule);
}

std::span<const Event> EventQueue::take(bool all) {
    std::sort(waiting_.begin(), waiting_.end(), [](const Waiting& one, const Waiting& other) {
        return std::tie(one.at, one.is_begin, one.number) <
               std::tie(other.at, other.is_begin, other.number);
    });
    const std::int64_t safe = latest_ - max_elapsed_;
    const auto end =
        all ? waiting_.end()
            : std::upper_bound(waiting_.begin(), waiting_.end(), safe,
                               [](std::int64_t at, const Waiting& event) { return at < event.at; });
    ready_.clear();
    for (auto event = waiting_.begin(); event != end; ++event) {
        std::uint32_t place = 0;
        if (event->is_begin && !event->ends_at_once) {
            if (free_.empty()) {
                place = static_cast<std::uint32_t>(places_++);
            } else {
                place = free_.back();
                free_.pop_back();
            }
            in_flight_.emplace(event->number, place);
        } else if (!event->is_begin) {
            const auto found = in_flight_.find(event->number);
            place = found->second;
            free_.push_back(place);
            in_flight_.erase(found);
        }
        ready_.push_back({event->at, place, event->is_begin, event->ends_at_once, event->ending});
    }
    waiting_.erase(waiting_.begin(), end);
    enough_ = (std::max)(least, 2 * waiting_.size());
    return ready_;
}

} // namespace whatif
