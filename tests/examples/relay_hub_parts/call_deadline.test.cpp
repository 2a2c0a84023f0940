// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/call_deadline.hpp"

#include "catch.hpp"

namespace tests::examples_relay_hub_call_deadline {

using namespace std::chrono_literals;
using example::SteadyTime;
using relay_hub::CallDeadline;

namespace {

constexpr SteadyTime begin{100s};
constexpr auto tolerance = CallDeadline::tolerance;

} // namespace

TEST_CASE("CallDeadline: it passes at its time") {
    const CallDeadline deadline{begin, 3s};
    CHECK(deadline.at() == begin + 3s);
    CHECK_FALSE(deadline.has_passed(begin + 3s - 1ns));
    CHECK(deadline.has_passed(begin + 3s));
}

TEST_CASE("CallDeadline: a thread that ran and waited as it should moves nothing") {
    CallDeadline deadline{begin, 3s};
    deadline.ran(begin + tolerance);
    deadline.waited(begin + 3s + tolerance, begin + 3s);
    CHECK(deadline.at() == begin + 3s);
    CHECK(deadline.lost() == 0ns);
}

TEST_CASE("CallDeadline: a wait that ended long after its time begins again") {
    CallDeadline deadline{begin, 3s};
    deadline.ran(begin + 100ms);
    deadline.waited(begin + 3s + tolerance + 1ns, begin + 3s);
    CHECK(deadline.at() == begin + 3s + tolerance + 1ns + 2900ms);
    CHECK(deadline.lost() == tolerance + 1ns);

    // And once more, of a wait for a part of the time.
    const auto woke = begin + 3s + tolerance + 1ns;
    const auto at = deadline.at();
    deadline.waited(woke + 60s, woke + 1s);
    CHECK(deadline.at() == at + 60s);
    CHECK(deadline.lost() == tolerance + 1ns + 59s);
}

TEST_CASE("CallDeadline: a gap between two looks is not the target's") {
    CallDeadline deadline{begin, 3s};
    deadline.ran(begin + 10s);
    CHECK(deadline.at() == begin + 13s);
    CHECK(deadline.lost() == 10s);
    deadline.ran(begin + 10s);
    CHECK(deadline.at() == begin + 13s);
}

TEST_CASE("CallDeadline: a clock that steps back moves nothing") {
    CallDeadline deadline{begin, 3s};
    deadline.ran(begin - 10s);
    deadline.ran(begin + 100ms);
    CHECK(deadline.at() == begin + 3s);
    CHECK(deadline.lost() == 0ns);
}

} // namespace tests::examples_relay_hub_call_deadline
