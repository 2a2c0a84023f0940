// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/published_state.hpp>

#include "catch.hpp"

#include <chrono>
#include <optional>

namespace tests::guard_detail_published_state {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::State;
using dashpot::detail::BreakerWord;
using dashpot::detail::PublishedState;
using dashpot::detail::Wait;

namespace {

constexpr BreakerWord closed{1, State::closed, true};
constexpr BreakerWord open{2, State::open, false};
constexpr BreakerWord open_again{4, State::open, false};
constexpr Wait ten_seconds{Instant{5s}, 10s};

} // namespace

TEST_CASE("PublishedState: shows the first word, and no wait for it", "[guard]") {
    const PublishedState state{closed};
    CHECK(state.word() == closed);
    CHECK_FALSE(state.wait_of(closed).has_value());
}

TEST_CASE("PublishedState: shows the word and the wait that were published last", "[guard]") {
    PublishedState state{closed};
    state.publish(open, ten_seconds);
    CHECK(state.word() == open);
    CHECK(state.wait_of(open) == ten_seconds);
    const Wait longer{Instant{5s}, 20s};
    state.publish(open, longer);
    CHECK(state.wait_of(open) == longer);
}

TEST_CASE("PublishedState: shows the wait of no other word", "[guard]") {
    PublishedState state{closed};
    state.publish(open, ten_seconds);
    CHECK_FALSE(state.wait_of(closed).has_value());
    CHECK_FALSE(state.wait_of(open_again).has_value());
    state.publish(open_again, ten_seconds);
    CHECK_FALSE(state.wait_of(open).has_value());
    CHECK(state.wait_of(open_again) == ten_seconds);
}

TEST_CASE("PublishedState: distinguishes no wait from a wait that is not known", "[guard]") {
    PublishedState state{closed};
    state.publish(closed, {});
    const std::optional<Wait> none = state.wait_of(closed);
    REQUIRE(none.has_value());
    CHECK_FALSE(none->is_on(Instant{}));
    CHECK(none->rest(Instant{}) == 0ns);
}

TEST_CASE("PublishedState: hides the wait behind an open gate until the next publication", "[guard]") {
    PublishedState state{closed};
    state.publish(open, ten_seconds);
    state.open_gate();
    CHECK(state.word() == open);
    CHECK_FALSE(state.wait_of(open).has_value());
    state.publish(open, ten_seconds);
    CHECK(state.wait_of(open) == ten_seconds);
}

} // namespace tests::guard_detail_published_state
