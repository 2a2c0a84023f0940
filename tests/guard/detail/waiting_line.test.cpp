// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/waiting_line.hpp>

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace tests::guard_detail_waiting_line {

using dashpot::detail::WaitingLine;
using dashpot::detail::WaitingPlace;

namespace {

std::vector<std::uint64_t> behind(const WaitingLine& line, std::uint64_t ticket) {
    std::vector<std::uint64_t> seen;
    line.for_each_behind(ticket, [&](const WaitingPlace& each) { seen.push_back(each.ticket); });
    return seen;
}

} // namespace

TEST_CASE("WaitingLine: visits the places behind a ticket, whichever were removed", "[guard]") {
    WaitingPlace places[4];
    WaitingLine line;
    CHECK(behind(line, 0).empty());
    for (std::uint64_t i = 0; i != 4; ++i) {
        places[i].ticket = 2 * i + 1;
        line.add(places[i]);
    }
    CHECK(line.size() == 4);
    CHECK(behind(line, 0) == std::vector<std::uint64_t>{7, 5, 3, 1});
    CHECK(behind(line, 3) == std::vector<std::uint64_t>{7, 5});
    CHECK(behind(line, 4) == std::vector<std::uint64_t>{7, 5});
    CHECK(behind(line, 7).empty());
    line.remove(places[1]);
    CHECK(behind(line, 0) == std::vector<std::uint64_t>{7, 5, 1});
    line.remove(places[3]);
    CHECK(behind(line, 0) == std::vector<std::uint64_t>{5, 1});
    line.remove(places[0]);
    CHECK(behind(line, 0) == std::vector<std::uint64_t>{5});
    line.remove(places[2]);
    CHECK(line.size() == 0);
    line.add(places[0]);
    CHECK(behind(line, 0) == std::vector<std::uint64_t>{1});
}

} // namespace tests::guard_detail_waiting_line
