// SPDX-License-Identifier: MIT
#include <dashpot/policy/next_success.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::policy_next_success {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::NextSuccess;
using Kind = dashpot::NextSuccess::Kind;

TEST_CASE("NextSuccess: each answer has its kind, and only count_until() an end", "[policy]") {
    STATIC_REQUIRE(NextSuccess::record().kind() == Kind::record);
    STATIC_REQUIRE(NextSuccess::count().kind() == Kind::count);
    STATIC_REQUIRE(NextSuccess::count_until(Instant{5s}).kind() == Kind::count);
    STATIC_REQUIRE(NextSuccess::skip().kind() == Kind::skip);

    STATIC_REQUIRE(NextSuccess::count_until(Instant{5s}).end() == Instant{5s});
    for (const NextSuccess next : {NextSuccess::record(), NextSuccess::count(), NextSuccess::skip()}) {
        CHECK(next.end() == (Instant::max)());
    }
}

TEST_CASE("NextSuccess: equal answers say the same", "[policy]") {
    STATIC_REQUIRE(NextSuccess::count_until(Instant{5s}) == NextSuccess::count_until(Instant{5s}));
    STATIC_REQUIRE(NextSuccess::count_until(Instant{5s}) != NextSuccess::count_until(Instant{6s}));
    STATIC_REQUIRE(NextSuccess::count() != NextSuccess::record());
    STATIC_REQUIRE(NextSuccess::count() != NextSuccess::skip());
}

} // namespace tests::policy_next_success
