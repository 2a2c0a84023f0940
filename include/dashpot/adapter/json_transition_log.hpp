// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_JSON_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_JSON_TRANSITION_LOG_HPP

#include <dashpot/adapter/detail/line_file.hpp>
#include <dashpot/adapter/detail/log_time.hpp>
#include <dashpot/adapter/detail/utf8.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

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
class JsonTransitionLog {
  public:
    /// A function that returns the time for the lines of the log. It is used for nothing else.
    using WallClock = detail::WallClock;

    /// Opens `path` for appending, and creates the file if it does not exist.
    explicit JsonTransitionLog(const std::string& path,
                               WallClock wall_clock = std::chrono::system_clock::now)
        : wall_clock_{detail::checked(std::move(wall_clock),
                                      "JsonTransitionLog: the wall clock must not be empty")},
          file_{"JsonTransitionLog", path} {}

    /// Appends a line.
    /// @return false if the line was lost
    bool append(std::string_view target, const Transition& transition) noexcept {
        return file_.append([&] { return line(wall_clock_(), target, transition); },
                            [&](std::uint64_t lost) { return gap(wall_clock_(), lost); });
    }

    /// Calls append(); this is the signature of a listener of Registry::on_transition().
    void operator()(std::string_view target, const Transition& transition) noexcept {
        append(target, transition);
    }

    /// Opens the path again, as TransitionLog::reopen() does.
    [[nodiscard]] std::error_code reopen() noexcept { return file_.reopen(); }

    /// Returns the number of lines that could not be written.
    [[nodiscard]] std::uint64_t lost() const noexcept { return file_.lost(); }

  private:
    [[nodiscard]] static std::string line(std::chrono::system_clock::time_point at,
                                          std::string_view target, const Transition& transition) {
        const Snapshot& seen = transition.snapshot;
        std::string text = R"({"time":")" + detail::log_time(at) + R"(","target":")";
        append_escaped(text, target);
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

    [[nodiscard]] static std::string gap(std::chrono::system_clock::time_point at, std::uint64_t lost) {
        std::string text = R"({"time":")" + detail::log_time(at) + "\"";
        append_number(text, "lost_lines", lost);
        return text + "}\n";
    }

    static void append_escaped(std::string& text, std::string_view name) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        while (!name.empty()) {
            const std::size_t length = detail::utf8_character(name);
            const auto byte = static_cast<unsigned char>(name.front());
            if (length == 0 || byte < 0x20 || byte == '\\') {
                text += byte < 0x20 ? "\\u00" : "\\\\x";
                text += digits[byte >> 4U];
                text += digits[byte & 0xFU];
            } else {
                if (name.front() == '"') text += '\\';
                text += name.substr(0, length);
            }
            name.remove_prefix(std::max<std::size_t>(length, 1));
        }
    }

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

    const WallClock wall_clock_;
    detail::LineFile file_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
