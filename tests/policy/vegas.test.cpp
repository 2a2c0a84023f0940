// SPDX-License-Identifier: MIT
#include <dashpot/policy/vegas.hpp>

#include "catch.hpp"
#include "policy/limit_support.hpp"

#include <chrono>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::policy_vegas {

using namespace std::chrono_literals;
using namespace limit_support;
using dashpot::Vegas;

namespace {

std::string refusal_of(const Vegas& policy) {
    try {
        policy.validate();
        return "";
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
}

} // namespace

TEST_CASE("Vegas: refuses options out of range by name", "[policy]") {
    CHECK(refusal_of({}).empty());
    CHECK(refusal_of({.initial = 1001}) ==
          "Vegas::initial is 1001, must be in [min, max], which is [1, 1000]");
    CHECK(refusal_of({.min = 0}).find("Vegas::min is 0") == 0);
    CHECK(refusal_of({.min = 20, .max = 10}).find("Vegas::max is 10") == 0);
    CHECK(refusal_of({.smoothing = 1.5}) == "Vegas::smoothing is 1.5, must be in (0, 1]");
    CHECK(refusal_of({.probe_every = 0}) == "Vegas::probe_every is 0, must be 1 or more");
}

TEST_CASE("Vegas: prints every field", "[policy]") {
    std::ostringstream out;
    out << Vegas{};
    CHECK(out.str() ==
          "Vegas{.initial = 20, .min = 1, .max = 1000, .smoothing = 1, .probe_every = 30}");
}

TEST_CASE("Vegas: doubles until the first sign of a queue, then grows by the logarithm", "[policy]") {
    Feed<Vegas::Estimator> feed{Vegas{.initial = 20, .probe_every = 1000}};
    feed.saturated(2, 10ms);
    CHECK(feed.estimator.limit() == 80);
    feed.saturated(200, 40ms); // shrinks until few calls queue
    const std::uint32_t lowest = feed.estimator.limit();
    CHECK(lowest < 10);
    feed.saturated(100, 10ms);
    const std::uint32_t after = feed.estimator.limit();
    CHECK(after > lowest + 50);
    feed.saturated(1, 10ms);
    CHECK(feed.estimator.limit() - after <= 3);
}

TEST_CASE("Vegas: halves a limit that is full to measure the lowest latency, and then has it back",
          "[policy]") {
    Feed<Vegas::Estimator> feed{Vegas{.initial = 40, .max = 40, .probe_every = 5}};
    feed.saturated(4, 10ms);
    CHECK(feed.estimator.limit() == 40);
    feed.saturated(1, 10ms);
    CHECK(feed.estimator.limit() == 20);
    feed.saturated(2, 10ms);
    CHECK(feed.estimator.limit() == 40);
}

TEST_CASE("Vegas: does not halve a limit that is not full", "[policy]") {
    Feed<Vegas::Estimator> feed{Vegas{.initial = 40, .max = 40, .probe_every = 5}};
    for (int i = 0; i != 50; ++i) {
        feed.windows(1, 10ms, 39);
        CHECK(feed.estimator.limit() == 40);
    }
}

TEST_CASE("Vegas: a target that has become slower is believed after the next measurements",
          "[policy]") {
    Feed<Vegas::Estimator> feed{Vegas{.initial = 40, .probe_every = 10}};
    feed.saturated(9, 10ms);
    feed.saturated(400, 30ms);
    const std::uint32_t before = feed.estimator.limit();
    feed.saturated(400, 30ms);
    CHECK(feed.estimator.limit() > before + 20);
}

} // namespace tests::policy_vegas
