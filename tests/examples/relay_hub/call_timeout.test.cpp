// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/call_timeout.hpp"

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tests::examples_relay_hub_call_timeout {

using namespace std::chrono_literals;
using relay_hub::CallTimeout;

namespace {

constexpr std::uint64_t closed = 1;
constexpr std::uint64_t period = 3;
constexpr std::uint64_t next_period = 5;

void change(CallTimeout& timeout, std::chrono::nanoseconds to, std::optional<std::uint64_t> half_open) {
    timeout.change(to, [&] { return half_open; });
}

auto now(const CallTimeout& timeout, std::uint64_t generation) {
    return timeout.of(generation, timeout.version());
}

} // namespace

TEST_CASE("CallTimeout: is that of the config in force") {
    CallTimeout timeout{3s};
    CHECK(now(timeout, closed) == 3s);
    for (const auto other : {5s, 1s}) {
        change(timeout, other, std::nullopt);
        CHECK(now(timeout, closed) == other);
        CHECK(now(timeout, period) == other);
    }
}

TEST_CASE("CallTimeout: a call that met the guards of another config gets that answer") {
    CallTimeout timeout{3s};
    const auto before = timeout.version();
    CHECK(timeout.of(closed, before) == 3s);
    change(timeout, 3s, std::nullopt); // the guards may be others
    CHECK_FALSE(timeout.of(closed, before));
    CHECK(now(timeout, closed) == 3s);
}

TEST_CASE("CallTimeout: a half-open period under way gets no longer one than it began with") {
    CallTimeout timeout{3s};
    change(timeout, 5s, period);
    CHECK(now(timeout, period) == 3s);
    CHECK(now(timeout, next_period) == 5s);
    change(timeout, 4s, period); // however often it changes
    CHECK(now(timeout, period) == 3s);
    change(timeout, 6s, std::nullopt);
    CHECK(now(timeout, next_period) == 6s);
    change(timeout, 7s, next_period);
    CHECK(now(timeout, next_period) == 6s);
}

TEST_CASE("CallTimeout: a shorter one holds for a half-open period under way too") {
    CallTimeout timeout{3s};
    change(timeout, 1s, period);
    CHECK(now(timeout, period) == 1s);
    change(timeout, 5s, period);
    CHECK(now(timeout, period) == 1s);
}

} // namespace tests::examples_relay_hub_call_timeout
