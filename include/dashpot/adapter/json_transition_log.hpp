// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_JSON_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_JSON_TRANSITION_LOG_HPP

#include <dashpot/adapter/detail/formatted_transition_log.hpp>
#include <dashpot/adapter/detail/json_string.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// JSON objects, one per line.
struct JsonFormat {
    static constexpr const char* log_name = "JsonTransitionLog";
    static constexpr const char* empty_clock = "JsonTransitionLog: the wall clock must not be empty";

    [[nodiscard]] static std::string line(std::string_view time, std::string_view target,
                                          const Transition& transition) {
        const Snapshot& seen = transition.snapshot;
        std::string text = R"({"time":")" + std::string{time} + R"(","target":")";
        append_json_string(text, target);
        text.append(R"(","from":")").append(to_string(transition.from));
        text.append(R"(","to":")").append(to_string(transition.to));
        text.append(R"(","reason":")").append(to_string(transition.reason)).append("\"");
        append_number(text, "generation", transition.generation);
        append_number(text, "calls", seen.calls);
        append_number(text, "failures", seen.failures);
        append_number(text, "slow", seen.slow);
        append_rate(text, "failure_rate", seen.failure_rate);
        append_rate(text, "slow_rate", seen.slow_rate);
        append_number(text, "refused", seen.refused);
        append_number(text, "retry_after_ms",
                      std::chrono::ceil<std::chrono::milliseconds>(seen.retry_after).count());
        text += "}\n";
        return text;
    }

    [[nodiscard]] static std::string gap(std::string_view time, std::uint64_t lost) {
        std::string text = R"({"time":")" + std::string{time} + "\"";
        append_number(text, "lost_lines", lost);
        return text + "}\n";
    }

  private:
    template <class Number>
    static void append_number(std::string& text, std::string_view key, Number value) {
        std::array<char, 32> digits{};
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        append_key(text, key).append(digits.data(), end);
    }

    static void append_rate(std::string& text, std::string_view key, std::optional<double> rate) {
        if (rate) return append_number(text, key, *rate);
        append_key(text, key) += "null";
    }

    static std::string& append_key(std::string& text, std::string_view key) {
        return text.append(",\"").append(key).append("\":");
    }
};

} // namespace detail

/// Appends one JSON object per change of state to a file, each on its own line. It is a TransitionLog
/// for programs, and adds the reason and the numbers.
///
///     dashpot::JsonTransitionLog log{"events.jsonl"};
///     auto logging = targets.on_transition(std::ref(log));
///
/// **Contract.** Each line has these members in this order: `time`, as in TransitionLog, `target`,
/// `from`, `to`, `reason`, `generation`, `calls`, `failures`, `slow`, `failure_rate`, `slow_rate`,
/// `refused` and `retry_after_ms`.
/// - The values come from the members of the transition and its snapshot with the same names. A rate
///   is null if the snapshot's rate is empty. `retry_after_ms` is rounded up.
/// - A line is valid JSON for every target name, and different names stay different: a byte that is
///   not part of a UTF-8 character becomes the four characters `\xNN`, and a backslash `\x5C`, as in
///   the metrics.
/// - Lines are written, lost and counted as in TransitionLog. The line about lost lines has the
///   members `time` and `lost_lines`.
///
/// **Threads.** Any thread may call it. **Cost.** The cost is that of TransitionLog. It needs POSIX.
/// **Errors.** The constructor throws std::system_error that names the file if the file cannot be
/// opened.
/// **Source.** RFC 8259.
class JsonTransitionLog : public detail::FormattedTransitionLog<detail::JsonFormat> {
  public:
    using FormattedTransitionLog::FormattedTransitionLog;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
