// SPDX-License-Identifier: MIT
#include <dashpot/policy/failure_policy.hpp>

#include "catch.hpp"

#include <chrono>
#include <optional>

namespace tests::policy_failure_policy {

using namespace std::chrono_literals;
using dashpot::Counts;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;

namespace {

/// The least that a policy must have.
struct Least {
    bool operator==(const Least&) const = default;
    void validate() const {}

    struct Tally {
        explicit Tally(const Least&) {}
        std::optional<Reason> record(const FinishedCall&) noexcept { return std::nullopt; }
        void clear() noexcept {}
        Counts counts(Instant) const noexcept { return {}; }
    };
};

/// All of it, with the members that may be left out.
struct Most : Least {
    std::optional<std::chrono::nanoseconds> slow_after() const noexcept { return 1s; }

    struct Tally : Least::Tally {
        explicit Tally(const Most& most) : Least::Tally{most} {}
        bool would_open(const FinishedCall&) const noexcept { return false; }
        NextSuccess next_success() const noexcept { return NextSuccess::count(); }
        void record_successes(std::uint64_t) noexcept {}
    };
};

struct Timed : Least {
    struct Tally : Least::Tally {
        explicit Tally(const Timed& timed) : Least::Tally{timed} {}
        NextSuccess next_success() const noexcept { return NextSuccess::count_until({}); }
        void record_successes(std::uint64_t) noexcept {}
    };
};

struct Quiet : Least {
    struct Tally : Least::Tally {
        explicit Tally(const Quiet& quiet) : Least::Tally{quiet} {}
        bool quiet() const noexcept { return true; }
    };
};

struct WithoutTally {
    bool operator==(const WithoutTally&) const = default;
    void validate() const {}
};

struct WithoutValidate {
    bool operator==(const WithoutValidate&) const = default;
    struct Tally : Least::Tally {
        explicit Tally(const WithoutValidate&) : Least::Tally{Least{}} {}
    };
};

struct NotComparable {
    void validate() const {}
    struct Tally : Least::Tally {
        explicit Tally(const NotComparable&) : Least::Tally{Least{}} {}
    };
};

struct TallyFromElsewhere : Least {
    struct Tally : Least::Tally {
        explicit Tally(int) : Least::Tally{Least{}} {}
    };
};

struct RecordMayThrow : Least {
    struct Tally : Least::Tally {
        explicit Tally(const Least& least) : Least::Tally{least} {}
        std::optional<Reason> record(const FinishedCall&) { return std::nullopt; }
    };
};

struct RecordAnswersBool : Least {
    struct Tally : Least::Tally {
        explicit Tally(const Least& least) : Least::Tally{least} {}
        bool record(const FinishedCall&) noexcept { return false; }
    };
};

struct ReadsChange : Least {
    struct Tally : Least::Tally {
        explicit Tally(const Least& least) : Least::Tally{least} {}
        Counts counts(Instant) noexcept { return {}; }
    };
};

} // namespace

TEST_CASE("FailurePolicy: is options that compare and validate, and a Tally made from them",
          "[policy]") {
    STATIC_REQUIRE(dashpot::FailurePolicy<Least>);
    STATIC_REQUIRE(dashpot::FailurePolicy<Most>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<WithoutTally>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<WithoutValidate>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<NotComparable>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<TallyFromElsewhere>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<int>);
}

TEST_CASE("FailurePolicy: its Tally may not throw, and reads it without changing it", "[policy]") {
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<RecordMayThrow>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<RecordAnswersBool>);
    STATIC_REQUIRE_FALSE(dashpot::FailurePolicy<ReadsChange>);
}

TEST_CASE("FailurePolicy: judges slow calls only if it says after how long", "[policy]") {
    STATIC_REQUIRE_FALSE(dashpot::detail::JudgesSlowCalls<Least>);
    STATIC_REQUIRE(dashpot::detail::JudgesSlowCalls<Most>);
}

TEST_CASE("FailurePolicy: what it may offer is taken up only if it does", "[policy]") {
    STATIC_REQUIRE_FALSE(dashpot::detail::ForeseesOpening<Least::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::ForeseesSuccess<Least::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::RecordsSuccesses<Least::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::CountsUntil<Least::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::KnowsQuiet<Least::Tally>);
    STATIC_REQUIRE(dashpot::detail::ForeseesOpening<Most::Tally>);
    STATIC_REQUIRE(dashpot::detail::ForeseesSuccess<Most::Tally>);
    STATIC_REQUIRE(dashpot::detail::RecordsSuccesses<Most::Tally>);
    STATIC_REQUIRE_FALSE(dashpot::detail::CountsUntil<Most::Tally>); // it needs no time
    STATIC_REQUIRE(dashpot::detail::CountsUntil<Timed::Tally>);
    STATIC_REQUIRE(dashpot::FailurePolicy<Quiet>);
    STATIC_REQUIRE(dashpot::detail::KnowsQuiet<Quiet::Tally>);
}

TEST_CASE("Counts: are equal by all of their numbers, and have no rates until one is judged",
          "[policy]") {
    STATIC_REQUIRE(Counts{} == Counts{.calls = 0, .failures = 0, .slow = 0});
    STATIC_REQUIRE(Counts{.calls = 1} != Counts{});
    STATIC_REQUIRE(Counts{.slow = 1} != Counts{});
    STATIC_REQUIRE(Counts{.failure_rate = 0.0} != Counts{});
    STATIC_REQUIRE_FALSE(Counts{}.failure_rate.has_value());
    STATIC_REQUIRE_FALSE(Counts{}.slow_rate.has_value());
}

} // namespace tests::policy_failure_policy
