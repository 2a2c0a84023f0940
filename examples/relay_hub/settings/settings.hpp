// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_SETTINGS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_SETTINGS_HPP

#include "configured_limit.hpp"
#include "configured_policy.hpp"
#include "endpoint.hpp"

#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/half_open.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace relay_hub {

/// How long a circuit stays open: always the same, or longer each time.
using ResetTimeout = std::variant<std::chrono::nanoseconds, dashpot::ExponentialBackoff>;

/// How many calls may wait for one of those in flight to end, and how long.
struct QueueSettings {
    /// 0 to 1 000. With 0 no call waits.
    std::uint32_t max_queued = 10;
    /// The wait that is too long. 1 to 86 400 000 whole milliseconds.
    std::chrono::milliseconds max_wait = std::chrono::seconds{1};

    friend bool operator==(const QueueSettings&, const QueueSettings&) = default;
};

/// When a call that failed is made again.
struct RetrySettings {
    /// 1 to 10, the first one included.
    std::uint32_t max_attempts = 3;
    /// The waits between attempts. 0 to 86 400 seconds where they are constant.
    ResetTimeout wait = dashpot::ExponentialBackoff{
        .initial = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}, .jitter = 1.0};
    /// The target may carry out a request twice. Otherwise only those are repeated that never reached
    /// it.
    bool is_idempotent = false;
    /// Shared by all calls of the target. None: no budget.
    std::optional<dashpot::RetryBudgetOptions> budget = dashpot::RetryBudgetOptions{};
};

/// What the hub answers in place of a failure or a refusal.
struct FallbackAnswer {
    int status = 200; ///< 200 to 599
    std::string code; ///< of the body
    std::string body; ///< a JSON object
};

/// What every target has; here its defaults.
struct TargetSettings {
    /// When the circuit opens. A run of 5 failures.
    ConfiguredPolicy policy{};
    /// How long it stays open before a probe. 0.001 to 86 400 seconds, like call_timeout.
    ResetTimeout reset_timeout = std::chrono::nanoseconds{std::chrono::seconds{10}};
    /// How it probes. Without a probe_timeout: one second more than the call_timeout.
    dashpot::HalfOpen half_open{};
    /// Calls in flight at most. 1 to 1 000. Not in force where `adaptive` is limited.
    std::uint32_t max_inflight = 10;
    /// Calls that wait where max_inflight is reached. None: no call waits. Never beside `adaptive`.
    std::optional<QueueSettings> queue{};
    /// A limit of calls in flight that is learned, in place of max_inflight.
    ConfiguredLimit adaptive{};
    /// Calls that may begin. None: any number.
    std::optional<dashpot::RateLimit> rate_limit{};
    /// None: a call is made once.
    std::optional<RetrySettings> retry{};
    std::optional<FallbackAnswer> fallback{};
    /// For one call, from connecting to the last byte of the answer.
    std::chrono::nanoseconds call_timeout = std::chrono::seconds{3};
    /// How many of the breaker's last events are kept. 0 to 10 000; for the life of the breaker.
    std::uint32_t history = 0;

    /// How many calls may be in flight, whatever is learned.
    [[nodiscard]] std::uint32_t most_in_flight() const noexcept {
        return adaptive.is_limited() ? adaptive.highest() : max_inflight;
    }
    /// How many calls may wait, for a slot or for their next attempt. Each holds a thread, as one in
    /// flight does.
    [[nodiscard]] std::uint32_t most_waiting() const noexcept {
        return (queue ? queue->max_queued : 0) + (retry ? most_in_flight() : 0);
    }
};

/// Those of the settings that somebody gave.
struct PartialSettings {
    std::optional<ConfiguredPolicy> policy;
    std::optional<ResetTimeout> reset_timeout;
    std::optional<dashpot::HalfOpen> half_open;
    std::optional<std::uint32_t> max_inflight;
    std::optional<QueueSettings> queue;
    std::optional<ConfiguredLimit> adaptive; ///< never beside max_inflight or queue
    std::optional<dashpot::RateLimit> rate_limit;
    std::optional<RetrySettings> retry;
    std::optional<FallbackAnswer> fallback;
    std::optional<std::chrono::nanoseconds> call_timeout;
    std::optional<std::uint32_t> history;

    [[nodiscard]] TargetSettings over(const TargetSettings& base) const {
        TargetSettings result = base;
        result.policy = policy.value_or(base.policy);
        result.reset_timeout = reset_timeout.value_or(base.reset_timeout);
        result.half_open = half_open.value_or(base.half_open);
        result.max_inflight = max_inflight.value_or(base.max_inflight);
        if (queue) result.queue = queue;
        // A limit is learned or given: the more special source says which.
        if (max_inflight || queue) result.adaptive = {};
        if (adaptive) {
            result.adaptive = *adaptive;
            result.queue.reset();
        }
        if (rate_limit) result.rate_limit = rate_limit;
        if (retry) result.retry = retry;
        if (fallback) result.fallback = fallback;
        result.call_timeout = call_timeout.value_or(base.call_timeout);
        result.history = history.value_or(base.history);
        return result;
    }
};

struct TargetOptions {
    std::string name;
    Endpoint url;
    TargetSettings settings;
    std::string url_given_by = "--target: " + name; ///< for messages, as in FileOption
};

/// The name of a file, and what it was given by, for messages: the option, or the config file and the
/// key.
struct FileOption {
    std::string path;
    std::string given_by;
};

/// What is wrong where two files must not be one.
[[nodiscard]] inline std::string one_file(const FileOption& one, const FileOption& other) {
    return one.given_by + ", " + other.given_by + ": " + one.path + " and " + other.path +
           " are one file";
}

/// All that a hub is told.
struct Options {
    Endpoint listen{"127.0.0.1", 9200};
    std::string listen_given_by = "--listen"; ///< for messages, as in FileOption
    FileOption breaker_log{"breaker.log", "--breaker-log"};
    FileOption event_log{{}, "--event-log"};     ///< an empty path: none
    FileOption traffic_log{{}, "--traffic-log"}; ///< an empty path: none
    /// How long it says that it is about to stop, before it does. 0 to 3 600 seconds.
    std::chrono::nanoseconds drain_time{0};
    bool has_protection = true;
    std::vector<TargetOptions> targets;
};

/// Each has threads and descriptors of its own: the machine's limits are not far beyond.
inline constexpr std::size_t max_targets = 1'000;

struct CountRange {
    std::uint32_t lowest;
    std::uint32_t highest;
};
inline constexpr CountRange threshold_range{1, 1'000'000};
inline constexpr CountRange inflight_range{1, 1'000};
inline constexpr CountRange queued_range{0, 1'000};
inline constexpr CountRange attempts_range{1, 10};
/// A day at most, as timeout_range.
inline constexpr CountRange milliseconds_range{1, 86'400'000};
/// Less than the library keeps: who asks for a history gets all of it in one answer.
inline constexpr CountRange history_range{0, 10'000};

struct SecondsRange {
    double lowest;
    double highest;
};
inline constexpr SecondsRange timeout_range{0.001, 86'400};
inline constexpr SecondsRange drain_range{0, 3'600};

// Those that read throw std::invalid_argument, whose text says what was expected.

[[nodiscard]] std::uint32_t parse_count(std::string_view text, CountRange range);
/// Seconds with a fraction, "0.25".
[[nodiscard]] std::chrono::nanoseconds parse_seconds(std::string_view text, SecondsRange range);
[[nodiscard]] std::chrono::nanoseconds from_seconds(double seconds, SecondsRange range);
/// The other way round, for people and JSON.
[[nodiscard]] inline double in_seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>{time}.count();
}
/// Target names go into log lines, JSON and paths of URLs: 1 to 64 letters and digits of ASCII, '_',
/// '-' and '.', but neither "." nor "..", which clients take out of a path.
void check_target_name(std::string_view name);

} // namespace relay_hub

#endif
