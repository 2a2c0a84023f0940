// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/wait.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::core_detail_wait {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::Wait;
using std::chrono::nanoseconds;

namespace {

constexpr Instant at(nanoseconds time) { return Instant{time}; }

constexpr Instant first = Instant::min();
constexpr Instant last = Instant::max();
constexpr nanoseconds longest = nanoseconds::max();

static_assert(!Wait{}.is_on(at(0ns)) && Wait{}.rest(at(0ns)) == 0ns);
static_assert(Wait{at(0ns), 10s}.is_on(at(10s - 1ns)) && !Wait{at(0ns), 10s}.is_on(at(10s)));
constexpr Wait some_wait{};
static_assert(noexcept(some_wait.is_on(first)) && noexcept(some_wait.rest(first)));

} // namespace

TEST_CASE("Wait: ends when its length has passed, not one tick before", "[core]") {
    const nanoseconds since = GENERATE(as<nanoseconds>{}, -1000s, -10s, -1ns, 0ns, 1ns, 1000s);
    const Wait wait{at(since), 10s};

    CHECK(wait.is_on(at(since)));
    CHECK(wait.rest(at(since)) == 10s);
    CHECK(wait.is_on(at(since + 1ns)));
    CHECK(wait.rest(at(since + 1ns)) == 10s - 1ns);
    CHECK(wait.is_on(at(since + 10s - 1ns)));
    CHECK(wait.rest(at(since + 10s - 1ns)) == 1ns);
    CHECK_FALSE(wait.is_on(at(since + 10s)));
    CHECK(wait.rest(at(since + 10s)) == 0ns);
    CHECK_FALSE(wait.is_on(at(since + 10s + 1ns)));
    CHECK(wait.rest(at(since + 10s + 1ns)) == 0ns);
}

TEST_CASE("Wait: lasts one tick if that is its length", "[core]") {
    const Wait wait{at(5s), 1ns};
    CHECK(wait.is_on(at(5s)));
    CHECK(wait.rest(at(5s)) == 1ns);
    CHECK_FALSE(wait.is_on(at(5s + 1ns)));
}

TEST_CASE("Wait: of no length is never on", "[core]") {
    const Instant now = GENERATE(as<Instant>{}, first, at(-1ns), at(0ns), at(1ns), last);
    CHECK_FALSE(Wait{}.is_on(now));
    CHECK(Wait{}.rest(now) == 0ns);
    CHECK_FALSE(Wait{at(0ns), 0ns}.is_on(now));
    CHECK_FALSE(Wait{last, 0ns}.is_on(now));
    CHECK(Wait{last, 0ns}.rest(now) == 0ns);
}

TEST_CASE("Wait: all of it is left when the clock stepped back to before it began", "[core]") {
    const Wait wait{at(100s), 10s};
    const Instant now = GENERATE(as<Instant>{}, at(100s - 1ns), at(95s), at(0ns), at(-100s), first);
    CHECK(wait.is_on(now));
    CHECK(wait.rest(now) == 10s); // never more than its length
}

TEST_CASE("Wait: from one end of time to the other overflows nothing", "[core]") {
    SECTION("begun at the first instant") {
        CHECK(Wait{first, 10s}.is_on(first + 10s - 1ns));
        CHECK_FALSE(Wait{first, 10s}.is_on(first + 10s));
        CHECK_FALSE(Wait{first, 10s}.is_on(last));
        CHECK(Wait{first, 10s}.rest(last) == 0ns);
        CHECK_FALSE(Wait{first, longest}.is_on(last)); // what has passed is more than can be said
        CHECK(Wait{first, longest}.is_on(at(-2ns)));
        CHECK(Wait{first, longest}.rest(at(-2ns)) == 1ns);
        CHECK_FALSE(Wait{first, longest}.is_on(at(-1ns)));
    }
    SECTION("begun at the last instant") {
        CHECK(Wait{last, 1ns}.is_on(last));
        CHECK(Wait{last, longest}.is_on(last));
        CHECK(Wait{last, longest}.rest(last) == longest);
        CHECK(Wait{last, longest}.is_on(first));
        CHECK(Wait{last, 10s}.rest(first) == 10s);
    }
    SECTION("a length that reaches past the end of time is not cut off there") {
        const Wait wait{at(10s), longest};
        CHECK(wait.is_on(last));
        CHECK(wait.rest(last) == 10s);
        CHECK(Wait{last - 5s, 10s}.is_on(last));
        CHECK(Wait{last - 5s, 10s}.rest(last) == 5s);
    }
}

TEST_CASE("Wait: what is left only shrinks as time passes, and never below nothing", "[core]") {
    const Wait wait{at(-3ns), 7ns};
    nanoseconds before = wait.rest(at(-20ns));
    for (nanoseconds now = -19ns; now != 20ns; ++now) {
        const nanoseconds rest = wait.rest(at(now));
        CHECK(rest <= before);
        CHECK(rest >= 0ns);
        CHECK((rest > 0ns) == wait.is_on(at(now)));
        before = rest;
    }
    CHECK(before == 0ns);
}

TEST_CASE("Wait: equals another of the same start and length", "[core]") {
    CHECK(Wait{at(1s), 2s} == Wait{at(1s), 2s});
    CHECK_FALSE(Wait{at(1s), 2s} == Wait{at(1s), 3s});
    CHECK_FALSE(Wait{at(1s), 2s} == Wait{at(2s), 2s});
    CHECK(Wait{} == Wait{at(0ns), 0ns});
}

} // namespace tests::core_detail_wait
