// SPDX-License-Identifier: MIT
#include "guard_config.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace relay_hub {
namespace {

using dashpot::ConsecutiveFailures;
using dashpot::CountWindow;
using dashpot::ExponentialBackoff;
using dashpot::HalfOpen;
using dashpot::SlowCalls;
using dashpot::TimeWindow;
using nlohmann::json;

constexpr CountRange calls_range{1, 1'000'000};
constexpr CountRange buckets_range{1, 10'000};
constexpr CountRange probes_range{1, 1'000};
constexpr CountRange permits_range{1, 1'000'000};
constexpr CountRange queue_at_target_range{0, 1'000};
constexpr CountRange capacity_range{1, 1'000'000};
constexpr CountRange status_range{200, 599};
constexpr SecondsRange slow_range{0, 86'400};
constexpr SecondsRange wait_range{0, 86'400};

/// Unknown keys before what the library says: a misspelt one explains it.
template <class Options>
Options checked(const ConfigObject& object, const Options& options) {
    object.finish();
    options.validate();
    return options;
}

std::uint64_t to_seed(const json& value) {
    if (!value.is_number_unsigned())
        throw std::invalid_argument{"must be a whole number from 0 to 18446744073709551615"};
    return value.get<std::uint64_t>();
}

SlowCalls read_slow_calls(ConfigObject object) {
    SlowCalls result{};
    object.read_required("longer_than", result.longer_than, to_duration(slow_range));
    object.read("rate", result.rate, to_number);
    return checked(object, result);
}

/// What both windows judge by.
template <class Window>
void read_rule(ConfigObject& object, Window& window) {
    object.read("minimum_calls", window.minimum_calls, to_count(calls_range));
    object.read("failure_rate", window.failure_rate, to_number);
    object.read_object("slow_calls", window.slow_calls, read_slow_calls);
}

ConsecutiveFailures read_consecutive_failures(ConfigObject& object) {
    ConsecutiveFailures result;
    object.read("threshold", result.threshold, to_count(threshold_range));
    return checked(object, result);
}

CountWindow read_count_window(ConfigObject& object) {
    CountWindow result;
    object.read("size", result.size, to_count(calls_range));
    read_rule(object, result);
    return checked(object, result);
}

TimeWindow read_time_window(ConfigObject& object) {
    TimeWindow result;
    object.read("length", result.length, to_duration(timeout_range));
    object.read("buckets", result.buckets, to_count(buckets_range));
    read_rule(object, result);
    return checked(object, result);
}

dashpot::RetryBudgetOptions read_budget(ConfigObject object) {
    dashpot::RetryBudgetOptions result;
    object.read("ratio", result.ratio, to_number);
    object.read("capacity", result.capacity, to_count(capacity_range));
    return checked(object, result);
}

/// What all limit policies have.
template <class Limit>
void read_limits(ConfigObject& object, Limit& limit) {
    object.read("initial", limit.initial, to_count(inflight_range));
    object.read("min", limit.min, to_count(inflight_range));
    object.read("max", limit.max, to_count(inflight_range));
}

dashpot::Gradient read_gradient(ConfigObject& object) {
    dashpot::Gradient result;
    read_limits(object, result);
    object.read("tolerance", result.tolerance, to_number);
    object.read("smoothing", result.smoothing, to_number);
    object.read("long_window", result.long_window, to_count(calls_range));
    object.read("queue", result.queue, to_count(queue_at_target_range));
    return checked(object, result);
}

dashpot::Vegas read_vegas(ConfigObject& object) {
    dashpot::Vegas result;
    read_limits(object, result);
    object.read("smoothing", result.smoothing, to_number);
    object.read("probe_every", result.probe_every, to_count(calls_range));
    return checked(object, result);
}

dashpot::Aimd read_aimd(ConfigObject& object) {
    dashpot::Aimd result;
    read_limits(object, result);
    object.read("decrease", result.decrease, to_number);
    object.read("slow_after", result.slow_after, to_duration(timeout_range));
    return checked(object, result);
}

template <class Limit>
json with_limits(json result, const Limit& limit) {
    result["initial"] = limit.initial;
    result["min"] = limit.min;
    result["max"] = limit.max;
    return result;
}

template <class Window>
json with_rule(json result, const Window& window) {
    result["minimum_calls"] = window.minimum_calls;
    result["failure_rate"] = window.failure_rate;
    if (window.slow_calls)
        result["slow_calls"] = {{"longer_than", in_seconds(window.slow_calls->longer_than)},
                                {"rate", window.slow_calls->rate}};
    return result;
}

struct ToConfig {
    json operator()(const ConsecutiveFailures& run) const {
        return {{"type", "consecutive_failures"}, {"threshold", run.threshold}};
    }
    json operator()(const CountWindow& window) const {
        return with_rule({{"type", "count_window"}, {"size", window.size}}, window);
    }
    json operator()(const TimeWindow& window) const {
        return with_rule({{"type", "time_window"},
                          {"length", in_seconds(window.length)},
                          {"buckets", window.buckets}},
                         window);
    }
    json operator()(std::chrono::nanoseconds wait) const { return in_seconds(wait); }
    json operator()(const ExponentialBackoff& backoff) const {
        json result{{"initial", in_seconds(backoff.initial)},
                    {"factor", backoff.factor},
                    {"cap", in_seconds(backoff.cap)},
                    {"jitter", backoff.jitter}};
        if (backoff.seed) result["seed"] = *backoff.seed;
        return result;
    }
    json operator()(const Unlimited&) const { return nullptr; }
    json operator()(const dashpot::Gradient& limit) const {
        return with_limits({{"type", "gradient"},
                            {"tolerance", limit.tolerance},
                            {"smoothing", limit.smoothing},
                            {"long_window", limit.long_window},
                            {"queue", limit.queue}},
                           limit);
    }
    json operator()(const dashpot::Vegas& limit) const {
        return with_limits(
            {{"type", "vegas"}, {"smoothing", limit.smoothing}, {"probe_every", limit.probe_every}},
            limit);
    }
    json operator()(const dashpot::Aimd& limit) const {
        return with_limits({{"type", "aimd"},
                            {"decrease", limit.decrease},
                            {"slow_after", in_seconds(limit.slow_after)}},
                           limit);
    }
};

} // namespace

ConfiguredPolicy read_policy(ConfigObject object) {
    std::string type;
    object.read_required("type", type, to_text);
    if (type == "consecutive_failures") return {read_consecutive_failures(object)};
    if (type == "count_window") return {read_count_window(object)};
    if (type == "time_window") return {read_time_window(object)};
    object.reject("type", "must be consecutive_failures, count_window or time_window");
}

ExponentialBackoff read_backoff(ConfigObject object) {
    ExponentialBackoff result;
    object.read("initial", result.initial, to_duration(timeout_range));
    object.read("factor", result.factor, to_number);
    object.read("cap", result.cap, to_duration(timeout_range));
    object.read("jitter", result.jitter, to_number);
    object.read("seed", result.seed, to_seed);
    checked(object, dashpot::Backoff{result});
    return result;
}

HalfOpen read_half_open(ConfigObject object) {
    HalfOpen result;
    object.read("probes", result.probes, to_count(probes_range));
    object.read("successes_to_close", result.successes_to_close, to_count(probes_range));
    object.read("probe_timeout", result.probe_timeout, to_duration(timeout_range));
    return checked(object, result);
}

QueueSettings read_queue(ConfigObject object) {
    QueueSettings result;
    object.read("max_queued", result.max_queued, to_count(queued_range));
    object.read("max_wait_ms", result.max_wait, [](const json& value) {
        return std::chrono::milliseconds{to_count(milliseconds_range)(value)};
    });
    object.finish();
    return result;
}

ConfiguredLimit read_adaptive(ConfigObject object) {
    std::string type = "gradient";
    object.read("type", type, to_text);
    if (type == "gradient") return {read_gradient(object)};
    if (type == "vegas") return {read_vegas(object)};
    if (type == "aimd") return {read_aimd(object)};
    object.reject("type", "must be gradient, vegas or aimd");
}

dashpot::RateLimit read_rate_limit(ConfigObject object) {
    dashpot::RateLimit result;
    object.read_required("permits", result.permits, to_count(permits_range));
    object.read("per", result.per, to_duration(timeout_range));
    object.read("burst", result.burst, to_count(permits_range));
    return checked(object, result);
}

RetrySettings read_retry(ConfigObject object) {
    const auto to_bool = [](const json& value) {
        if (!value.is_boolean()) throw std::invalid_argument{"must be true or false"};
        return value.get<bool>();
    };
    RetrySettings result;
    object.read("max_attempts", result.max_attempts, to_count(attempts_range));
    object.read("wait", result.wait, [&](const json& value) {
        return value.is_object() ? ResetTimeout{read_backoff(object.inside("wait", value))}
                                 : ResetTimeout{to_duration(wait_range)(value)};
    });
    object.read("idempotent", result.is_idempotent, to_bool);
    object.read("budget", result.budget, [&](const json& value) {
        return value == json(false) ? std::nullopt
                                    : std::optional{read_budget(object.inside("budget", value))};
    });
    object.finish();
    return result;
}

FallbackAnswer read_fallback(ConfigObject object) {
    FallbackAnswer result;
    object.read("status", result.status,
                [](const json& value) { return static_cast<int>(to_count(status_range)(value)); });
    object.read_required("body", result.body, [&](const json& value) {
        ConfigObject body = object.inside("body", value);
        body.read_required("code", result.code, to_text);
        return value.dump();
    });
    object.finish();
    return result;
}

HalfOpen effective_half_open(const TargetSettings& settings) {
    HalfOpen result = settings.half_open;
    if (!result.probe_timeout) result.probe_timeout = settings.call_timeout + std::chrono::seconds{1};
    return result;
}

json to_config(const ConfiguredPolicy& policy) { return std::visit(ToConfig{}, policy.rule); }

json to_config(const ResetTimeout& reset_timeout) { return std::visit(ToConfig{}, reset_timeout); }

json to_config(const HalfOpen& half_open) {
    json result{{"probes", half_open.probes}, {"successes_to_close", half_open.successes_needed()}};
    if (half_open.probe_timeout) result["probe_timeout"] = in_seconds(*half_open.probe_timeout);
    return result;
}

json to_config(const QueueSettings& queue) {
    return {{"max_queued", queue.max_queued}, {"max_wait_ms", queue.max_wait.count()}};
}

json to_config(const ConfiguredLimit& adaptive) { return std::visit(ToConfig{}, adaptive.rule); }

json to_config(const RetrySettings& retry) {
    json result{{"max_attempts", retry.max_attempts},
                {"wait", to_config(retry.wait)},
                {"idempotent", retry.is_idempotent},
                {"budget", false}};
    if (retry.budget)
        result["budget"] = {{"ratio", retry.budget->ratio}, {"capacity", retry.budget->capacity}};
    return result;
}

json to_config(const FallbackAnswer& fallback) {
    return {{"status", fallback.status}, {"body", json::parse(fallback.body)}};
}

json to_config(const dashpot::RateLimit& limit) {
    json result{{"permits", limit.permits}, {"per", in_seconds(limit.per)}};
    if (limit.burst) result["burst"] = *limit.burst;
    return result;
}

} // namespace relay_hub
