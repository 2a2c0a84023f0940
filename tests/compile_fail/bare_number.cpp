// SPDX-License-Identifier: MIT
// A number is no duration until its unit is written. GIVEN_<field> says where one is given.
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/slow_calls.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/registry/registry.hpp>

using namespace std::chrono_literals;

#ifndef MUST_FAIL
dashpot::BreakerOptions breaker{.reset_timeout = 10s, .half_open = {.probe_timeout = 10s}};
dashpot::ExponentialBackoff curve{.initial = 10s, .cap = 10s};
dashpot::TimeWindow window{.length = 10s};
dashpot::SlowCalls slow{.longer_than = 10s};
dashpot::RegistryOptions registry{.evict_after = 10s};
bool answer(dashpot::CircuitBreaker<>& guard) { return guard.try_acquire().success(10s); }
#elif defined(GIVEN_reset_timeout)
dashpot::BreakerOptions breaker{.reset_timeout = 10};
#elif defined(GIVEN_initial)
dashpot::ExponentialBackoff curve{.initial = 10};
#elif defined(GIVEN_cap)
dashpot::ExponentialBackoff curve{.cap = 10};
#elif defined(GIVEN_length)
dashpot::TimeWindow window{.length = 10};
#elif defined(GIVEN_longer_than)
dashpot::SlowCalls slow{.longer_than = 10};
#elif defined(GIVEN_probe_timeout)
dashpot::HalfOpen half_open{.probe_timeout = 10};
#elif defined(GIVEN_evict_after)
dashpot::RegistryOptions registry{.evict_after = 10};
#elif defined(GIVEN_elapsed)
bool answer(dashpot::CircuitBreaker<>& guard) { return guard.try_acquire().success(10); }
#endif
