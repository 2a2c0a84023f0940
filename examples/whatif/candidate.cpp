// SPDX-License-Identifier: MIT
#include "candidate.hpp"

#include "call.hpp"
#include "text_values.hpp"

#include "../common/number.hpp"
#include "../common/printable.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace whatif {
namespace {

using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::Nanoseconds;
using dashpot::TimeWindow;

/// The words of a candidate. Each key is taken once; what is left at the end is not known.
class Words {
  public:
    explicit Words(std::string_view text) : text_{text} {
        constexpr std::string_view spaces = " \t\r\n";
        bool is_first = true;
        while (true) {
            text.remove_prefix((std::min)(text.find_first_not_of(spaces), text.size()));
            if (text.empty()) break;
            const std::string_view word = text.substr(0, text.find_first_of(spaces));
            text.remove_prefix(word.size());
            if (std::exchange(is_first, false)) {
                type_ = word;
                continue;
            }
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos || equals == 0 || equals + 1 == word.size())
                refuse(word, "must be KEY=VALUE");
            if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
                refuse(word, "the key is given twice");
        }
        if (type_.empty()) throw UsageError{"--candidate: the text is empty"};
    }

    [[nodiscard]] std::string_view type() const noexcept { return type_; }

    template <class T>
    void count(std::string_view key, T& value) {
        take(key, [&](std::string_view text) {
            constexpr std::uint32_t most = (std::numeric_limits<std::uint32_t>::max)();
            const auto number = example::to_number<std::uint32_t>(text, 0, most);
            if (!number) throw std::invalid_argument{"must be a whole number, 0 to 4294967295"};
            value = *number;
        });
    }
    void number(std::string_view key, double& value) {
        take(key, [&](std::string_view text) {
            constexpr double most = (std::numeric_limits<double>::max)();
            const auto number = example::to_number<double>(text, -most, most);
            if (!number) throw std::invalid_argument{"must be a number"};
            value = *number;
        });
    }
    template <class T>
    bool duration(std::string_view key, T& value) {
        return take(key, [&](std::string_view text) {
            const auto length = parse_duration(text);
            if (!length)
                throw std::invalid_argument{"must be a duration with its unit, for example 10s; the "
                                            "units are ns us ms s min h"};
            value = Nanoseconds{std::chrono::nanoseconds{*length}};
        });
    }
    [[nodiscard]] bool has(std::string_view prefix) const {
        for (const auto& [key, value] : values_)
            if (key.starts_with(prefix)) return true;
        return false;
    }

    template <class F>
    bool take(std::string_view key, F&& read) {
        const auto found = values_.find(key);
        if (found == values_.end()) return false;
        try {
            read(found->second);
        } catch (const std::invalid_argument& error) {
            refuse(std::string{key} + "=" + std::string{found->second}, error.what());
        }
        values_.erase(found);
        return true;
    }

    void finish() const {
        if (values_.empty()) return;
        const auto& [key, value] = *values_.begin();
        refuse(std::string{key} + "=" + std::string{value},
               "the policy " + std::string{type_} + " has no such key");
    }

    [[noreturn]] void refuse(std::string_view word, const std::string& why) const {
        throw UsageError{"--candidate '" + example::printable(text_) +
                         "': " + example::printable(word) + ": " + why};
    }

  private:
    std::string_view text_;
    std::string_view type_;
    std::map<std::string_view, std::string_view> values_;
};

template <class Window>
void read_rule(Words& words, Window& window) {
    words.count("minimum_calls", window.minimum_calls);
    words.number("failure_rate", window.failure_rate);
    if (!words.has("slow_calls.")) return;
    dashpot::SlowCalls slow{};
    if (!words.duration("slow_calls.longer_than", slow.longer_than))
        words.refuse("slow_calls.rate", "needs slow_calls.longer_than");
    words.number("slow_calls.rate", slow.rate);
    window.slow_calls = slow;
}

Rule read_policy(Words& words) {
    if (words.type() == "consecutive_failures") {
        ConsecutiveFailures run;
        words.count("threshold", run.threshold);
        return run;
    }
    if (words.type() == "count_window") {
        CountWindow window;
        words.count("size", window.size);
        read_rule(words, window);
        return window;
    }
    if (words.type() == "time_window") {
        TimeWindow window;
        words.duration("length", window.length);
        words.count("buckets", window.buckets);
        read_rule(words, window);
        return window;
    }
    words.refuse(words.type(),
                 "no such policy; it must be consecutive_failures, count_window or time_window");
}

void read_breaker(Words& words, dashpot::BreakerOptions& options) {
    Nanoseconds wait{};
    if (words.duration("reset_timeout", wait)) {
        if (words.has("reset_timeout."))
            words.refuse("reset_timeout", "is either one duration or has keys");
        options.reset_timeout = wait;
    } else if (words.has("reset_timeout.")) {
        dashpot::ExponentialBackoff backoff;
        words.duration("reset_timeout.initial", backoff.initial);
        words.number("reset_timeout.factor", backoff.factor);
        words.duration("reset_timeout.cap", backoff.cap);
        words.number("reset_timeout.jitter", backoff.jitter);
        backoff.seed = 1; // two replays of one log must agree
        words.take("reset_timeout.seed", [&](std::string_view text) {
            const auto seed =
                example::to_number<std::uint64_t>(text, 0, (std::numeric_limits<std::uint64_t>::max)());
            if (!seed) throw std::invalid_argument{"must be a whole number"};
            backoff.seed = *seed;
        });
        options.reset_timeout = backoff;
    }
    words.count("half_open.probes", options.half_open.probes);
    words.count("half_open.successes_to_close", options.half_open.successes_to_close);
    words.duration("half_open.probe_timeout", options.half_open.probe_timeout);
}

std::string in_units(std::chrono::nanoseconds length) {
    const std::int64_t ns = length.count();
    if (ns % 1'000'000'000 == 0) return std::to_string(ns / 1'000'000'000) + "s";
    if (ns % 1'000'000 == 0) return std::to_string(ns / 1'000'000) + "ms";
    return std::to_string(ns) + "ns";
}

std::string shortest(double value) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    return {digits, end};
}

template <class Window>
std::string window_words(std::string text, const Window& window) {
    text += " minimum_calls=" + std::to_string(window.minimum_calls);
    text += " failure_rate=" + shortest(window.failure_rate);
    if (window.slow_calls) {
        text += " slow_calls.longer_than=" + in_units(window.slow_calls->longer_than);
        text += " slow_calls.rate=" + shortest(window.slow_calls->rate);
    }
    return text;
}

struct ToWords {
    std::string operator()(const ConsecutiveFailures& run) const {
        return "consecutive_failures threshold=" + std::to_string(run.threshold);
    }
    std::string operator()(const CountWindow& window) const {
        return window_words("count_window size=" + std::to_string(window.size), window);
    }
    std::string operator()(const TimeWindow& window) const {
        return window_words("time_window length=" + in_units(window.length) +
                                " buckets=" + std::to_string(window.buckets),
                            window);
    }
};

} // namespace

Candidate parse_candidate(std::string_view text) {
    Words words{text};
    Candidate result{std::string{text}, read_policy(words), {}};
    read_breaker(words, result.breaker);
    words.finish();
    try {
        std::visit([](const auto& rule) { rule.validate(); }, result.rule);
        result.breaker.validate();
    } catch (const std::exception& error) {
        throw UsageError{"--candidate '" + example::printable(text) + "': " + error.what()};
    }
    return result;
}

std::string to_words(const Rule& rule, const dashpot::BreakerOptions& breaker) {
    std::string text = std::visit(ToWords{}, rule);
    text += " reset_timeout=" + in_units(breaker.reset_timeout.delay(0));
    text += " half_open.probes=" + std::to_string(breaker.half_open.probes);
    return text;
}

} // namespace whatif
