// SPDX-License-Identifier: MIT
#include "../../../examples/common/http_date.hpp"

#include "catch.hpp"

namespace tests::examples_common_http_date {

using example::http_date;
using std::chrono::system_clock;
using namespace std::chrono_literals;

TEST_CASE("http_date: writes the date as HTTP has it", "[http]") {
    const auto at = [](std::chrono::milliseconds since_1970) {
        return http_date(system_clock::time_point{since_1970});
    };
    CHECK(at(784111777s) == "Sun, 06 Nov 1994 08:49:37 GMT"); // the example of RFC 9110, 5.6.7
    CHECK(at(784111777999ms) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(at(0s) == "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK(at(951782400s) == "Tue, 29 Feb 2000 00:00:00 GMT");
    CHECK(at(-1ms) == "Wed, 31 Dec 1969 23:59:59 GMT");
}

} // namespace tests::examples_common_http_date
