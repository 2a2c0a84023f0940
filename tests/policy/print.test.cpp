// SPDX-License-Identifier: MIT
// What is configured can be read in a log: each set of options prints itself.
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/half_open.hpp>
#include <dashpot/policy/rate_limit.hpp>
#include <dashpot/policy/time_window.hpp>
#include <dashpot/registry/registry.hpp>

#include "catch.hpp"

#include <chrono>
#include <sstream>
#include <string>

namespace tests::policy_print {

using namespace std::chrono_literals;
using namespace dashpot;

namespace {

template <class Options>
std::string printed(const Options& options) {
    std::ostringstream out;
    out << options;
    return out.str();
}

} // namespace

TEST_CASE("Policies: print every field", "[policy]") {
    CHECK(printed(ConsecutiveFailures{7}) == "ConsecutiveFailures{.threshold = 7}");
    CHECK(printed(CountWindow{.failure_rate = 2.0 / 3}) ==
          "CountWindow{.size = 100, .minimum_calls = 10, .failure_rate = 0.6666666666666666}");
    CHECK(printed(CountWindow{}) ==
          "CountWindow{.size = 100, .minimum_calls = 10, .failure_rate = 0.5}");
    CHECK(printed(CountWindow{.slow_calls = SlowCalls{.longer_than = 250ms, .rate = 0.75}}) ==
          "CountWindow{.size = 100, .minimum_calls = 10, .failure_rate = 0.5, "
          ".slow_calls = SlowCalls{.longer_than = 250ms, .rate = 0.75}}");
    CHECK(printed(TimeWindow{.length = 60s, .buckets = 6}) ==
          "TimeWindow{.length = 1min, .buckets = 6, .minimum_calls = 10, .failure_rate = 0.5}");
    CHECK(printed(RateLimit{.per = 1min, .burst = 3}) ==
          "RateLimit{.permits = 100, .per = 1min, .burst = 3}");
}

TEST_CASE("A backoff: prints what it was made from", "[policy]") {
    CHECK(printed(Backoff{10s}) == "10s");
    CHECK(printed(Backoff{ExponentialBackoff{.initial = 1s, .cap = 1min, .jitter = 0.1, .seed = 4}}) ==
          "ExponentialBackoff{.initial = 1s, .factor = 2, .cap = 1min, .jitter = 0.1, .seed = 4}");
    CHECK(Backoff{10s}.curve() == ExponentialBackoff{.initial = 10s, .factor = 1.0, .cap = 10s});
}

TEST_CASE("A breaker's options: print with all that they hold", "[policy]") {
    CHECK(printed(RegistryOptions{}) == "RegistryOptions{.max_targets = 10000}");
    CHECK(printed(TargetOptions<>{.max_concurrent = 3}) ==
          "TargetOptions{.policy = ConsecutiveFailures{.threshold = 5}, .breaker = " +
              printed(BreakerOptions{}) + ", .max_concurrent = 3}");
    CHECK(printed(HalfOpen{.probes = 3, .probe_timeout = 5s}) ==
          "HalfOpen{.probes = 3, .probe_timeout = 5s}");
    CHECK(printed(HalfOpen{.probes = 3, .successes_to_close = 2}) ==
          "HalfOpen{.probes = 3, .successes_to_close = 2}");
    CHECK(printed(BreakerOptions{.reset_timeout = 30s}) ==
          "BreakerOptions{.reset_timeout = 30s, .half_open = HalfOpen{.probes = 1}, "
          ".initial_state = State::closed, .count_totals = false, "
          ".honor_retry_after = false, .history = 0}");
}

TEST_CASE("A state: is printed among options as code has it", "[policy]") {
    using dashpot::detail::name_in_code;
    CHECK(name_in_code(State::closed) == "State::closed");
    CHECK(name_in_code(State::open) == "State::open");
    CHECK(name_in_code(State::half_open) == "State::half_open");
    CHECK(name_in_code(State::disabled) == "State::disabled");
    CHECK(name_in_code(State::forced_open) == "State::forced_open");
    CHECK(name_in_code(State::metrics_only) == "State::metrics_only");
    CHECK(name_in_code(static_cast<State>(200)) == "State{}");
}

} // namespace tests::policy_print
