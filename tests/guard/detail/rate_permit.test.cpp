// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/rate_permit.hpp>

#include "catch.hpp"

#include <chrono>
#include <type_traits>

namespace tests::guard_detail_rate_permit {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Refusal;
using dashpot::detail::RatePermit;

TEST_CASE("RatePermit: is granted, or says why not and for how long", "[guard]") {
    CHECK(RatePermit{});
    CHECK_FALSE(RatePermit{Error::cancelled});
    CHECK(RatePermit{Error::cancelled}.refusal() == Refusal{Error::cancelled});
    CHECK(RatePermit{Error::deadline_exceeded, 0ns}.refusal() ==
          Refusal{Error::deadline_exceeded, 0ns});
    CHECK(RatePermit{Error::rate_limited, std::chrono::nanoseconds::max()}.refusal().retry_after ==
          std::chrono::nanoseconds::max());
    CHECK(RatePermit{Error::rate_limited, 6, 3}.refusal().retry_after == 2ns);
    CHECK(RatePermit{Error::rate_limited, 7, 3}.refusal().retry_after == 3ns);
}

TEST_CASE("RatePermit: fits into two registers", "[guard]") {
    STATIC_REQUIRE(sizeof(RatePermit) == 16);
    STATIC_REQUIRE(std::is_trivially_copyable_v<RatePermit>);
}

} // namespace tests::guard_detail_rate_permit
