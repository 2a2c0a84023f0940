// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_STEP_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_STEP_HPP

#include <dashpot/core/state.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace breaker_drill {

/// One step of the drill: some calls of one path, and what is to come of them.
struct Step {
    std::string_view name;
    std::string_view text; ///< for people

    std::string_view path;
    std::uint32_t calls;   ///< How many are asked for ...
    std::uint32_t refused; ///< ... and how many of these the breaker refuses.
    int status;            ///< What the service answers to the others.

    dashpot::State state; ///< Where the breaker stands after them.
    std::uint32_t failures;

    /// It begins when the wait in OPEN is over.
    bool waits = false;
    /// It has a breaker of its own. All others share one, so each needs those before it.
    bool is_fresh = false;
};

// Three of six is the first time that half of at least five calls have failed.
inline constexpr std::array<Step, 7> steps{{
    {"healthy", "3 x /fast", "/fast", 3, 0, 200, dashpot::State::closed, 0},
    {"trip", "5 x /always500", "/always500", 5, 2, 500, dashpot::State::open, 3},
    {"fastfail", "10 calls while OPEN", "/always500", 10, 10, 500, dashpot::State::open, 3},
    {"wait", "the wait is over, nobody calls", "", 0, 0, 0, dashpot::State::open, 3, true},
    {"probe", "1 x /fast", "/fast", 1, 0, 200, dashpot::State::half_open, 0},
    {"recover", "2 x /fast more", "/fast", 2, 0, 200, dashpot::State::closed, 0},
    {"ignore4xx", "10 x /bad, fresh breaker", "/bad", 10, 0, 400, dashpot::State::closed, 0, false,
     true},
}};

/// The last step, which compares breakers and has no single state: see flicker.hpp.
inline constexpr std::string_view flicker_step = "flicker";

/// What is to be played.
struct Plan {
    std::vector<Step> steps;
    bool has_flicker = false;
};

/// Reads "all", or the name or number of a step. A step is played together with those that it needs.
/// @throws std::invalid_argument  there is no such step
[[nodiscard]] Plan parse_plan(const std::string& text);

/// "healthy, trip, fastfail ..."
[[nodiscard]] std::string step_names();

} // namespace breaker_drill

#endif
