// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_LOGS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_LOGS_HPP

#include "settings.hpp"

#include <dashpot/adapter/json_transition_log.hpp>
#include <dashpot/adapter/transition_log.hpp>

#include <atomic>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace relay_hub {

/// A log whose failures are said on standard error: a disk that fills up is no reason to stop relaying.
///
/// **Threads.** Every member may be called from any thread at any time.
template <class Log>
class WatchedLog {
  public:
    /// @throws std::system_error  the file cannot be opened
    explicit WatchedLog(const std::string& path) : path_{path}, log_{path} {}

    /// Of many lines that are lost, only the first is said.
    void append(std::string_view target, const dashpot::Transition& transition) {
        if (log_.append(target, transition) || has_complained_.exchange(true)) return;
        say("cannot write to " + path_ + ": lines are being lost, GET /healthz counts them");
    }

    /// For who rotates logs: goes on in a new file, if the old one was renamed.
    void reopen() {
        if (const std::error_code error = log_.reopen())
            return say("cannot reopen " + path_ + ": " + error.message() +
                       "; lines go on to the file as it was");
        has_complained_ = false;
    }

    [[nodiscard]] std::uint64_t lost_lines() const noexcept { return log_.lost(); }

  private:
    // One write: lines of several threads do not mix.
    static void say(const std::string& text) { std::cerr << "relay_hub: " + text + "\n" << std::flush; }

    const std::string path_;
    Log log_;
    std::atomic<bool> has_complained_ = false;
};

/// The files that changes of state are written to.
///
/// **Threads.** Every member may be called from any thread at any time.
class Logs {
  public:
    /// @throws std::system_error  a file cannot be opened
    explicit Logs(const Options& options) : breakers_{options.breaker_log} {
        if (!options.event_log.empty()) events_.emplace(options.event_log);
    }

    void append(std::string_view target, const dashpot::Transition& transition) {
        breakers_.append(target, transition);
        if (events_) events_->append(target, transition);
    }

    void reopen() {
        breakers_.reopen();
        if (events_) events_->reopen();
    }

    [[nodiscard]] std::uint64_t lost_lines() const noexcept { return breakers_.lost_lines(); }
    [[nodiscard]] std::uint64_t lost_events() const noexcept {
        return events_ ? events_->lost_lines() : 0;
    }

  private:
    WatchedLog<dashpot::TransitionLog> breakers_;
    std::optional<WatchedLog<dashpot::JsonTransitionLog>> events_;
};

} // namespace relay_hub

#endif
