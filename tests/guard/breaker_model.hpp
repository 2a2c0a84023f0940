// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_GUARD_BREAKER_MODEL_HPP
#define DASHPOT_TESTS_GUARD_BREAKER_MODEL_HPP

#include "policy/window_model.hpp"

#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace model {

using dashpot::Snapshot;
using dashpot::State;

/// Whether `length` has passed from `start` to `now`. No difference here can overflow.
inline bool has_passed(Time start, Time length, Time now) {
    return now >= start && static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(start) >=
                               static_cast<std::uint64_t>(length);
}

/// How a breaker waits and probes.
struct Setting {
    Time wait = 10, factor = 1, cap = 10;
    Time lease = 0; // of a probe; 0: the wait in force, twice as long for each further period
    std::uint32_t probes = 1, needed = 1;
    State initial_state = State::closed;

    friend bool operator==(const Setting&, const Setting&) = default;
};

struct Answer {
    bool counted = false;
    std::optional<Reason> moved_by{};
};

/// The contract of a circuit breaker word by word, with every call and every probe kept.
template <class P>
class Breaker {
  public:
    Breaker(const P& policy, const Setting& setting, Time now)
        : policy_{policy}, setting_{setting}, state_{setting.initial_state}, since_{now} {}

    Answer admit(bool named, Time now) {
        if (refuses(now)) return {};
        Answer answer{.counted = true};
        if (state_ == State::open) {
            move(State::half_open, now);
            answer.moved_by = Reason::reset_timeout;
        }
        if (state_ == State::half_open) {
            if (probes_.size() == period_.probes) { // their time is up, or it would refuse
                probes_.clear();
                period_ = period();
                ++generation_;
            }
            probes_.push_back({.named = named});
            const bool is_first = probes_.size() == 1; // a clock that steps back is held
            last_granted_ = is_first ? now : std::max(last_granted_, now);
        }
        return answer;
    }

    /// `generation`: of the permit that answers; none without one.
    Answer record(std::optional<std::uint64_t> generation, const FinishedCall& call, Time now) {
        if (generation && *generation != generation_) return {};
        if (state_ == State::closed) {
            calls_.push_back(call);
            const auto reason = verdict(policy_, counted(policy_, calls_, now));
            if (reason) move(State::open, now);
            return {true, reason};
        }
        if (state_ == State::metrics_only) {
            calls_.push_back(call);
            if (verdict(policy_, counted(policy_, calls_, now))) {
                ++would_have_opened_;
                calls_.clear();
            }
            return {.counted = true};
        }
        Probe* const probe = unanswered(generation.has_value());
        if (probe == nullptr) return {};
        probe->answered = true;
        probe->failed = call.failed || call.slow;
        probe->slow = call.slow;
        const Counts answers = counts(now);
        if (answers.calls - answers.failures == period_.needed) {
            move(State::closed, now);
            return {true, Reason::probes_succeeded};
        }
        if (period_.probes - answers.failures >= period_.needed) return {.counted = true};
        move(State::open, now);
        return {true, Reason::probes_failed};
    }

    bool give_back(std::optional<std::uint64_t> generation) {
        if (generation && *generation != generation_) return false;
        if (state_ == State::closed || state_ == State::metrics_only) return true;
        Probe* const probe = unanswered(generation.has_value());
        if (probe == nullptr) return false;
        probes_.erase(probes_.begin() + (probe - probes_.data()));
        return true;
    }

    std::optional<Reason> obey(Reason command, Time now) {
        const State to = command == Reason::trip           ? State::open
                         : command == Reason::reset        ? State::closed
                         : command == Reason::disable      ? State::disabled
                         : command == Reason::metrics_only ? State::metrics_only
                                                           : State::forced_open;
        const bool may_fail = state_ == State::closed || state_ == State::half_open;
        if (command == Reason::trip && !may_fail) return std::nullopt;
        if (to != state_) {
            move(to, now);
            return command;
        }
        if (command == Reason::reset) {
            calls_.clear();
            ++generation_;
        }
        return std::nullopt;
    }

    void reconfigure(const P& policy, const Setting& setting) {
        if (!(policy == policy_)) calls_ = taken_over(policy_, policy, calls_);
        const bool waits_otherwise = setting.wait != setting_.wait ||
                                     setting.factor != setting_.factor || setting.cap != setting_.cap;
        policy_ = policy;
        setting_ = setting;
        if (waits_otherwise && (state_ == State::open || state_ == State::half_open)) draw_wait();
    }

    [[nodiscard]] std::uint64_t generation() const { return generation_; }

    /// In CLOSED, and without a call that it judges by.
    [[nodiscard]] bool is_idle(Time now) const {
        return state_ == State::closed && counts(now).calls == 0;
    }

    [[nodiscard]] bool refuses(Time now) const {
        if (state_ == State::open) return !has_passed(opened_at_, wait_, now);
        if (state_ == State::half_open) {
            return probes_.size() == period_.probes && !has_passed(last_granted_, period_.lease, now);
        }
        return state_ == State::forced_open;
    }

    [[nodiscard]] bool shows(const Snapshot& seen, Time now) const {
        const Counts numbers = counts(now);
        const bool is_open = state_ == State::open;
        const bool is_half_open = state_ == State::half_open;
        const auto out = std::count_if(probes_.begin(), probes_.end(),
                                       [](const Probe& probe) { return !probe.answered; });
        Time rest = 0;
        if (is_open && refuses(now)) rest = now <= opened_at_ ? wait_ : wait_ - (now - opened_at_);
        return seen.state == state_ && seen.generation == generation_ && seen.calls == numbers.calls &&
               seen.failures == numbers.failures && seen.slow == numbers.slow &&
               seen.failure_rate == numbers.failure_rate && seen.slow_rate == numbers.slow_rate &&
               seen.probes_in_flight == (is_half_open ? static_cast<std::uint32_t>(out) : 0) &&
               seen.would_have_opened == would_have_opened_ && seen.since == at(since_) &&
               seen.retry_after.count() == rest &&
               seen.opened_at ==
                   (is_open || is_half_open ? std::optional{at(opened_at_)} : std::nullopt);
    }

  private:
    struct Probe {
        bool named = false, answered = false, failed = false, slow = false;
    };

    [[nodiscard]] Probe* unanswered(bool named) {
        if (state_ != State::half_open) return nullptr;
        for (Probe& probe : probes_) {
            if (probe.named == named && !probe.answered) return &probe;
        }
        return nullptr;
    }

    [[nodiscard]] Counts counts(Time now) const {
        if (state_ == State::closed || state_ == State::metrics_only)
            return counted(policy_, calls_, now);
        if (state_ == State::open || state_ == State::forced_open) return when_it_left_;
        Counts numbers;
        for (const Probe& probe : probes_) {
            if (probe.answered) ++numbers.calls;
            if (probe.failed) ++numbers.failures;
            if (probe.slow) ++numbers.slow;
        }
        return numbers;
    }

    /// Of an opening now.
    [[nodiscard]] Time wait() const {
        Time wait = setting_.wait;
        for (int i = 0; i != reopenings_; ++i) wait = std::min(wait * setting_.factor, setting_.cap);
        return wait;
    }

    void draw_wait() {
        wait_ = wait();
        periods_ = 0;
    }

    /// The rules of a half-open period that begins now.
    [[nodiscard]] Setting period() {
        Setting rules = setting_;
        if (rules.lease != 0) return rules;
        const int earlier = periods_++;
        constexpr Time ten_minutes = 600'000'000'000;
        rules.lease = wait_;
        for (int i = 0; i != earlier && rules.lease < ten_minutes; ++i)
            rules.lease = (std::min)(2 * rules.lease, ten_minutes);
        return rules;
    }

    void move(State to, Time now) {
        when_it_left_ = counts(now);
        if (to == State::open) {
            reopenings_ = state_ == State::half_open ? reopenings_ + 1 : 0;
            draw_wait();
            opened_at_ = now;
        }
        if (to == State::half_open) period_ = period();
        calls_.clear();
        probes_.clear();
        state_ = to;
        since_ = now;
        ++generation_;
    }

    P policy_;
    Setting setting_;
    Setting period_{}; // by which the probes under way are judged
    State state_;
    std::uint64_t generation_ = 1;
    Time since_;
    Time opened_at_ = 0, wait_ = 0; // meant in OPEN and HALF_OPEN
    int reopenings_ = 0;
    int periods_ = 0; // half-open ones by the default lease, since the wait was drawn
    Time last_granted_ = 0;
    std::uint64_t would_have_opened_ = 0;
    Calls calls_{};               // that it judges by
    std::vector<Probe> probes_{}; // of this period, without those given back
    Counts when_it_left_{};       // the numbers of the state before
};

} // namespace model

#endif
