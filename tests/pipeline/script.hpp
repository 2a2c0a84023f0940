// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_PIPELINE_SCRIPT_HPP
#define DASHPOT_TESTS_PIPELINE_SCRIPT_HPP

#include <dashpot/dashpot.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

/// What tests of pipelines need: functions that follow a script, and guards that write down what they
/// record.
namespace support {

using namespace std::chrono_literals;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::testing::ManualClock;
using Times = std::vector<std::chrono::nanoseconds>;

/// What a scripted function throws.
struct Trouble {
    int number = 0;
    friend bool operator==(const Trouble&, const Trouble&) = default;
};

/// One attempt: how long it takes, and how it ends.
struct Step {
    std::chrono::nanoseconds takes;
    bool throws;
    int number;
};
[[nodiscard]] inline Step fails(int number = 1, std::chrono::nanoseconds takes = 0ns) {
    return {takes, true, number};
}
[[nodiscard]] inline Step gives(int number, std::chrono::nanoseconds takes = 0ns) {
    return {takes, false, number};
}

/// A function that does one step per attempt; the last one repeats.
class Script {
  public:
    Script(ManualClock clock, std::vector<Step> steps)
        : clock_{std::move(clock)}, steps_{std::move(steps)} {}

    int operator()(const dashpot::Attempt& attempt) {
        starts.push_back(clock_.now().time_since_epoch());
        numbers.push_back(attempt.number);
        remaining.push_back(attempt.remaining());
        const Step step = steps_[(std::min)(next_, steps_.size() - 1)];
        ++next_;
        clock_.advance(step.takes);
        if (step.throws) throw Trouble{step.number};
        return step.number;
    }

    [[nodiscard]] std::size_t calls() const { return starts.size(); }

    Times starts{};
    Times remaining{};
    std::vector<std::uint32_t> numbers{};

  private:
    ManualClock clock_;
    std::vector<Step> steps_;
    std::size_t next_ = 0;
};

/// How a call ended, as text: "value 3", "threw 1", "circuit_open".
template <class F>
[[nodiscard]] std::string ending_of(F&& f) {
    try {
        const dashpot::Result<int> result = std::forward<F>(f)();
        if (!result) return std::string{to_string(result.error().reason)};
        return "value " + std::to_string(*result);
    } catch (const Trouble& trouble) {
        return "threw " + std::to_string(trouble.number);
    }
}

/// A guard of a user that writes its name when it is entered, and what it is left with: s f i for the
/// outcomes, r for released.
class Journal {
  public:
    class Permit {
      public:
        explicit Permit(Journal* journal, std::optional<Refusal> refusal = std::nullopt)
            : journal_{journal}, refusal_{refusal} {}
        explicit operator bool() const noexcept { return !refusal_; }
        [[nodiscard]] Refusal refusal() const noexcept { return *refusal_; }
        void record(Outcome outcome) noexcept { journal_->write(to_string(outcome)[0]); }
        void release() noexcept { journal_->write('r'); }

      private:
        Journal* journal_;
        std::optional<Refusal> refusal_;
    };

    Journal(char name, std::string& text) : name_{name}, text_{&text} {}

    [[nodiscard]] Permit try_acquire() {
        if (refuses) return Permit{this, *refuses};
        *text_ += name_;
        return Permit{this};
    }

    std::optional<Refusal> refuses{};

  private:
    void write(char what) const {
        *text_ += what;
        *text_ += name_;
    }

    char name_;
    std::string* text_;
};

/// A clock that lets a test see every wait.
struct WatchedClock {
    using time_point = dashpot::Instant;
    using Sleep = std::function<void(const ManualClock&, time_point, const std::stop_token&)>;
    static constexpr bool is_steady = true;

    Sleep sleep;
    ManualClock clock{};

    [[nodiscard]] time_point now() const noexcept { return clock.now(); }
    void sleep_until(time_point at, const std::stop_token& stop) const { sleep(clock, at, stop); }
};

/// Waits of 100 ms, 200 ms, 400 ms, and so on.
inline constexpr dashpot::ExponentialBackoff doubling{.initial = 100ms};

} // namespace support

#endif
