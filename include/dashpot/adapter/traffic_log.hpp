// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_TRAFFIC_LOG_HPP
#define DASHPOT_ADAPTER_TRAFFIC_LOG_HPP

#include <dashpot/adapter/detail/line_file.hpp>
#include <dashpot/adapter/detail/log_time.hpp>
#include <dashpot/adapter/detail/traffic_line.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/outcome.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// How a TrafficLog buffers its lines.
///
/// **Errors.** validate() refuses a buffer of less than 4096 bytes and a negative age.
struct TrafficLogOptions {
    /// The number of bytes of lines that wait to be written. If a file does not take them in time,
    /// further lines are dropped. Must be 4096 or more. Default 1 MiB.
    std::uint32_t buffer_size = 1024 * 1024;
    /// The age at which the oldest waiting line is written with the next recorded call. Must be 0 or
    /// more; 0 writes each line at once. Default 1 s.
    Nanoseconds flush_after = std::chrono::seconds{1};

    friend bool operator==(const TrafficLogOptions&, const TrafficLogOptions&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const TrafficLogOptions& options) {
        return detail::FieldPrinter{out, "TrafficLogOptions"}
            .field("buffer_size", options.buffer_size)
            .field("flush_after", options.flush_after)
            .end();
    }

    void validate() const {
        if (buffer_size < 4096) {
            refuse_option("TrafficLogOptions::buffer_size", buffer_size, "must be 4096 bytes or more");
        }
        if (flush_after.count() < 0) {
            refuse_option("TrafficLogOptions::flush_after", flush_after,
                          "must be 0s or more; to write each line at once write 0s");
        }
    }
};

/// Appends one JSON object per finished or refused call to a file: the traffic from which
/// `examples/whatif` chooses thresholds.
///
///     dashpot::TrafficLog log{"traffic.jsonl"};
///     auto call = log.begin("CORE", target.bulkhead().in_flight());
///     call.record(send(request).ok() ? dashpot::Outcome::success : dashpot::Outcome::failure);
///
///     {"time":"2026-11-30T08:15:30.042123Z","target":"CORE","outcome":"success","elapsed_ms":12.345,
///     "in_flight":3}
///
/// **Contract.** Each call is one line.
/// - `time` is the wall-clock time at which the call ended, in UTC; it began `elapsed_ms` earlier. Both
///   have microseconds, never rounded up.
/// - `outcome` is `success`, `failure`, `ignored` or `refused`. Strings are valid JSON for every target
///   name, as in JsonTransitionLog.
/// - Lines wait in a buffer of fixed size. They are written when 4096 bytes wait, when the oldest line
///   is old enough, by flush() and by the destructor. Each write has whole lines only.
/// - A line for which the buffer has no room, or that cannot be written, is dropped and counted. The
///   next lines that can be written include one with the outcome `dropped` and the number in
///   `dropped`.
///
/// **Threads.** Any thread may call it. A thread that records a call may have to write lines of others;
/// while one thread writes, the others only fill the buffer.
/// **Cost.** A call costs a clock reading, a mutex and about 100 bytes of text. It does not allocate,
/// except for a very long name. One call in about forty also writes, as TransitionLog does. It needs
/// POSIX.
/// **Errors.** The constructor throws std::system_error that names the file if the file cannot be
/// opened, and std::invalid_argument for options out of range.
class TrafficLog {
  public:
    /// A function that returns the time for the lines of the log. It is used for nothing else.
    using WallClock = detail::WallClock;
    class Call;

    /// Opens `path` for appending, and creates the file if it does not exist.
    explicit TrafficLog(const std::string& path, const TrafficLogOptions& options = {},
                        WallClock wall_clock = std::chrono::system_clock::now)
        : options_{validated(options)},
          wall_clock_{
              detail::checked(std::move(wall_clock), "TrafficLog: the wall clock must not be empty")},
          file_{"TrafficLog", path} {
        waiting_.reserve(options_.buffer_size);
        written_.reserve(options_.buffer_size);
    }

    TrafficLog(const TrafficLog&) = delete;
    TrafficLog& operator=(const TrafficLog&) = delete;
    ~TrafficLog() { flush(); }

    /// Records a call that ended now. `in_flight` is the number of calls to the target that were in
    /// flight when it began, itself included.
    /// @return false if the line was dropped at once
    bool record(std::string_view target, Outcome outcome, Nanoseconds elapsed,
                std::uint64_t in_flight) noexcept {
        return add(target, to_string(outcome), elapsed, in_flight);
    }

    /// Records a call that a guard refused now.
    /// @return false if the line was dropped at once
    bool record_refused(std::string_view target, std::uint64_t in_flight) noexcept {
        return add(target, "refused", {}, in_flight);
    }

    /// Begins a call, which is measured until its outcome is recorded.
    [[nodiscard]] Call begin(std::string_view target, std::uint64_t in_flight);

    /// Writes all lines that wait.
    void flush() noexcept {
        const std::lock_guard writing{writing_};
        write_waiting();
    }

    /// Writes all lines that wait and opens the path again, for the rotation of logs: rename the file,
    /// then call this function. A line that is recorded meanwhile is complete in one of the two files.
    /// @return the error if the path cannot be opened; the current file then stays in use
    [[nodiscard]] std::error_code reopen() noexcept {
        const std::lock_guard writing{writing_};
        write_waiting();
        return file_.reopen();
    }

    /// Returns the number of lines that were dropped.
    [[nodiscard]] std::uint64_t dropped() const noexcept {
        const std::lock_guard lock{mutex_};
        return dropped_;
    }

  private:
    static constexpr std::size_t piece = 4096; // what a pipe takes whole or not at all

    [[nodiscard]] static TrafficLogOptions validated(const TrafficLogOptions& options) {
        options.validate();
        return options;
    }

    bool add(std::string_view target, std::string_view outcome, std::chrono::nanoseconds elapsed,
             std::uint64_t in_flight) noexcept {
        bool is_due = false;
        try {
            const auto now = wall_clock_();
            const detail::TrafficTime time{now};
            const std::lock_guard lock{mutex_};
            const std::size_t before = waiting_.size();
            if (before + detail::longest_traffic_line(target) > options_.buffer_size) {
                count_dropped_locked(1);
            } else {
                if (before == 0) oldest_ = now;
                detail::append_traffic_line(waiting_, time.text(), target, outcome, elapsed, in_flight);
                is_due = waiting_.size() >= piece || now - oldest_ >= options_.flush_after ||
                         now < oldest_; // the clock was set back
            }
            if (waiting_.size() == before) return false;
        } catch (...) { // an exception of the wall clock: only this line is dropped
            const std::lock_guard lock{mutex_};
            count_dropped_locked(1);
            return false;
        }
        if (is_due) {
            const std::unique_lock writing{writing_, std::try_to_lock};
            if (writing) write_waiting(); // otherwise the thread that writes now will be followed
        }
        return true;
    }

    /// Writes all lines that wait. The caller holds `writing_`.
    void write_waiting() noexcept {
        std::uint64_t missing = 0;
        {
            const std::lock_guard lock{mutex_};
            waiting_.swap(written_);
            missing = std::exchange(unreported_, 0);
        }
        std::uint64_t failed = 0;
        for (std::string_view rest = written_; !rest.empty();) {
            const std::string_view part = rest.substr(0, detail::whole_lines(rest, piece));
            rest.remove_prefix(part.size());
            if (!write(part)) failed += static_cast<std::uint64_t>(std::ranges::count(part, '\n'));
        }
        written_.clear();
        if (missing + failed == 0) return;
        // Lines that failed just now are reported at once if the file takes lines again.
        const bool is_reported = report(missing + failed);
        const std::lock_guard lock{mutex_};
        dropped_ += failed;
        if (!is_reported) unreported_ += missing + failed;
    }

    [[nodiscard]] bool write(std::string_view lines) noexcept {
        return file_.append([&] { return std::string{lines}; },
                            [](std::uint64_t) { return std::string{}; });
    }

    [[nodiscard]] bool report(std::uint64_t missing) noexcept {
        try {
            return write(
                detail::dropped_traffic_line(detail::TrafficTime{wall_clock_()}.text(), missing));
        } catch (...) {
            return false;
        }
    }

    void count_dropped_locked(std::uint64_t count) noexcept {
        dropped_ += count;
        unreported_ += count;
    }

    const TrafficLogOptions options_;
    const WallClock wall_clock_;
    mutable std::mutex mutex_;
    std::string waiting_;                            // guarded by mutex_
    std::chrono::system_clock::time_point oldest_{}; // guarded by mutex_; of the lines that wait
    std::uint64_t dropped_ = 0;                      // guarded by mutex_
    std::uint64_t unreported_ = 0;                   // guarded by mutex_
    std::mutex writing_;                             // before mutex_
    std::string written_;                            // guarded by writing_
    detail::LineFile file_;
};

/// A call that a TrafficLog measures.
///
/// **Contract.** It is recorded once: by record() or refused(), or as ignored by the destructor.
/// **Threads.** One thread at a time may use it. It must not outlive its log.
class TrafficLog::Call {
  public:
    Call(Call&& other) noexcept
        : log_{std::exchange(other.log_, nullptr)}, target_{std::move(other.target_)},
          began_{other.began_}, in_flight_{other.in_flight_} {}
    Call& operator=(Call&&) = delete;
    ~Call() { record(Outcome::ignored); }

    /// Records how the call ended.
    void record(Outcome outcome) noexcept {
        if (TrafficLog* const log = std::exchange(log_, nullptr))
            log->record(target_, outcome, std::chrono::steady_clock::now() - began_, in_flight_);
    }
    /// Records that a guard refused the call.
    void refused() noexcept {
        if (TrafficLog* const log = std::exchange(log_, nullptr))
            log->record_refused(target_, in_flight_);
    }

  private:
    friend class TrafficLog;
    Call(TrafficLog& log, std::string_view target, std::uint64_t in_flight)
        : log_{&log}, target_{target}, in_flight_{in_flight} {}

    TrafficLog* log_; // null once recorded
    std::string target_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::uint64_t in_flight_;
};

inline TrafficLog::Call TrafficLog::begin(std::string_view target, std::uint64_t in_flight) {
    return Call{*this, target, in_flight};
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
