// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/retry_after.hpp"

#include "catch.hpp"

#include <string_view>

namespace tests::examples_relay_hub_retry_after {

using relay_hub::is_retry_after;

TEST_CASE("is_retry_after: seconds") {
    for (const std::string_view value : {"0", "1", "30", "007", "9999999999"}) {
        INFO(value);
        CHECK(is_retry_after(value));
    }
    for (const std::string_view value :
         {"", " ", "-1", "+1", "1.5", "1s", "0x10", "1e3", "99999999999", "1 2", "1,2"}) {
        INFO(value);
        CHECK_FALSE(is_retry_after(value));
    }
}

TEST_CASE("is_retry_after: a date in the form that is not obsolete") {
    for (const std::string_view value :
         {"Sun, 06 Nov 1994 08:49:37 GMT", "Wed, 21 Oct 2037 07:28:00 GMT",
          "Thu, 31 Dec 9999 23:59:60 GMT"}) {
        INFO(value);
        CHECK(is_retry_after(value));
    }
    for (const std::string_view value :
         {"Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
          "Sun, 6 Nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT",
          "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
          "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
          "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT",
          "Sun, 06 ovD 1994 08:49:37 GMT", "unM, 06 Nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 19x4 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
          "Sun, 06 Nov 1994 08:49:3\r GMT", "Sun, 06 Nov 1994\n08:49:37 GMT"}) {
        INFO(value);
        CHECK_FALSE(is_retry_after(value));
    }
}

} // namespace tests::examples_relay_hub_retry_after
