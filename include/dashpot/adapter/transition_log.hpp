// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_TRANSITION_LOG_HPP

#include <dashpot/adapter/detail/formatted_transition_log.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Lines of the form `TIME|TARGET|FROM->TO`.
struct TextFormat {
    static constexpr const char* log_name = "TransitionLog";
    static constexpr const char* empty_clock = "TransitionLog: the wall clock must not be empty";

    [[nodiscard]] static std::string line(std::string_view time, std::string_view target,
                                          const Transition& transition) {
        std::string text{time};
        text += '|';
        append_escaped(text, target);
        text += '|';
        text += to_string(transition.from);
        text += "->";
        text += to_string(transition.to);
        text += '\n';
        return text;
    }

    [[nodiscard]] static std::string gap(std::string_view time, std::uint64_t lost) {
        return std::string{time} + "||" + std::to_string(lost) + " lines lost\n";
    }

  private:
    static void append_escaped(std::string& text, std::string_view target) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        for (const char c : target) {
            const auto byte = static_cast<unsigned char>(c);
            if (byte >= 0x20 && byte != 0x7F && c != '|' && c != '\\') {
                text += c;
            } else {
                text += "\\x";
                text += digits[byte >> 4U];
                text += digits[byte & 0xFU];
            }
        }
    }
};

} // namespace detail

/// Appends one line per change of state to a file: `TIME|TARGET|FROM->TO`.
///
///     dashpot::TransitionLog log{"breaker.log"};
///     auto logging = targets.on_transition(std::ref(log));
///
///     2026-11-30T08:15:30.042Z|CORE|CLOSED->OPEN
///
/// **Contract.** TIME is the wall-clock time of writing: UTC, ISO 8601, milliseconds.
/// - In TARGET a control character, `|` and `\` are written as `\xNN`, so that an event is always one
///   line of three fields.
/// - Each line is one write to a file opened for appending: lines of several processes do not mix.
/// - A line that cannot be written whole at once is lost and counted; nothing is thrown and no signal
///   is raised. The causes are a full disk, a file at its size limit, and a pipe that is full or has
///   no reader.
/// - If a part of a line was written, the next line starts on a new line, whichever process writes it.
/// - In a pipe, the first line after lost ones is `TIME||N lines lost`.
///
/// The log must outlive its subscription.
/// **Threads.** Any thread may call it. The reader of a pipe does not block callers, but a disk that
/// hangs does.
/// **Cost.** Each line takes a mutex and about ten system calls, one of them a write. It needs POSIX.
/// **Errors.** The constructor throws std::system_error that names the file if the file cannot be
/// opened. It does not wait for the reader of a FIFO.
class TransitionLog : public detail::FormattedTransitionLog<detail::TextFormat> {
  public:
    using FormattedTransitionLog::FormattedTransitionLog;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
