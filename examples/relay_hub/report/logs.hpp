// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REPORT_LOGS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REPORT_LOGS_HPP

#include "../settings/settings.hpp"

#include "../../common/standard_streams.hpp"

#include <dashpot/adapter/json_transition_log.hpp>
#include <dashpot/adapter/traffic_log.hpp>
#include <dashpot/adapter/transition_log.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/stat.h>

namespace relay_hub {

/// Returns true if both paths lead to one file that is there, however they are spelled or linked. Two
/// logs may share a device, such as /dev/null.
[[nodiscard]] inline bool is_one_file(const std::string& one, const std::string& other) {
    struct stat first{};
    struct stat second{};
    return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
           !S_ISCHR(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// A log whose failures are said on standard error: a disk that fills up is no reason to stop relaying.
///
/// **Threads.** Every member may be called from any thread at any time.
template <class Log>
class WatchedLog {
  public:
    /// @throws std::runtime_error  the file cannot be opened; names the option, or the file and the key
    explicit WatchedLog(const FileOption& option)
        : option_{option}, log_{[&] {
              try {
                  return Log{option.path};
              } catch (const std::system_error& error) {
                  throw std::runtime_error{option.given_by + ": " + error.what()};
              }
          }()} {}

    /// Of many lines that are lost, only the first is said.
    void append(std::string_view target, const dashpot::Transition& transition) {
        if (log_.append(target, transition) || has_complained_.exchange(true)) return;
        say("cannot write to " + option_.path + ": lines are being lost, GET /healthz counts them");
    }

    /// For who rotates logs: goes on in a new file, if the old one was renamed.
    void reopen() {
        if (const std::error_code error = log_.reopen())
            return say("cannot reopen " + option_.path + ": " + error.message() +
                       "; lines go on to the file as it was");
        has_complained_ = false;
    }

    [[nodiscard]] std::uint64_t lost_lines() const noexcept { return log_.lost(); }

  private:
    void say(const std::string& text) const {
        example::say("relay_hub", option_.given_by + ": " + text);
    }

    const FileOption option_;
    Log log_;
    std::atomic<bool> has_complained_ = false;
};

/// The files that changes of state, and calls, are written to.
///
/// **Threads.** Every member may be called from any thread at any time.
class Logs {
  public:
    /// @param config  the config file's name; empty: none
    /// @throws std::runtime_error     a file cannot be opened
    /// @throws std::invalid_argument  two of the four are one file; names both options
    Logs(const Options& options, const std::string& config)
        : paths_{options.breaker_log, options.event_log, options.traffic_log},
          breakers_{options.breaker_log} {
        if (has_events()) events_.emplace(options.event_log);
        if (has_traffic()) open_traffic();
        // After they were opened, and so are there.
        if (are_one()) refuse_one(paths_.events, paths_.breakers);
        if (const FileOption* const other = beside_traffic()) refuse_one(paths_.traffic, *other);
        for (const FileOption& log : {paths_.breakers, paths_.events, paths_.traffic})
            if (!config.empty() && is_one_file(log.path, config)) refuse_one(log, {config, "--config"});
    }

    void append(std::string_view target, const dashpot::Transition& transition) {
        breakers_.append(target, transition);
        if (events_) events_->append(target, transition);
    }

    /// May hang, where a path is on a mount that does not answer; append() does not then.
    void reopen() {
        if (are_one())
            return example::say("relay_hub", one_file(paths_.events, paths_.breakers) +
                                                 "; lines go on to the files as they were");
        breakers_.reopen();
        if (events_) events_->reopen();
        if (!traffic_) return;
        if (const FileOption* const other = beside_traffic())
            return example::say("relay_hub", one_file(paths_.traffic, *other) +
                                                 "; lines go on to the file as it was");
        if (const std::error_code error = traffic_->reopen())
            example::say("relay_hub", paths_.traffic.given_by + ": cannot reopen " +
                                          paths_.traffic.path + ": " + error.message() +
                                          "; lines go on to the file as it was");
    }

    /// Null if there is none.
    [[nodiscard]] dashpot::TrafficLog* traffic() noexcept { return traffic_ ? &*traffic_ : nullptr; }

    [[nodiscard]] std::uint64_t lost_lines() const noexcept { return breakers_.lost_lines(); }
    [[nodiscard]] std::uint64_t lost_events() const noexcept {
        return events_ ? events_->lost_lines() : 0;
    }

  private:
    [[nodiscard]] bool has_events() const { return !paths_.events.path.empty(); }
    [[nodiscard]] bool has_traffic() const { return !paths_.traffic.path.empty(); }
    void open_traffic() {
        try {
            traffic_.emplace(paths_.traffic.path);
        } catch (const std::system_error& error) {
            throw std::runtime_error{paths_.traffic.given_by + ": " + error.what()};
        }
    }
    /// The log that is one file with the traffic log; null if there is none.
    [[nodiscard]] const FileOption* beside_traffic() const {
        if (!has_traffic()) return nullptr;
        if (is_one_file(paths_.traffic.path, paths_.breakers.path)) return &paths_.breakers;
        const bool is_one = has_events() && is_one_file(paths_.traffic.path, paths_.events.path);
        return is_one ? &paths_.events : nullptr;
    }
    [[nodiscard]] bool are_one() const {
        return has_events() && is_one_file(paths_.breakers.path, paths_.events.path);
    }
    [[noreturn]] static void refuse_one(const FileOption& one, const FileOption& other) {
        throw std::invalid_argument{one_file(one, other)};
    }

    const struct {
        FileOption breakers;
        FileOption events;  // an empty path: none
        FileOption traffic; // an empty path: none
    } paths_;
    WatchedLog<dashpot::TransitionLog> breakers_;
    std::optional<WatchedLog<dashpot::JsonTransitionLog>> events_;
    std::optional<dashpot::TrafficLog> traffic_;
};

} // namespace relay_hub

#endif
