// SPDX-License-Identifier: MIT
// Options that make no sense: refused by name where they are given, nothing built, nothing made up.
#include "catch.hpp"
#include "field_cases/forms.hpp"

#include <dashpot/registry/registry.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace tests::field_cases_options {

using namespace field;

namespace {

constexpr auto most = std::numeric_limits<std::uint32_t>::max();

BreakerOptions half_open(HalfOpen options) { return {.half_open = options}; }

/// What std::invalid_argument says that comes of it, or "" if none does.
template <class Make>
std::string refusal_of(Make make) {
    try {
        make();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return {};
}

bool names(const std::string& message, const std::string& field) {
    return message.find(field) != std::string::npos;
}

/// Every place where options are given refuses these, and says which field is wrong.
void check_refused(const ConsecutiveFailures& policy, const BreakerOptions& options,
                   const std::string& field) {
    const TargetOptions<> for_target{.policy = policy, .breaker = options};
    CHECK(names(refusal_of([&] { Breaker{policy, options, ManualClock{}}; }), field));
    CHECK(names(refusal_of([&] { Entrance{"a", for_target, ManualClock{}}; }), field));
    CHECK(names(refusal_of([&] { Registry<ManualClock>{for_target}; }), field));

    Registry<ManualClock> targets;
    CHECK(names(refusal_of([&] { targets.configure("a", for_target); }), field));
    CHECK(targets.find("a") == nullptr);
    CHECK_NOTHROW(targets.configure("a", {.max_concurrent = 2})); // nothing of the bad ones was kept
    CHECK(targets.get("a")->bulkhead().max_concurrent() == 2);
}

} // namespace

// ackintosh/ganesha#58, NVIDIA/NVSentinel#1713, Elevarq/Arq-Signals#90
TEST_CASE("ConsecutiveFailures: a threshold of 0 is refused by name") {
    check_refused({0}, {}, "threshold");
    CHECK_NOTHROW(Breaker{{1}});
    CHECK_NOTHROW(Breaker{{most}});
}

// Elevarq/Arq-Signals#90
TEST_CASE("BreakerOptions: a reset timeout that is no time is refused by name, whatever its unit") {
    const auto bad =
        GENERATE(Nanoseconds{0ns}, Nanoseconds{-1ns}, Nanoseconds{Nanoseconds::min()},
                 Nanoseconds{std::chrono::hours{-1}}, Nanoseconds{std::chrono::hours::min()});
    check_refused({}, {.reset_timeout = bad}, "reset_timeout");
}

TEST_CASE("BreakerOptions: any reset timeout longer than nothing is taken at its word") {
    const auto good = GENERATE(Nanoseconds{1ns}, Nanoseconds{std::chrono::hours::max()},
                               Nanoseconds{Nanoseconds::max()});
    Breaker breaker{{1}, {.reset_timeout = good}, ManualClock{}};
    breaker.record_failure();
    CHECK(breaker.retry_after() == good);
}

// NVIDIA/NVSentinel#1713
TEST_CASE("HalfOpen: no probes, no successes and a probe timeout that is no time are refused by name") {
    check_refused({}, half_open({.probes = 0}), "probes");
    check_refused({}, half_open({.probes = 0, .successes_to_close = 0}), "HalfOpen::");
    check_refused({}, half_open({.probes = 1, .successes_to_close = 0}), "successes_to_close");
    check_refused({}, half_open({.probes = most, .successes_to_close = 0}), "successes_to_close");
    check_refused({}, half_open({.probe_timeout = 0ns}), "probe_timeout");
    check_refused({}, half_open({.probe_timeout = -1ns}), "probe_timeout");
    check_refused({}, half_open({.probe_timeout = std::chrono::hours::min()}), "probe_timeout");
}

// kcenon/common_system include/kcenon/common/resilience/circuit_breaker.h
TEST_CASE(
    "HalfOpen: more successes than there are probes are refused, since they can never be reached") {
    const auto [probes, successes] = GENERATE(table<std::uint32_t, std::uint32_t>(
        {{1, 2}, {1, 3}, {2, 3}, {10, 11}, {1, most}, {most - 1, most}}));
    check_refused({}, half_open({.probes = probes, .successes_to_close = successes}),
                  "successes_to_close");
}

TEST_CASE(
    "HalfOpen: everything up to all probes, and up to the most there can be, is taken at its word") {
    const auto [probes, successes] = GENERATE(table<std::uint32_t, std::uint32_t>(
        {{1, 1}, {2, 1}, {2, 2}, {most, 1}, {most, most}, {most, most - 1}}));
    const BreakerOptions options =
        half_open({.probes = probes, .successes_to_close = successes, .probe_timeout = 1ns});
    Permits form{options};
    REQUIRE(open_and_wait(form));
    CHECK(succeed(form));
    CHECK(form.breaker.state() == (successes == 1 ? State::closed : State::half_open));
}

TEST_CASE("HalfOpen: where only the probes are given, all of them must succeed") {
    constexpr HalfOpen five{.probes = 5};
    STATIC_REQUIRE(five.successes_needed() == 5);
    STATIC_REQUIRE(HalfOpen{}.successes_needed() == 1);
    STATIC_REQUIRE_FALSE(HalfOpen{}.probe_timeout);
}

// ackintosh/ganesha#58
TEST_CASE("RegistryOptions: room for no target is refused by name") {
    CHECK(names(refusal_of([] { Registry<ManualClock>{{}, {.max_targets = 0}}; }), "max_targets"));
    Registry<ManualClock> smallest{{}, {.max_targets = 1}};
    CHECK_NOTHROW(smallest.get("a"));
    Registry<ManualClock> largest{{}, {.max_targets = std::numeric_limits<std::size_t>::max()}};
    CHECK_NOTHROW(largest.get("a"));
}

TEST_CASE("Bulkhead: any limit is taken at its word, 0 for maintenance included") {
    const auto limit = GENERATE(0U, 1U, most);
    Bulkhead hull{limit};
    CHECK(hull.max_concurrent() == limit);
    CHECK(hull.available() == limit);
    const auto slot = hull.try_acquire();
    CHECK(bool(slot) == (limit > 0));
    CHECK(hull.in_flight() == (limit > 0 ? 1U : 0U));
    CHECK_NOTHROW(Entrance{"a", {.max_concurrent = limit}, ManualClock{}});
}

} // namespace tests::field_cases_options
