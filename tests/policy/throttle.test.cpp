// SPDX-License-Identifier: MIT
#include <dashpot/policy/throttle.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::policy_throttle {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::Throttle;
using Tally = Throttle::Tally;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int refused_of(Tally& tally, int calls, Instant now) {
    int refused = 0;
    for (int i = 0; i != calls; ++i) refused += tally.refuses(now) ? 1 : 0;
    return refused;
}

constexpr bool throttles_what_fails() {
    Tally tally{{.minimum_calls = 3}};
    const Instant now{1s};
    for (int i = 0; i != 3; ++i) {
        if (tally.refuses(now)) return false;
        tally.record_failure(now);
    }
    return !tally.is_calm() && tally.counts(now) == Tally::Counts{3, 0} &&
           tally.refuse_probability(now) == 0.75 && !tally.refuses(now) && tally.refuses(now) &&
           tally.counts(now) == Tally::Counts{4, 0};
}
static_assert(throttles_what_fails());

std::string message_of(const Throttle& options) {
    try {
        options.validate();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("Throttle: refuses options out of range by name", "[policy]") {
    CHECK(message_of({}) == "accepted");
    CHECK(message_of({.accepts_factor = 1.0, .max_refused = 1.0}) == "accepted");
    CHECK(message_of({.accepts_factor = 0.99}) ==
          "Throttle::accepts_factor is 0.99, must be 1 or more");
    CHECK(message_of({.accepts_factor = infinity}) != "accepted");
    CHECK(message_of({.accepts_factor = infinity - infinity}) != "accepted");
    CHECK(message_of({.length = 0s}) ==
          "Throttle::length is 0s, must be longer than 0s and divide into 10 buckets of whole "
          "nanoseconds; change length or buckets");
    CHECK(message_of({.length = 7ns, .buckets = 2}) != "accepted");
    CHECK(message_of({.buckets = 0}) == "Throttle::buckets is 0, must be 1 or more");
    CHECK(message_of({.minimum_calls = 0}) == "Throttle::minimum_calls is 0, must be 1 or more");
    CHECK(message_of({.max_refused = 0}) ==
          "Throttle::max_refused is 0, must be in (0, 1]; for 90 % write 0.9");
    CHECK(message_of({.max_refused = 90}) ==
          "Throttle::max_refused is 90, must be in (0, 1]; for 90 % write 0.9");
}

TEST_CASE("Throttle: prints itself as the initializer that makes it", "[policy]") {
    std::ostringstream out;
    out << Throttle{.length = 60s};
    CHECK(out.str() == "Throttle{.accepts_factor = 2, .length = 1min, .buckets = 10, .minimum_calls = "
                       "20, .max_refused = 0.9}");
}

TEST_CASE("Throttle: n calls at a steady probability are refused n times it, rounded", "[policy]") {
    for (const int percent : {10, 30, 50, 70, 90}) {
        Tally tally{{.minimum_calls = 1, .max_refused = percent / 100.0}};
        const Instant now{};
        for (int i = 0; i != 100'000; ++i) tally.record_failure(now);
        for (int n = 1, refused = 0; n <= 1000; ++n) {
            refused += tally.refuses(now) ? 1 : 0;
            REQUIRE(refused == n * percent / 100);
        }
    }
}

TEST_CASE("Throttle: the probability follows the formula", "[policy]") {
    const Instant now{};
    for (const double factor : {1.0, 1.1, 1.5, 2.0, 10.0}) {
        Tally tally{{.accepts_factor = factor, .minimum_calls = 1, .max_refused = 1.0}};
        for (int i = 0; i != 30; ++i) tally.record_success(now);
        for (int requests = 31; requests != 200; ++requests) {
            tally.record_failure(now);
            const double expected = (requests - factor * 30) / (requests + 1);
            CHECK(tally.refuse_probability(now) == Approx(expected > 0 ? expected : 0).margin(1e-12));
        }
    }
}

TEST_CASE("Throttle: below the minimum of calls nothing is refused", "[policy]") {
    Tally tally{{.minimum_calls = 20}};
    const Instant now{};
    for (int i = 0; i != 19; ++i) tally.record_failure(now);
    CHECK(tally.refuse_probability(now) == 0);
    CHECK(refused_of(tally, 100, now) == 0);
    tally.record_failure(now);
    CHECK(tally.refuse_probability(now) == 0.9); // 20 of 21, limited
    CHECK(refused_of(tally, 10, now) == 9);
}

TEST_CASE("Throttle: calls leave the window with time, whether others come or not", "[policy]") {
    Tally tally{{.length = 10s, .buckets = 10, .minimum_calls = 10}};
    for (int i = 0; i != 100; ++i) tally.record_success(Instant{500ms});
    for (int i = 0; i != 60; ++i) tally.record_failure(Instant{5500ms});
    CHECK(tally.refuse_probability(Instant{9999ms}) == 0);
    CHECK_FALSE(tally.is_calm()); // not for long
    CHECK(tally.refuse_probability(Instant{10s}) == 0.9);
    CHECK(tally.counts(Instant{10s}) == Tally::Counts{60, 0});
    CHECK(tally.counts(Instant{15s}) == Tally::Counts{});
    CHECK(tally.counts(Instant::min()) == Tally::Counts{160, 100}); // a clock that steps back
    CHECK(tally.refuses(Instant{10s}) == false);
    CHECK(tally.refuses(Instant{10s}) == true);
    CHECK(tally.bucket_ends() == Instant{11s});
    tally.record_success(Instant::max());
    CHECK(tally.counts(Instant::max()) == Tally::Counts{1, 1});
    CHECK(tally.is_calm());
    CHECK(tally.bucket_ends() == Instant::max());
}

TEST_CASE("Throttle: is calm if no part of the window asks for refusals", "[policy]") {
    Tally tally{{.length = 3s, .buckets = 3, .minimum_calls = 1}};
    CHECK(tally.is_calm());
    tally.record_success(Instant{}, 5);
    tally.record_failure(Instant{});
    CHECK(tally.is_calm());
    tally.record_failure(Instant{1s});
    CHECK_FALSE(tally.is_calm()); // when the older bucket has left, half of the calls failed
    tally.record_success(Instant{1s});
    CHECK(tally.is_calm());
}

TEST_CASE("Throttle: another window takes over the buckets that fit", "[policy]") {
    Tally before{{.length = 10s, .buckets = 10, .minimum_calls = 1}};
    before.record_failure(Instant{1s});
    before.record_success(Instant{4s}, 2);
    Tally shorter{{.length = 2s, .buckets = 2, .minimum_calls = 1}};
    shorter.take_over(before);
    CHECK(shorter.counts(Instant{4s}) == Tally::Counts{2, 2});
    Tally longer{{.length = 20s, .buckets = 20, .minimum_calls = 1}};
    longer.take_over(before);
    CHECK(longer.counts(Instant{4s}) == Tally::Counts{3, 2});
    Tally other{{.length = 10s, .buckets = 5, .minimum_calls = 1}};
    other.take_over(before);
    CHECK(other.counts(Instant{4s}) == Tally::Counts{});
}

TEST_CASE("Throttle: very many requests overflow nothing", "[policy]") {
    Tally tally{{.accepts_factor = 1.0, .max_refused = 1.0}};
    tally.record_success(Instant{}, std::uint64_t{1} << 60U);
    CHECK(tally.refuse_probability(Instant{}) == 0);
    Tally large{{.accepts_factor = 1e300}};
    large.record_success(Instant{}, 1);
    for (int i = 0; i != 1000; ++i) large.record_failure(Instant{});
    CHECK(large.refuse_probability(Instant{}) == 0);
}

} // namespace tests::policy_throttle
