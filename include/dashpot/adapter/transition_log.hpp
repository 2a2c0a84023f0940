// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_TRANSITION_LOG_HPP

#include <dashpot/adapter/detail/line_file.hpp>
#include <dashpot/adapter/detail/log_time.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

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
class TransitionLog {
  public:
    /// A function that returns the time for the lines of the log. It is used for nothing else.
    using WallClock = detail::WallClock;

    /// Opens `path` for appending, and creates the file if it does not exist.
    explicit TransitionLog(const std::string& path,
                           WallClock wall_clock = std::chrono::system_clock::now)
        : wall_clock_{detail::checked(std::move(wall_clock),
                                      "TransitionLog: the wall clock must not be empty")},
          file_{"TransitionLog", path} {}

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

    /// Opens the path again, for the rotation of logs: rename the file, then call this function. The
    /// next line creates a new file.
    ///
    /// **Contract.** No line is lost, written twice or cut in two: a line that is appended meanwhile
    /// is in the old file or in the new one. A relative path is resolved again.
    /// **Threads.** Any thread may call it while others append.
    /// @return the error if the path cannot be opened; the current file then stays in use
    [[nodiscard]] std::error_code reopen() noexcept { return file_.reopen(); }

    /// Returns the number of lines that could not be written.
    [[nodiscard]] std::uint64_t lost() const noexcept { return file_.lost(); }

  private:
    [[nodiscard]] static std::string line(std::chrono::system_clock::time_point at,
                                          std::string_view target, const Transition& transition) {
        std::string text = detail::log_time(at);
        text += '|';
        append_escaped(text, target);
        text += '|';
        text += to_string(transition.from);
        text += "->";
        text += to_string(transition.to);
        text += '\n';
        return text;
    }

    [[nodiscard]] static std::string gap(std::chrono::system_clock::time_point at, std::uint64_t lost) {
        return detail::log_time(at) + "||" + std::to_string(lost) + " lines lost\n";
    }

    static void append_escaped(std::string& text, std::string_view name) {
        constexpr std::string_view digits = "0123456789ABCDEF";
        for (const char c : name) {
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

    const WallClock wall_clock_;
    detail::LineFile file_;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
