// SPDX-License-Identifier: MIT
#include <dashpot/guard/adaptive_limiter.hpp>

#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/vegas.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include "catch.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace tests::guard_adaptive_limiter {

using namespace std::chrono_literals;
using dashpot::AdaptiveLimiter;
using dashpot::Aimd;
using dashpot::Error;
using dashpot::Gradient;
using dashpot::Outcome;
using dashpot::Priority;
using dashpot::Vegas;
using dashpot::testing::ManualClock;

namespace {

using Limiter = AdaptiveLimiter<ManualClock, Aimd>;

/// A policy that notes its samples.
struct Noting {
    std::vector<dashpot::Sample>* samples = nullptr;
    std::uint32_t fixed = 4;
    bool operator==(const Noting&) const = default;
    void validate() const {}
    struct Estimator {
        explicit Estimator(const Noting& policy) noexcept
            : samples_{policy.samples}, limit_{policy.fixed} {}
        void record(const dashpot::Sample& sample) noexcept { samples_->push_back(sample); }
        [[nodiscard]] std::uint32_t limit() const noexcept { return limit_; }

      private:
        std::vector<dashpot::Sample>* samples_;
        std::uint32_t limit_;
    };
};

std::vector<Limiter::Permit> fill(Limiter& limiter) {
    std::vector<Limiter::Permit> permits;
    while (auto permit = limiter.try_acquire()) permits.push_back(std::move(permit));
    return permits;
}

} // namespace

TEST_CASE("AdaptiveLimiter: admits up to the limit, and refuses the next", "[guard]") {
    Limiter limiter{{.initial = 3}};
    auto permits = fill(limiter);
    CHECK(permits.size() == 3);
    CHECK(limiter.in_flight() == 3);
    CHECK(limiter.limit() == 3);
    CHECK(limiter.refused() == 1);
    CHECK(limiter.try_acquire().refusal() == dashpot::Refusal{Error::limit_reached});
    permits.pop_back();
    CHECK(limiter.try_acquire());
}

TEST_CASE("AdaptiveLimiter: less important calls have a part of the limit, at least one call",
          "[guard]") {
    const auto [priority, admitted] =
        GENERATE(table<Priority, std::uint32_t>({{Priority::critical, 20},
                                                 {Priority::high, 19},
                                                 {Priority::normal, 16},
                                                 {Priority::sheddable, 10}}));
    Limiter limiter{{.initial = 20}};
    std::vector<Limiter::Permit> permits;
    while (auto permit = limiter.try_acquire(priority)) permits.push_back(std::move(permit));
    CHECK(permits.size() == admitted);
    Limiter small{{.initial = 1}};
    CHECK(small.try_acquire(priority));
}

TEST_CASE("AdaptiveLimiter: each answered call is one sample, and others are none", "[guard]") {
    ManualClock clock;
    std::vector<dashpot::Sample> samples;
    AdaptiveLimiter<ManualClock, Noting> limiter{{&samples}, clock};
    auto first = limiter.try_acquire();
    clock.advance(10ms);
    auto second = limiter.try_acquire();
    clock.advance(5ms);
    CHECK(first.success());
    CHECK_FALSE(first);
    CHECK_FALSE(first.success());
    CHECK_FALSE(first.failure());
    CHECK_FALSE(first.ignore());
    CHECK(second.record(Outcome::failure));
    REQUIRE(samples.size() == 2);
    CHECK(samples[0].began == dashpot::Instant{0ms});
    CHECK(samples[0].ended == dashpot::Instant{15ms});
    CHECK(samples[0].in_flight == 1);
    CHECK_FALSE(samples[0].dropped);
    CHECK(samples[1].began == dashpot::Instant{10ms});
    CHECK(samples[1].in_flight == 2);
    CHECK(samples[1].dropped);

    CHECK(limiter.try_acquire().ignore());
    CHECK(limiter.try_acquire().record(Outcome::ignored));
    limiter.try_acquire().release();
    (void)limiter.try_acquire();
    std::vector<AdaptiveLimiter<ManualClock, Noting>::Permit> held;
    while (auto permit = limiter.try_acquire()) held.push_back(std::move(permit));
    CHECK(held.size() == 4);
    held.clear();
    CHECK(samples.size() == 2);
    CHECK(limiter.in_flight() == 0);
    CHECK(limiter.try_acquire().record(Outcome::success));
    CHECK(samples.size() == 3);
}

TEST_CASE("AdaptiveLimiter: an exception that unwinds a permit is no sample", "[guard]") {
    std::vector<dashpot::Sample> samples;
    AdaptiveLimiter<ManualClock, Noting> limiter{{&samples}};
    try {
        const auto permit = limiter.try_acquire();
        throw std::runtime_error{"no answer"};
    } catch (const std::runtime_error&) {}
    CHECK(limiter.in_flight() == 0);
    CHECK(samples.empty());
}

TEST_CASE("AdaptiveLimiter: a permit moves, and gives its slot back once", "[guard]") {
    Limiter limiter{{.initial = 3}};
    auto from = limiter.try_acquire();
    auto to = std::move(from);
    CHECK(to);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    auto other = limiter.try_acquire();
    to = std::move(other);
    CHECK(limiter.in_flight() == 1);
    auto& self = to;
    to = std::move(self);
    CHECK(to);
    to = {};
    CHECK(limiter.in_flight() == 0);
    Limiter::Permit nothing;
    CHECK_FALSE(nothing);
    CHECK_FALSE(nothing.success());
}

TEST_CASE("AdaptiveLimiter: a drop lowers the limit at once, and interrupts no call", "[guard]") {
    ManualClock clock;
    Limiter limiter{{.initial = 10, .decrease = 0.5}, clock};
    auto permits = fill(limiter);
    clock.advance(1ms);
    CHECK(permits.back().failure());
    CHECK(limiter.limit() == 5);
    CHECK(limiter.in_flight() == 9);
    CHECK_FALSE(limiter.try_acquire());
    permits.resize(4);
    CHECK(limiter.try_acquire());
}

TEST_CASE("AdaptiveLimiter: a lower maximum holds at once, and interrupts no call", "[guard]") {
    Limiter limiter{{.initial = 40, .min = 3, .max = 50}};
    auto permits = fill(limiter);
    limiter.reconfigure({.initial = 10, .min = 3, .max = 10});
    CHECK(limiter.limit() == 10);
    CHECK(limiter.in_flight() == 40);
    CHECK(limiter.policy() == Aimd{.initial = 10, .min = 3, .max = 10});
    limiter.reconfigure({.initial = 30, .min = 3, .max = 50});
    CHECK(limiter.limit() == 10); // what it has learned is kept
    CHECK_THROWS_AS(limiter.reconfigure({.initial = 1, .min = 2}), std::invalid_argument);
    CHECK(limiter.policy().max == 50);
}

TEST_CASE("AdaptiveLimiter: a policy that takes nothing over starts again", "[guard]") {
    std::vector<dashpot::Sample> samples;
    AdaptiveLimiter<ManualClock, Noting> limiter{{&samples, 4}};
    limiter.reconfigure({&samples, 9});
    CHECK(limiter.limit() == 9);
}

TEST_CASE("AdaptiveLimiter: refuses options out of range", "[guard]") {
    CHECK_THROWS_AS(Limiter{Aimd{.decrease = 1.0}}, std::invalid_argument);
    CHECK_THROWS_AS(AdaptiveLimiter{Vegas{.min = 0}}, std::invalid_argument);
    CHECK_THROWS_AS(AdaptiveLimiter{Gradient{.tolerance = 0.5}}, std::invalid_argument);
}

TEST_CASE("AdaptiveLimiter: is pinned where it is, and its calls do not throw", "[guard]") {
    STATIC_REQUIRE(
        std::same_as<decltype(AdaptiveLimiter{}), AdaptiveLimiter<dashpot::SteadyClock, Gradient>>);
    STATIC_REQUIRE(
        std::same_as<decltype(AdaptiveLimiter{Vegas{}}), AdaptiveLimiter<dashpot::SteadyClock, Vegas>>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Limiter>);
    STATIC_REQUIRE_FALSE(std::is_move_constructible_v<Limiter>);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Limiter::Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Limiter::Permit>);
    STATIC_REQUIRE(alignof(Limiter) == dashpot::detail::cache_line);
    STATIC_REQUIRE(requires(Limiter& limiter, const Limiter& read, Limiter::Permit& permit) {
        { limiter.try_acquire() } noexcept -> std::same_as<Limiter::Permit>;
        { read.limit() } noexcept -> std::same_as<std::uint32_t>;
        { read.in_flight() } noexcept -> std::same_as<std::uint32_t>;
        { read.refused() } noexcept -> std::same_as<std::uint64_t>;
        { permit.success() } noexcept;
        { permit.failure() } noexcept;
        { permit.ignore() } noexcept;
        { permit.record(Outcome::success) } noexcept;
    });
}

} // namespace tests::guard_adaptive_limiter
