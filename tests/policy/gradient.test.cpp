// SPDX-License-Identifier: MIT
#include <dashpot/policy/gradient.hpp>

#include "catch.hpp"
#include "policy/limit_support.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::policy_gradient {

using namespace std::chrono_literals;
using namespace limit_support;
using dashpot::Gradient;

namespace {

std::string refusal_of(const Gradient& policy) {
    try {
        policy.validate();
        return "";
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
}

} // namespace

TEST_CASE("Gradient: refuses options out of range by name", "[policy]") {
    CHECK(refusal_of({}).empty());
    CHECK(refusal_of({.tolerance = 1.0, .smoothing = 1.0, .long_window = 1, .queue = 0}).empty());
    CHECK(refusal_of({.initial = 3}) ==
          "Gradient::initial is 3, must be in [min, max], which is [4, 1000]");
    CHECK(refusal_of({.min = 0}).find("Gradient::min is 0") == 0);
    CHECK(refusal_of({.min = 20, .max = 10}).find("Gradient::max is 10") == 0);
    CHECK(refusal_of({.tolerance = 0.99}) == "Gradient::tolerance is 0.99, must be 1 or more");
    CHECK(refusal_of({.tolerance = std::numeric_limits<double>::infinity()}).find("Gradient::tol") ==
          0);
    CHECK(refusal_of({.smoothing = 0}) == "Gradient::smoothing is 0, must be in (0, 1]");
    CHECK(refusal_of({.smoothing = std::numeric_limits<double>::quiet_NaN()}).find("Gradient::s") == 0);
    CHECK(refusal_of({.long_window = 0}) == "Gradient::long_window is 0, must be 1 or more");
}

TEST_CASE("Gradient: prints every field", "[policy]") {
    std::ostringstream out;
    out << Gradient{};
    CHECK(out.str() ==
          "Gradient{.initial = 20, .min = 4, .max = 1000, .tolerance = 1.5, .smoothing = 0.2, "
          ".long_window = 600, .queue = 4}");
}

TEST_CASE("Gradient: doubles until the first sign of a queue, then moves in small steps", "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 20}};
    feed.saturated(2, 10ms);
    CHECK(feed.estimator.limit() == 80);
    feed.saturated(1, 20ms); // gradient 0.75: (80 + 4) x 0.75 = 63, a fifth of the way
    CHECK(feed.estimator.limit() == 76);
    feed.saturated(5, 10ms); // 0.8 each
    CHECK(feed.estimator.limit() == 80);
}

TEST_CASE("Gradient: a latency within the tolerance is no sign of a queue", "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 20, .smoothing = 1.0}};
    feed.saturated(1, 10ms);
    const std::uint32_t before = feed.estimator.limit();
    feed.saturated(5, 15ms);
    CHECK(feed.estimator.limit() > before);
    const std::uint32_t then = feed.estimator.limit();
    feed.saturated(1, 30ms);
    CHECK(feed.estimator.limit() < then);
}

TEST_CASE("Gradient: room for a queue does not outweigh a gradient below one", "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 10, .min = 1}};
    feed.windows(1, 8ms, 1);
    feed.saturated(200, 15ms); // a gradient of 0.8
    CHECK(feed.estimator.limit() <= 10);
}

TEST_CASE("Gradient: calls that are slow for a long time do not become the baseline", "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 20, .min = 20, .max = 200}};
    feed.saturated(100, 10ms);
    CHECK(feed.estimator.limit() == 200);
    feed.saturated(200, 200ms);
    for (int minute = 0; minute != 17; ++minute) {
        CHECK(feed.estimator.limit() == 20);
        feed.saturated(54, 200ms);
    }
}

TEST_CASE("Gradient: a target that stays slower, however few calls it has, is believed in the end",
          "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 20}};
    feed.saturated(100, 10ms);
    feed.saturated(200, 20ms);
    const std::uint32_t lowest = feed.estimator.limit();
    feed.saturated(600, 20ms);
    CHECK(feed.estimator.limit() > 10 * lowest);
}

TEST_CASE("Gradient: the baseline follows a target that becomes slower while there is room",
          "[policy]") {
    Feed<Gradient::Estimator> feed{Gradient{.initial = 100, .long_window = 20}};
    feed.windows(20, 10ms, 10);
    feed.windows(100, 14ms, 10);
    feed.windows(1, 20ms, 100); // within 1.5 times 14 ms
    CHECK(feed.estimator.limit() >= 100);
}

} // namespace tests::policy_gradient
