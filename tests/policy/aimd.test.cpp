// SPDX-License-Identifier: MIT
#include <dashpot/policy/aimd.hpp>

#include "catch.hpp"
#include "policy/limit_support.hpp"

#include <chrono>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::policy_aimd {

using namespace std::chrono_literals;
using namespace limit_support;
using dashpot::Aimd;

namespace {

std::string refusal_of(const Aimd& policy) {
    try {
        policy.validate();
        return "";
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
}

} // namespace

TEST_CASE("Aimd: refuses options out of range by name", "[policy]") {
    CHECK(refusal_of({}).empty());
    CHECK(refusal_of({.initial = 7, .min = 7, .max = 7}).empty());
    CHECK(refusal_of({.min = 0}) == "Aimd::min is 0, must be 1 or more");
    CHECK(refusal_of({.initial = 15, .min = 20, .max = 10}) ==
          "Aimd::max is 10, must be at least min, which is 20");
    CHECK(refusal_of({.initial = 5, .min = 6}) ==
          "Aimd::initial is 5, must be in [min, max], which is [6, 1000]");
    CHECK(refusal_of({.initial = 1001}) ==
          "Aimd::initial is 1001, must be in [min, max], which is [1, 1000]");
    for (const double bad : {0.0, -0.5, 1.0, 90.0, std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(refusal_of({.decrease = bad}).find("Aimd::decrease is ") == 0);
    }
    CHECK(refusal_of({.slow_after = 0s}) == "Aimd::slow_after is 0s, must be longer than 0s");
}

TEST_CASE("Aimd: prints every field", "[policy]") {
    std::ostringstream out;
    out << Aimd{};
    CHECK(out.str() == "Aimd{.initial = 20, .min = 1, .max = 1000, .decrease = 0.9, .slow_after = 5s}");
}

TEST_CASE("Aimd: grows by one in a window that used half of the limit", "[policy]") {
    Feed<Aimd::Estimator> feed{Aimd{.initial = 20}};
    feed.windows(1, 10ms, 9);
    CHECK(feed.estimator.limit() == 20);
    feed.windows(1, 10ms, 10);
    CHECK(feed.estimator.limit() == 21);
    feed.windows(1, 10ms, 1000);
    CHECK(feed.estimator.limit() == 22);
}

TEST_CASE("Aimd: a drop multiplies, and its window does not grow", "[policy]") {
    Feed<Aimd::Estimator> feed{Aimd{.initial = 100, .decrease = 0.75}};
    feed.drop(100);
    CHECK(feed.estimator.limit() == 75);
    feed.windows(1, 10ms, 75);
    CHECK(feed.estimator.limit() == 75);
    feed.windows(1, 10ms, 75);
    CHECK(feed.estimator.limit() == 76);
}

TEST_CASE("Aimd: a call that began at the last decrease shrinks again, one before it does not",
          "[policy]") {
    Aimd::Estimator estimator{Aimd{.initial = 100}};
    estimator.record(call(10s, 1s, 1, true));
    CHECK(estimator.limit() == 90);
    estimator.record(call(11s - 1ns, 1s, 1, true));
    CHECK(estimator.limit() == 90);
    estimator.record(call(11s, 1s, 1, true));
    CHECK(estimator.limit() == 81);
}

TEST_CASE("Aimd: a call that takes longer than slow_after is a drop, one as long is not", "[policy]") {
    Aimd::Estimator estimator{Aimd{.initial = 100, .slow_after = 2s}};
    estimator.record(call(10s, 2s, 1));
    CHECK(estimator.limit() == 100);
    estimator.record(call(10s, 2s + 1ns, 1));
    CHECK(estimator.limit() == 90);
}

} // namespace tests::policy_aimd
