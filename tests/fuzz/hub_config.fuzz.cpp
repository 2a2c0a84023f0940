// SPDX-License-Identifier: MIT
// Bytes are a config file of relay_hub or, after a first byte of 1, the script by which one is written.
// It is refused in words that name the file, or what it says is within the ranges that the hub's README
// promises.
#include "finding.hpp"
#include "scripted_dice.hpp"
#include "written_config.hpp"

#include "../../examples/relay_hub/settings/config_file.hpp"
#include "../../examples/relay_hub/settings/guard_config.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace {

using namespace relay_hub;
using fuzz::require;
using std::chrono::nanoseconds;

const std::string path = "hub.json";

// The ranges are the README's, in numbers: what the hub's own constants say is what is tested.

bool is_timeout(nanoseconds time) {
    return time >= std::chrono::milliseconds{1} && time <= std::chrono::hours{24};
}

template <class Number>
bool is_from(Number number, Number lowest, Number highest) { // and no NaN
    return number >= lowest && number <= highest;
}

bool is_count(std::uint32_t number, std::uint32_t highest) { return is_from(number, 1U, highest); }
bool is_rate(double rate) { return rate > 0 && rate <= 1; }

template <class Window>
void check_rule(const Window& window) {
    require(is_rate(window.failure_rate), "a failure rate");
    if (!window.slow_calls) return;
    require(is_rate(window.slow_calls->rate), "a slow rate");
    require(
        is_from<nanoseconds>(window.slow_calls->longer_than, nanoseconds{0}, std::chrono::hours{24}),
        "how long a slow call takes");
}

struct CheckPolicy {
    void operator()(const dashpot::ConsecutiveFailures& run) const {
        require(is_count(run.threshold, 1'000'000), "a threshold");
    }
    void operator()(const dashpot::CountWindow& window) const {
        require(is_count(window.size, 1'000'000), "the size of a window");
        require(is_count(window.minimum_calls, window.size), "the minimum of a count window");
        check_rule(window);
    }
    void operator()(const dashpot::TimeWindow& window) const {
        require(is_timeout(window.length), "the length of a window");
        require(is_count(window.buckets, 10'000), "the buckets of a window");
        require(window.length.count() % window.buckets == 0, "the length of a bucket");
        require(is_count(window.minimum_calls, 1'000'000), "the minimum of a time window");
        check_rule(window);
    }
};

struct CheckReset {
    void operator()(nanoseconds wait) const { require(is_timeout(wait), "a reset timeout"); }
    void operator()(const dashpot::ExponentialBackoff& backoff) const {
        require(is_timeout(backoff.initial), "the first wait");
        require(is_timeout(backoff.cap) && backoff.cap >= backoff.initial, "the longest wait");
        require(is_from(backoff.factor, 1.0, 1e9), "a factor");
        require(is_from(backoff.jitter, 0.0, 1.0), "a jitter");
    }
};

/// What GET /targets shows of a rule is what a config file would have to say.
void check_round_trip(const ConfiguredPolicy& policy) {
    const nlohmann::json shown = to_config(policy);
    require(read_policy(ConfigObject::root(path, shown)) == policy,
            "a policy that shows as another one");
}

struct CheckLimit {
    void operator()(const Unlimited&) const { require(false, "a learned limit that is none"); }
    void operator()(const dashpot::Gradient& limit) const {
        check_bounds(limit);
        require(limit.tolerance >= 1, "a tolerance");
        require(is_rate(limit.smoothing), "a smoothing");
        require(is_count(limit.long_window, 1'000'000), "a long window");
        require(limit.queue <= 1'000, "a queue at the target");
    }
    void operator()(const dashpot::Vegas& limit) const {
        check_bounds(limit);
        require(is_rate(limit.smoothing), "a smoothing");
        require(is_count(limit.probe_every, 1'000'000), "the windows between two probes");
    }
    void operator()(const dashpot::Aimd& limit) const {
        check_bounds(limit);
        require(limit.decrease > 0 && limit.decrease < 1, "a decrease");
        require(is_timeout(limit.slow_after), "how long a slow call takes");
    }

    template <class Limit>
    static void check_bounds(const Limit& limit) {
        require(is_count(limit.max, 1'000) && is_count(limit.initial, limit.max) &&
                    is_count(limit.min, limit.initial),
                "the bounds of a learned limit");
    }
};

void check_limits(const PartialSettings& settings) {
    if (settings.queue) {
        require(settings.queue->max_queued <= 1'000, "how many calls wait");
        require(is_timeout(settings.queue->max_wait), "how long calls wait");
        require(read_queue(ConfigObject::root(path, to_config(*settings.queue))) == *settings.queue,
                "a queue that shows as another one");
    }
    if (settings.adaptive) {
        require(!settings.max_inflight && !settings.queue, "a limit that is learned and given");
        std::visit(CheckLimit{}, settings.adaptive->rule);
        require(read_adaptive(ConfigObject::root(path, to_config(*settings.adaptive))) ==
                    *settings.adaptive,
                "a learned limit that shows as another one");
    }
    if (settings.rate_limit) {
        require(is_count(settings.rate_limit->permits, 1'000'000), "permits");
        require(is_timeout(settings.rate_limit->per), "the time of a rate limit");
        require(is_count(settings.rate_limit->burst.value_or(1), 1'000'000), "a burst");
    }
}

struct CheckWait {
    void operator()(nanoseconds wait) const {
        require(is_from<nanoseconds>(wait, nanoseconds{0}, std::chrono::hours{24}), "a wait");
    }
    void operator()(const dashpot::ExponentialBackoff& backoff) const { CheckReset{}(backoff); }
};

void check_calls(const PartialSettings& settings) {
    if (settings.retry) {
        require(is_count(settings.retry->max_attempts, 10), "attempts");
        std::visit(CheckWait{}, settings.retry->wait);
        if (settings.retry->budget) {
            require(is_rate(settings.retry->budget->ratio), "the ratio of a budget");
            require(is_count(settings.retry->budget->capacity, 1'000'000), "the capacity of a budget");
        }
    }
    if (settings.fallback) {
        require(is_from(settings.fallback->status, 200, 599), "a status");
        const nlohmann::json body = nlohmann::json::parse(settings.fallback->body, nullptr, false);
        require(body.is_object() && body.at("code") == settings.fallback->code, "a fallback's body");
    }
}

void check(const PartialSettings& settings) {
    if (settings.policy) {
        std::visit(CheckPolicy{}, settings.policy->rule);
        check_round_trip(*settings.policy);
    }
    if (settings.reset_timeout) std::visit(CheckReset{}, *settings.reset_timeout);
    if (settings.half_open) {
        const dashpot::HalfOpen& half_open = *settings.half_open;
        require(is_count(half_open.probes, 1'000), "probes");
        require(is_count(half_open.successes_needed(), half_open.probes), "successes to close");
        require(is_timeout(half_open.probe_timeout.value_or(std::chrono::seconds{1})),
                "a probe timeout");
    }
    require(is_count(settings.max_inflight.value_or(1), 1'000), "a limit of calls in flight");
    require(settings.history.value_or(0) <= 10'000, "how many events are kept");
    require(is_timeout(settings.call_timeout.value_or(std::chrono::seconds{1})), "a call timeout");
    check_limits(settings);
    check_calls(settings);
}

void check(const Endpoint& endpoint, int lowest_port) {
    require(!endpoint.host.empty() && endpoint.host.size() <= 253, "a host");
    require(is_from(endpoint.port, lowest_port, 65535), "a port");
}

void check(const ConfigFile& file) {
    if (file.listen) check(*file.listen, 0);
    require(!file.breaker_log || !file.breaker_log->empty(), "a log without a name");
    require(!file.event_log || !file.event_log->empty(), "an event log without a name");
    require(is_from(file.drain_time.value_or(nanoseconds{0}), nanoseconds{0},
                    nanoseconds{std::chrono::hours{1}}),
            "a drain time");
    check(file.settings);
    require(file.targets.size() <= 1'000, "the number of targets");
    for (const ConfigFile::Target& target : file.targets) {
        require(is_from<std::size_t>(target.name.size(), 1, 64), "the name of a target");
        if (target.url) check(*target.url, 1);
        check(target.settings);
    }
}

void check_message(std::string_view message) {
    require(message.starts_with(path + ": ") || message.starts_with(path + "."),
            "an error that does not name the file");
    require(message.size() <= 4'000, "an error as long as the file");
    require(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }),
            "an error that is not one line of text");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const bool is_script = size != 0 && data[0] == 1;
    const std::string text = is_script
                                 ? fuzz::WrittenConfig{fuzz::ScriptedDice{{data + 1, size - 1}}}.text()
                                 : std::string{reinterpret_cast<const char*>(data), size};
    try {
        check(read_config(path, text));
        require(nlohmann::json::accept(text) && text.find('\0') == std::string_view::npos,
                "a file accepted that is not JSON");
    } catch (const std::invalid_argument& error) {
        check_message(error.what());
    }
    return 0;
}
