// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_GUARD_CONFIG_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_GUARD_CONFIG_HPP

#include "config_object.hpp"
#include "configured_limit.hpp"
#include "configured_policy.hpp"
#include "settings.hpp"

#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/half_open.hpp>
#include <dashpot/policy/rate_limit.hpp>

#include <nlohmann/json_fwd.hpp>

namespace relay_hub {

// A target's guards as a config file describes them: the keys are the names of dashpot's options,
// durations are in seconds. What the file leaves out has the library's default.
//
// Durations and counts have limits of the hub's own; all else the library judges, in its own words.
// What is refused is a std::invalid_argument, and ConfigObject::read() adds where it stands.

/// `{"type": "count_window", "size": 100, …}`.
[[nodiscard]] ConfiguredPolicy read_policy(ConfigObject object);

/// `{"initial": 1, "cap": 60, …}`.
[[nodiscard]] dashpot::ExponentialBackoff read_backoff(ConfigObject object);

/// `{"probes": 3, …}`.
[[nodiscard]] dashpot::HalfOpen read_half_open(ConfigObject object);

/// `{"max_queued": 20, "max_wait_ms": 250}`.
[[nodiscard]] QueueSettings read_queue(ConfigObject object);

/// `{"type": "gradient", "max": 100, …}`. Without a type it is gradient, the library's default.
[[nodiscard]] ConfiguredLimit read_adaptive(ConfigObject object);

/// `{"permits": 100, "per": 1, …}`.
[[nodiscard]] dashpot::RateLimit read_rate_limit(ConfigObject object);

/// `{"max_attempts": 3, "wait": 0.1, "idempotent": false, "budget": {"ratio": 0.1, "capacity": 100}}`.
/// `"budget": false`: none.
[[nodiscard]] RetrySettings read_retry(ConfigObject object);

/// `{"status": 200, "body": {"code": "F001", …}}`.
[[nodiscard]] FallbackAnswer read_fallback(ConfigObject object);

/// How a target is probed. Without a probe_timeout of its own: one second more than the call_timeout.
///
/// A probe is a call and ends within the call timeout. With the library's default, the reset timeout, a
/// short one would send a second probe after a first that is merely slow.
[[nodiscard]] dashpot::HalfOpen effective_half_open(const TargetSettings& settings);

// The other way round: what a config file would have to say.

[[nodiscard]] nlohmann::json to_config(const ConfiguredPolicy& policy);
[[nodiscard]] nlohmann::json to_config(const ResetTimeout& reset_timeout);
[[nodiscard]] nlohmann::json to_config(const dashpot::HalfOpen& half_open);
[[nodiscard]] nlohmann::json to_config(const QueueSettings& queue);
/// To be asked only where it is limited.
[[nodiscard]] nlohmann::json to_config(const ConfiguredLimit& adaptive);
[[nodiscard]] nlohmann::json to_config(const dashpot::RateLimit& limit);
[[nodiscard]] nlohmann::json to_config(const RetrySettings& retry);
[[nodiscard]] nlohmann::json to_config(const FallbackAnswer& fallback);

} // namespace relay_hub

#endif
