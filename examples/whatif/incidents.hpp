// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_INCIDENTS_HPP
#define DASHPOT_EXAMPLES_WHATIF_INCIDENTS_HPP

#include "call.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace whatif {

/// A time during which the target failed: from its first second up to the end of its last.
struct Incident {
    std::int64_t from = 0;
    std::int64_t to = 0;

    friend bool operator==(const Incident&, const Incident&) = default;
};

/// Finds the runs of seconds in which at least half of at least `least_calls` calls failed. Ignored
/// calls are not among them.
class IncidentFinder {
  public:
    explicit IncidentFinder(std::uint64_t least_calls) : least_calls_{least_calls} {}

    /// Adds a call. Calls are added in the order of their ends.
    void add(const Call& call) {
        if (call.ending != Ending::success && call.ending != Ending::failure) return;
        const std::int64_t second = call.end / length;
        if (second != second_) close_second(second);
        ++calls_;
        if (call.ending == Ending::failure) ++failures_;
    }

    [[nodiscard]] std::vector<Incident> finish() {
        close_second(second_ + 2);
        return std::move(found_);
    }

    /// The most incidents that are kept.
    static constexpr std::size_t most = 10'000;

  private:
    static constexpr std::int64_t length = 1'000'000'000;

    void close_second(std::int64_t next) {
        const bool is_bad = calls_ >= least_calls_ && calls_ != 0 && failures_ * 2 >= calls_;
        const std::int64_t from = second_ * length;
        if (is_bad && found_.size() < most) {
            if (!found_.empty() && found_.back().to == from) {
                found_.back().to = from + length;
            } else {
                found_.push_back({from, from + length});
            }
        }
        second_ = next;
        calls_ = failures_ = 0;
    }

    const std::uint64_t least_calls_;
    std::int64_t second_ = -1;
    std::uint64_t calls_ = 0;
    std::uint64_t failures_ = 0;
    std::vector<Incident> found_;
};

} // namespace whatif

#endif
