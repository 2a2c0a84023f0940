// SPDX-License-Identifier: MIT
#ifndef DASHPOT_DASHPOT_HPP
#define DASHPOT_DASHPOT_HPP

/// Everything but adapters and test helpers. Bottom up, as the floors are.

#include <dashpot/version.hpp>

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/core/verdict.hpp>

#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/classifier.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/gradient.hpp>
#include <dashpot/policy/half_open.hpp>
#include <dashpot/policy/limit_policy.hpp>
#include <dashpot/policy/next_success.hpp>
#include <dashpot/policy/rate_limit.hpp>
#include <dashpot/policy/shadow.hpp>
#include <dashpot/policy/slow_calls.hpp>
#include <dashpot/policy/throttle.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/policy/vegas.hpp>

#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/guard/breaker_event.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/permit.hpp>
#include <dashpot/guard/priority.hpp>
#include <dashpot/guard/queue_options.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/guard/throttler.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/guard/waiter.hpp>

#include <dashpot/registry/registry.hpp>
#include <dashpot/registry/registry_options.hpp>
#include <dashpot/registry/removal.hpp>
#include <dashpot/registry/target.hpp>

#include <dashpot/pipeline/attempt.hpp>
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/fallback.hpp>
#include <dashpot/pipeline/hedge.hpp>
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry.hpp>
#include <dashpot/pipeline/retry_stats.hpp>
#include <dashpot/pipeline/timeout.hpp>

#endif
