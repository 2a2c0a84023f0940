// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_FORMATTED_TRANSITION_LOG_HPP
#define DASHPOT_ADAPTER_DETAIL_FORMATTED_TRANSITION_LOG_HPP

#include <dashpot/adapter/detail/line_file.hpp>
#include <dashpot/adapter/detail/log_time.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/guard/transition.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A log of transitions: a file, a wall clock, and a format for the lines. TransitionLog and
/// JsonTransitionLog differ in their format only.
///
/// **Contract.** `Format` has these static members. Lines end with a line feed.
/// - `log_name` and `empty_clock`: the name of the log, and the message about an empty wall clock;
/// - `line(time, target, transition)`: returns the line of a transition;
/// - `gap(time, lost)`: returns the line about `lost` lines that were lost.
template <class Format>
class FormattedTransitionLog {
  public:
    /// A function that returns the time for the lines of the log. It is used for nothing else.
    using WallClock = detail::WallClock;

    /// Opens `path` for appending, and creates the file if it does not exist.
    explicit FormattedTransitionLog(const std::string& path,
                                    WallClock wall_clock = std::chrono::system_clock::now)
        : wall_clock_{checked(std::move(wall_clock), Format::empty_clock)},
          file_{Format::log_name, path} {}

    /// Appends a line.
    /// @return false if the line was lost
    bool append(std::string_view target, const Transition& transition) noexcept {
        return file_.append(
            [&] { return Format::line(log_time(wall_clock_()), target, transition); },
            [&](std::uint64_t lost) { return Format::gap(log_time(wall_clock_()), lost); });
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

  protected:
    ~FormattedTransitionLog() = default;

  private:
    const WallClock wall_clock_;
    LineFile file_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
