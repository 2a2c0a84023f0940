// SPDX-License-Identifier: MIT
#include <dashpot/policy/slow_calls.hpp>

#include "catch.hpp"

#include <chrono>
#include <limits>
#include <stdexcept>
#include <string>

namespace tests::policy_slow_calls {

using namespace std::chrono_literals;
using dashpot::SlowCalls;
using std::chrono::hours;
using std::chrono::nanoseconds;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr bool is_valid(const SlowCalls& options) {
    options.validate(); // a refusal is no constant expression
    return true;
}

static_assert(SlowCalls{}.longer_than == 0ns);
static_assert(SlowCalls{.longer_than = 1s}.rate == 1.0);
static_assert(is_valid({.longer_than = 0ns}) && is_valid({.longer_than = 1s, .rate = 0.5}));
static_assert(SlowCalls{.longer_than = 2s} == SlowCalls{.longer_than = 2000ms, .rate = 1.0});
static_assert(SlowCalls{.longer_than = 2s} != SlowCalls{.longer_than = 2s + 1ns});
static_assert(SlowCalls{.longer_than = 2s} != SlowCalls{.longer_than = 2s, .rate = 0.99});

/// What validate() says; nothing if it accepts.
std::string refusal(const SlowCalls& options) {
    try {
        options.validate();
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
    return {};
}

/// The field that it names, which comes first.
std::string refused_field(const SlowCalls& options) {
    const std::string message = refusal(options);
    return message.substr(0, message.find(' '));
}

} // namespace

TEST_CASE("SlowCalls: takes a limit of nothing, and of forever, as given", "[policy]") {
    CHECK(refusal({.longer_than = 0ns}).empty());
    CHECK(refusal({.longer_than = 1ns}).empty());
    CHECK(refusal({.longer_than = hours::max()}).empty());
    CHECK(SlowCalls{.longer_than = hours::max()}.longer_than == nanoseconds::max());
}

TEST_CASE("SlowCalls: refuses a negative limit by name", "[policy]") {
    CHECK(refused_field({.longer_than = -1ns}) == "SlowCalls::longer_than");
    CHECK(refused_field({.longer_than = -1s}) == "SlowCalls::longer_than");
    CHECK(refused_field({.longer_than = nanoseconds::min()}) == "SlowCalls::longer_than");
    CHECK(refused_field({.longer_than = hours::min()}) == "SlowCalls::longer_than");
}

TEST_CASE("SlowCalls: refuses a rate outside its range by name, and a percentage for a ratio",
          "[policy]") {
    const double rate = GENERATE(as<double>{}, 0.0, -0.0, -0.5, -1.0, 1.0000001, 50.0, 100.0,
                                 not_a_number, infinity, -infinity);
    const SlowCalls options{.longer_than = 1s, .rate = rate};
    CHECK(refused_field(options) == "SlowCalls::rate");
    CHECK(refusal({.longer_than = 1s, .rate = 99.5}) ==
          "SlowCalls::rate is 99.5, must be in (0, 1]; for 50 % write 0.5");
    CHECK(refusal({.longer_than = -2s}) == "SlowCalls::longer_than is -2s, must be 0s or more");
    CHECK(refusal(options).find("must be in (0, 1]; for 50 % write 0.5") != std::string::npos);
}

TEST_CASE("SlowCalls: takes every ratio up to the whole", "[policy]") {
    const double rate =
        GENERATE(as<double>{}, std::numeric_limits<double>::denorm_min(), 0.07, 0.5, 2.0 / 3, 1.0);
    CHECK(refusal({.longer_than = 1s, .rate = rate}).empty());
}

TEST_CASE("SlowCalls: means the same in every unit", "[policy]") {
    CHECK(SlowCalls{.longer_than = 2s} == SlowCalls{.longer_than = 2000ms});
    CHECK(SlowCalls{.longer_than = 2s} == SlowCalls{.longer_than = 2'000'000us});
    CHECK(SlowCalls{.longer_than = 2min} == SlowCalls{.longer_than = 120s});
}

} // namespace tests::policy_slow_calls
