// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_FUZZ_WRITTEN_CONFIG_HPP
#define DASHPOT_TESTS_FUZZ_WRITTEN_CONFIG_HPP

#include "scripted_dice.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fuzz {

/// Writes a config file for relay_hub by a script: the right keys in the right places, and numbers on
/// both sides of whatever range they may have. Changing bytes of a text gets there too, but for a long
/// time it gets no further than the parser.
class WrittenConfig {
  public:
    explicit WrittenConfig(ScriptedDice dice) : dice_{dice} {}

    [[nodiscard]] std::string text() {
        nlohmann::json top = settings();
        if (one_in(2)) top["targets"]["CORE"] = settings();
        return top.dump();
    }

  private:
    using json = nlohmann::json;

    bool one_in(std::uint32_t many) { return dice_.below(many) == 1; } // no script: nothing

    json number() {
        if (one_in(16)) return dice_.pick<json>({nullptr, true, "1", json::array(), json::object()});
        if (one_in(4)) return dice_.next() >> dice_.below(64);
        const auto bound = dice_.pick<double>(
            {0, 0.001, 0.5, 1, 10, 100, 1'000, 10'000, 86'400, 1e6, 4'294'967'296.0, 1e9, 1e18});
        const auto value = bound + dice_.pick<double>({0, 0, 1, -1, 0.0001, -0.0001, 1e-12});
        const bool is_whole = value == static_cast<double>(static_cast<std::int64_t>(value));
        return is_whole ? json(static_cast<std::int64_t>(value)) : json(value);
    }

    /// Few members at a time: the first that is refused ends the reading.
    json numbers(std::initializer_list<std::string_view> keys) {
        json result = json::object();
        for (const std::string_view key : keys)
            if (one_in(3)) result[std::string{key}] = number();
        return result;
    }

    json policy() {
        const auto type = dice_.pick<std::string_view>(
            {"consecutive_failures", "count_window", "time_window", "no_such_policy"});
        json result = type == "consecutive_failures" ? numbers({"threshold"})
                      : type == "count_window"
                          ? numbers({"size", "minimum_calls", "failure_rate"})
                          : numbers({"length", "buckets", "minimum_calls", "failure_rate"});
        result["type"] = type;
        if (one_in(3)) {
            result["slow_calls"] = numbers({"rate"});
            result["slow_calls"]["longer_than"] = number();
        }
        return result;
    }

    json adaptive() {
        const auto type = dice_.pick<std::string_view>({"gradient", "vegas", "aimd", "no_such_policy"});
        json result = type == "gradient" ? numbers({"tolerance", "smoothing", "long_window", "queue"})
                      : type == "vegas"  ? numbers({"smoothing", "probe_every"})
                                         : numbers({"decrease", "slow_after"});
        result.update(numbers({"initial", "min", "max"}));
        result["type"] = type;
        return result;
    }

    json retry() {
        json result = numbers({"max_attempts", "wait", "budget"});
        if (one_in(3)) result["wait"] = numbers({"initial", "factor", "cap", "jitter", "seed"});
        if (one_in(3)) result["budget"] = numbers({"ratio", "capacity"});
        if (one_in(3)) result["budget"] = false;
        if (one_in(2)) result["idempotent"] = true;
        return result;
    }

    json settings() {
        json result = numbers({"fail_threshold", "reset_timeout", "max_inflight", "call_timeout"});
        if (one_in(2)) result["policy"] = policy();
        if (one_in(3))
            result["reset_timeout"] = numbers({"initial", "factor", "cap", "jitter", "seed"});
        if (one_in(3)) result["half_open"] = numbers({"probes", "successes_to_close", "probe_timeout"});
        if (one_in(3)) result["history"] = number();
        if (one_in(4)) result["queue"] = numbers({"max_queued", "max_wait_ms"});
        if (one_in(4)) result["rate_limit"] = numbers({"permits", "per", "burst"});
        if (one_in(4)) result["adaptive"] = adaptive();
        if (one_in(4)) result["retry"] = retry();
        if (one_in(4)) {
            result["fallback"] = numbers({"status"});
            result["fallback"]["body"] = one_in(2) ? number() : json{{"code", "F"}, {"x", number()}};
        }
        return result;
    }

    ScriptedDice dice_;
};

} // namespace fuzz

#endif
