// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_TRANSITION_LOG_HPP

#include <dashpot/core/contract.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/transition.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline v0 {

/// Appends one line to a file for every change of state: `TIME|TARGET|FROM->TO`.
///
///     dashpot::TransitionLog log{"breaker.log"};
///     auto logging = targets.on_transition(std::ref(log));
///
///     2026-11-30T08:15:30.042Z|CORE|CLOSED->OPEN
///
/// **Contract.** TIME is the wall clock's when the line is written: UTC, ISO 8601, milliseconds. In
/// TARGET a control character, `|` and `\` are written as `\xNN`, so that a line is always one line of
/// three fields. Each line is one write to a file opened for appending: lines of several processes do
/// not mix. A line that cannot be written whole is lost and counted, and nothing is thrown; if part of
/// it got there, the next line begins on a line of its own. It must outlive what is subscribed to it.
/// **Threads.** Any. **Cost.** One system call and a mutex per line. POSIX only.
/// **Errors.** The constructor throws std::system_error naming the file if it cannot be opened.
class TransitionLog {
  public:
    /// Tells the time that stands in the log, and nothing else.
    using WallClock = std::function<std::chrono::system_clock::time_point()>;

    /// Opens `path` for appending, and makes it if need be.
    explicit TransitionLog(const std::string& path,
                           WallClock wall_clock = std::chrono::system_clock::now)
        : wall_clock_{std::move(wall_clock)} {
        if (!wall_clock_) refuse_option("TransitionLog: the wall clock must not be empty");
        file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
        if (file_ < 0) {
            throw std::system_error{errno, std::generic_category(),
                                    "TransitionLog: cannot open \"" + path + "\""};
        }
    }

    TransitionLog(const TransitionLog&) = delete;
    TransitionLog& operator=(const TransitionLog&) = delete;
    ~TransitionLog() { ::close(file_); }

    /// Appends a line. @return false if it was lost
    bool append(std::string_view target, const Transition& transition) noexcept {
        try {
            if (write(line(wall_clock_(), target, transition))) return true;
        } catch (...) { // out of memory, or the wall clock's own: a line is lost, the service goes on
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    /// append(), in the shape of a listener of Registry::on_transition().
    void operator()(std::string_view target, const Transition& transition) noexcept {
        append(target, transition);
    }

    /// Lines that could not be written.
    [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

  private:
    [[nodiscard]] static std::string line(std::chrono::system_clock::time_point at,
                                          std::string_view target, const Transition& transition) {
        std::string text = timestamp(at);
        text += '|';
        append_escaped(text, target);
        text += '|';
        text += to_string(transition.from);
        text += "->";
        text += to_string(transition.to);
        text += '\n';
        return text;
    }

    [[nodiscard]] static std::string timestamp(std::chrono::system_clock::time_point at) {
        using namespace std::chrono;
        const auto day = floor<days>(at);
        const year_month_day date{day};
        const hh_mm_ss time{floor<milliseconds>(at - day)};
        std::array<char, 64> text{};
        const int length = std::snprintf(
            text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ", int{date.year()},
            unsigned{date.month()}, unsigned{date.day()}, static_cast<int>(time.hours().count()),
            static_cast<int>(time.minutes().count()), static_cast<int>(time.seconds().count()),
            static_cast<int>(time.subseconds().count()));
        return {text.data(), static_cast<std::size_t>(length)};
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

    [[nodiscard]] bool write(std::string text) {
        const std::lock_guard lock{mutex_};
        if (is_torn_) text.insert(text.begin(), '\n');
        ssize_t written = 0;
        do {
            written = ::write(file_, text.data(), text.size());
        } while (written < 0 && errno == EINTR);
        if (written == static_cast<ssize_t>(text.size())) {
            is_torn_ = false;
            return true;
        }
        // A disk that fills up takes part of a line; a next one must not be glued to it.
        if (written > 0) is_torn_ = text[static_cast<std::size_t>(written) - 1] != '\n';
        return false;
    }

    const WallClock wall_clock_;
    int file_ = -1;
    std::atomic<std::uint64_t> lost_{0};
    std::mutex mutex_;
    bool is_torn_ = false; // guarded by mutex_
};

} // namespace dashpot::inline v0

#endif
