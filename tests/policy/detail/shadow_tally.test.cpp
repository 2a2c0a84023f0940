// SPDX-License-Identifier: MIT
#include <dashpot/policy/detail/shadow_tally.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tests::policy_detail_shadow_tally {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::detail::next_success_of;
using dashpot::detail::shortest;
using dashpot::detail::strictest;

namespace {

using Limit = std::optional<std::chrono::nanoseconds>;

/// A Tally that has only what it must.
struct Bare {
    std::optional<Reason> record(const FinishedCall&) noexcept { return {}; }
    void clear() noexcept {}
    Counts counts(Instant) const noexcept { return {}; }
};
struct Quiet : Bare {
    bool is_quiet = true;
    bool quiet() const noexcept { return is_quiet; }
};
struct Counting : Bare {
    NextSuccess answer = NextSuccess::count();
    NextSuccess next_success() const noexcept { return answer; }
    void record_successes(std::uint64_t) noexcept {}
};
struct Foreseeing : Counting {
    bool would_open(const FinishedCall&) const noexcept { return false; }
};
struct CountsWithoutRecording : Bare {
    NextSuccess next_success() const noexcept { return NextSuccess::count(); }
};

constexpr Instant early{1s};
constexpr Instant late{2s};

} // namespace

TEST_CASE("ShadowTally: the strictest of two answers holds", "[policy]") {
    STATIC_REQUIRE(strictest(NextSuccess::record(), NextSuccess::skip()) == NextSuccess::record());
    STATIC_REQUIRE(strictest(NextSuccess::count(), NextSuccess::record()) == NextSuccess::record());
    STATIC_REQUIRE(strictest(NextSuccess::skip(), NextSuccess::skip()) == NextSuccess::skip());
    STATIC_REQUIRE(strictest(NextSuccess::skip(), NextSuccess::count()) == NextSuccess::count());
    STATIC_REQUIRE(strictest(NextSuccess::count_until(early), NextSuccess::skip()) ==
                   NextSuccess::count_until(early));
    STATIC_REQUIRE(strictest(NextSuccess::count(), NextSuccess::count_until(late)) ==
                   NextSuccess::count_until(late));
    STATIC_REQUIRE(strictest(NextSuccess::count_until(late), NextSuccess::count_until(early)) ==
                   NextSuccess::count_until(early));
}

TEST_CASE("ShadowTally: a Tally without an answer has its successes recorded", "[policy]") {
    CHECK(next_success_of(Bare{}) == NextSuccess::record());
    CHECK(next_success_of(Quiet{}) == NextSuccess::skip());
    CHECK(next_success_of(Quiet{{}, false}) == NextSuccess::record());
    CHECK(next_success_of(CountsWithoutRecording{}) == NextSuccess::record());
    CHECK(next_success_of(Counting{{}, NextSuccess::count_until(late)}) ==
          NextSuccess::count_until(late));
    CHECK(next_success_of(Foreseeing{{{}, NextSuccess::count_until(late)}}) == NextSuccess::record());
    CHECK(next_success_of(Foreseeing{}) == NextSuccess::count());
}

TEST_CASE("ShadowTally: the shortest limit is that of all", "[policy]") {
    STATIC_REQUIRE_FALSE(shortest(Limit{}).has_value());
    STATIC_REQUIRE(shortest(Limit{}, Limit{3s}) == Limit{3s});
    STATIC_REQUIRE(shortest(Limit{3s}, Limit{2s}, Limit{}) == Limit{2s});
}

} // namespace tests::policy_detail_shadow_tally
