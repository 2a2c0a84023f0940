// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/detail/rule_in_force.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace tests::guard_detail_rule_in_force {

using namespace std::chrono_literals;
using dashpot::ConsecutiveFailures;
using dashpot::Counts;
using dashpot::CountWindow;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::Reason;
using dashpot::State;
using dashpot::TimeWindow;
using dashpot::detail::never;
using dashpot::detail::RuleInForce;

namespace {

/// Its Tally is too modest to copy it.
struct Weighted {
    std::vector<int> weights{1, 2, 4};
    int limit = 8;

    friend bool operator==(const Weighted&, const Weighted&) = default;
    void validate() const {}

    class Tally {
      public:
        explicit Tally(const Weighted& policy) : policy_{&policy} {}
        std::optional<Reason> record(const FinishedCall& call) noexcept {
            sum_ += call.failed ? policy_->weights.back() : 0;
            return sum_ >= policy_->limit ? std::optional{Reason::policy} : std::nullopt;
        }
        void clear() noexcept { sum_ = 0; }
        Counts counts(Instant) const noexcept { return {}; }
        bool quiet() const noexcept { return false; }
        void take_over(const Tally& before) noexcept { sum_ = before.sum_; }

        const Weighted* policy() const noexcept { return policy_; }

      private:
        const Weighted* policy_;
        int sum_ = 0;
    };
};

struct NoAnswer {};
template <bool is_quiet>
struct Quiet {
    bool quiet() const noexcept { return is_quiet; }
};
struct Next {
    NextSuccess next = NextSuccess::record();
    NextSuccess next_success() const noexcept { return next; }
};
struct Counting : Next {
    void record_successes(std::uint64_t) noexcept {}
};
struct Foreseeing : Counting {
    bool would_open(const FinishedCall&) const noexcept { return false; }
};

/// Its Tally has the optional members of `Members`.
template <class Members>
struct Answering {
    bool operator==(const Answering&) const = default;
    void validate() const {}
    struct Tally : Members {
        explicit Tally(const Answering&) noexcept {}
        std::optional<Reason> record(const FinishedCall&) noexcept { return {}; }
        void clear() noexcept {}
        Counts counts(Instant) const noexcept { return {}; }
    };
};

/// Answers its slow limit in the type that it is given.
template <class Limit>
struct Slow : ConsecutiveFailures {
    Limit limit{};
    bool operator==(const Slow&) const = default;
    Limit slow_after() const noexcept { return limit; }
};

template <class Limit>
std::chrono::nanoseconds slow_after(Limit limit) {
    Slow<Limit> policy;
    policy.limit = limit;
    return RuleInForce<Slow<Limit>>{policy}.slow_after();
}

constexpr bool knows_its_policy() {
    RuleInForce<ConsecutiveFailures> rule{{.threshold = 1}};
    RuleInForce<ConsecutiveFailures> other{{.threshold = 2}};
    rule.swap(other);
    const bool opens = rule.tally().record({.failed = true}).has_value();
    return !opens && rule.policy().threshold == 2 &&
           RuleInForce{rule}.tally().would_open({.failed = true});
}
static_assert(knows_its_policy());

} // namespace

TEST_CASE("RuleInForce: a Tally may point at its policy, also after a swap", "[guard]") {
    RuleInForce<Weighted> rule{{.limit = 8}};
    RuleInForce<Weighted> fresh{{.weights = {5}, .limit = 100}};
    CHECK(rule.tally().policy() == &rule.policy());
    fresh.take_over(rule);
    rule.swap(fresh);
    CHECK(rule.tally().policy() == &rule.policy());
    CHECK(rule.policy().limit == 100);
    CHECK(fresh.tally().policy() == &fresh.policy());
}

TEST_CASE("RuleInForce: a breaker judges by the policy that its Tally points at", "[guard]") {
    dashpot::CircuitBreaker<dashpot::SteadyClock, Weighted> breaker;
    breaker.record_failure(); // 4 of 8
    breaker.reconfigure({.weights = {1}, .limit = 6}, {});
    breaker.record_failure(); // 5 of 6
    CHECK(breaker.state() == State::closed);
    breaker.record_failure();
    CHECK(breaker.state() == State::open);
}

TEST_CASE("RuleInForce: a slow limit may have any unit", "[guard]") {
    CHECK(slow_after(5ns) == 5ns);
    CHECK(slow_after(std::optional{5ms}) == 5ms);
    CHECK(slow_after(5ms) == 5ms);
    CHECK(slow_after(std::optional{3min}) == 3min);
    CHECK(slow_after(dashpot::Nanoseconds{2h}) == 2h);
    CHECK(slow_after(std::optional{dashpot::Nanoseconds{2h}}) == 2h);
    CHECK(slow_after(std::optional<std::chrono::seconds>{}) == never);
    CHECK(slow_after(std::optional{(std::chrono::hours::max)()}) == never);
    CHECK(slow_after((std::chrono::hours::min)()) == (std::chrono::nanoseconds::min)());
}

TEST_CASE("RuleInForce: records each success of a Tally that has no answer", "[guard]") {
    CHECK(RuleInForce<Answering<NoAnswer>>{{}}.next_success() == NextSuccess::record());
}

TEST_CASE("RuleInForce: quiet() is a short form of skip and record", "[guard]") {
    CHECK(RuleInForce<Answering<Quiet<true>>>{{}}.next_success() == NextSuccess::skip());
    CHECK(RuleInForce<Answering<Quiet<false>>>{{}}.next_success() == NextSuccess::record());
}

TEST_CASE("RuleInForce: counts only what the Tally can record later, and in time", "[guard]") {
    RuleInForce<Answering<Next>> alone{{}};
    RuleInForce<Answering<Counting>> counting{{}};
    RuleInForce<Answering<Foreseeing>> foreseeing{{}};
    const NextSuccess until = NextSuccess::count_until(Instant{5s});
    for (const NextSuccess next : {NextSuccess::count(), until}) {
        alone.tally().next = next;
        counting.tally().next = next;
        foreseeing.tally().next = next;
        CHECK(alone.next_success() == NextSuccess::record()); // it has no record_successes()
        CHECK(counting.next_success() == next);
        // Without a clock reading, no end would be noticed.
        CHECK(foreseeing.next_success() == (next == until ? NextSuccess::record() : next));
    }
    for (const NextSuccess next : {NextSuccess::record(), NextSuccess::skip()}) {
        alone.tally().next = next;
        foreseeing.tally().next = next;
        CHECK(alone.next_success() == next);
        CHECK(foreseeing.next_success() == next);
    }
}

TEST_CASE("RuleInForce: after it has taken calls over, the next success is recorded", "[guard]") {
    const RuleInForce<ConsecutiveFailures> before{{}};
    RuleInForce<ConsecutiveFailures> after{{}};
    CHECK(after.next_success() == NextSuccess::skip());
    after.take_over(before);
    CHECK(after.next_success() == NextSuccess::record());
    CHECK(RuleInForce{after}.next_success() == NextSuccess::record());
    RuleInForce<ConsecutiveFailures> other{{}};
    other.swap(after);
    CHECK(other.next_success() == NextSuccess::record());
    CHECK(after.next_success() == NextSuccess::skip());
    (void)other.record({});
    CHECK(other.next_success() == NextSuccess::skip());
    after.take_over(before);
    after.clear();
    CHECK(after.next_success() == NextSuccess::skip());
}

TEST_CASE("RuleInForce: counts the successes that changed anything", "[guard]") {
    RuleInForce<CountWindow> window{{.size = 5, .minimum_calls = 1}};
    CHECK(window.record_changes(3) == 3);
    CHECK(window.record_changes(3) == 2); // full and clean
    CHECK(window.record_changes(3) == 0);
    CHECK(window.tally().counts({}).calls == 5);

    RuleInForce<TimeWindow> bucket{{}};
    (void)bucket.tally().record({});
    CHECK(bucket.record_changes(3) == 3); // each counts
    CHECK(bucket.record_changes(0) == 0);
    CHECK(bucket.tally().counts({}).calls == 4);

    RuleInForce<ConsecutiveFailures> run{{}};
    CHECK(run.record_changes(3) == 0); // none is under way
}

} // namespace tests::guard_detail_rule_in_force
