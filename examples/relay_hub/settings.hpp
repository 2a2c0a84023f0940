// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_HPP

#include "endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relay_hub {

/// What every target has; here its defaults.
struct TargetSettings {
    /// Failures in a row that open the circuit. 1 to 1 000 000.
    std::uint32_t fail_threshold = 5;
    /// How long it stays open before a probe. 0.001 to 86 400 seconds, like call_timeout.
    std::chrono::nanoseconds reset_timeout = std::chrono::seconds{10};
    /// Calls in flight at most. 1 to 1 000.
    std::uint32_t max_inflight = 10;
    /// For one call, from connecting to the last byte of the answer.
    std::chrono::nanoseconds call_timeout = std::chrono::seconds{3};
};

/// Those of the settings that somebody gave.
struct PartialSettings {
    std::optional<std::uint32_t> fail_threshold;
    std::optional<std::chrono::nanoseconds> reset_timeout;
    std::optional<std::uint32_t> max_inflight;
    std::optional<std::chrono::nanoseconds> call_timeout;

    [[nodiscard]] TargetSettings over(const TargetSettings& base) const {
        return {fail_threshold.value_or(base.fail_threshold),
                reset_timeout.value_or(base.reset_timeout), max_inflight.value_or(base.max_inflight),
                call_timeout.value_or(base.call_timeout)};
    }
};

struct TargetOptions {
    std::string name;
    Endpoint url;
    TargetSettings settings;
};

/// All that a hub is told.
struct Options {
    Endpoint listen;
    std::string breaker_log;
    bool has_protection = true;
    std::vector<TargetOptions> targets;
};

struct CountRange {
    std::uint32_t lowest;
    std::uint32_t highest;
};
inline constexpr CountRange threshold_range{1, 1'000'000};
inline constexpr CountRange inflight_range{1, 1'000};

// All of these throw std::invalid_argument, whose text says what was expected.

[[nodiscard]] std::uint32_t parse_count(std::string_view text, CountRange range);
/// Seconds with a fraction, "0.25".
[[nodiscard]] std::chrono::nanoseconds parse_seconds(std::string_view text);
[[nodiscard]] std::chrono::nanoseconds to_timeout(double seconds);
/// Target names go into log lines and JSON: 1 to 64 letters, digits, '_', '-' and '.'.
void check_target_name(std::string_view name);

} // namespace relay_hub

#endif
