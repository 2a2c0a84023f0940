// SPDX-License-Identifier: MIT
// Successes that the windows are told of together.
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace tests::policy_batches {

using namespace std::chrono_literals;
using dashpot::CountWindow;
using dashpot::FinishedCall;
using dashpot::Instant;
using dashpot::NextSuccess;
using dashpot::TimeWindow;

namespace {

constexpr FinishedCall success{};
constexpr FinishedCall failure{.failed = true};
constexpr FinishedCall slow_failure{.failed = true, .slow = true};
constexpr Instant any_time{};

constexpr Instant at(std::chrono::nanoseconds time) { return Instant{time}; }
constexpr FinishedCall success_at(Instant when) { return {.at = when}; }
constexpr FinishedCall failure_at(Instant when) { return {.failed = true, .at = when}; }

} // namespace

TEST_CASE("CountWindow: leaves successes for later only while none can open it", "[policy]") {
    CountWindow::Tally tally{CountWindow{.size = 5, .minimum_calls = 3}};
    CHECK(tally.next_success() == NextSuccess::count()); // nothing failed
    tally.record(failure);
    CHECK(tally.next_success() == NextSuccess::record()); // a success may be the call that is enough
    tally.record(success);
    CHECK(tally.next_success() == NextSuccess::record());
    CHECK_FALSE(tally.would_open(success)); // 1 of 3
    CHECK(tally.would_open(failure));       // 2 of 3
    tally.record(success);
    CHECK(tally.next_success() == NextSuccess::count());
}

TEST_CASE("CountWindow: records many successes at once as one after the other", "[policy]") {
    for (const std::uint32_t size : {1U, 5U, 31U, 32U, 33U, 64U, 100U}) {
        for (const std::uint64_t count :
             {std::uint64_t{1}, std::uint64_t{4}, std::uint64_t{32}, std::uint64_t{63},
              std::uint64_t{100}, std::uint64_t{1} << 40U}) {
            CountWindow::Tally together{CountWindow{.size = size, .minimum_calls = size}};
            CountWindow::Tally one_by_one = together;
            for (std::uint32_t i = 0; i != size + 7; ++i) {
                const FinishedCall& call = i % 3 == 0 ? slow_failure : success;
                together.record(call);
                one_by_one.record(call);
            }
            together.record_successes(count);
            for (std::uint64_t i = 0; i != std::min<std::uint64_t>(count, 2 * size); ++i) {
                one_by_one.record(success);
            }
            CAPTURE(size, count);
            CHECK(together.counts(any_time) == one_by_one.counts(any_time));
            for (std::uint32_t i = 0; i != size; ++i) { // and what is pushed out next is the same
                together.record(success);
                one_by_one.record(success);
                CHECK(together.counts(any_time) == one_by_one.counts(any_time));
            }
        }
    }
}

TEST_CASE("CountWindow: cleared, it records many successes at once as a new one does", "[policy]") {
    const CountWindow policy{.size = 5, .minimum_calls = 3};
    CountWindow::Tally cleared{policy};
    for (int i = 0; i != 3; ++i) cleared.record(slow_failure);
    cleared.clear();
    CountWindow::Tally fresh{policy};
    for (int i = 0; i != 2; ++i) {
        cleared.record_successes(3); // the second time the ring is full
        fresh.record_successes(3);
        CHECK(cleared.counts(any_time) == fresh.counts(any_time));
    }
}

TEST_CASE("TimeWindow: leaves successes for later only until its bucket ends", "[policy]") {
    TimeWindow::Tally tally{TimeWindow{.length = 10s, .buckets = 10, .minimum_calls = 2}};
    CHECK(tally.next_success() == NextSuccess::record()); // it is in no bucket yet
    tally.record(success_at(at(3500ms)));
    CHECK(tally.next_success() == NextSuccess::count_until(at(4s)));
    tally.record_successes(3);
    CHECK(tally.counts(at(3999ms)).calls == 4);
    CHECK(tally.counts(at(12999ms)).calls == 4); // they count from the bucket that was the newest
    CHECK(tally.counts(at(13s)).calls == 0);
    tally.record(failure_at(at(3600ms)));
    CHECK(tally.next_success() ==
          NextSuccess::count_until(at(4s))); // there are enough calls: a success only lowers the rate
    tally.clear();
    CHECK(tally.next_success() == NextSuccess::record());
    tally.record(failure_at(at(3s)));
    CHECK(tally.next_success() ==
          NextSuccess::record()); // the next success would be the call that is enough
}

TEST_CASE("TimeWindow: a batch ends in time before the epoch, and at the end of all time", "[policy]") {
    TimeWindow::Tally tally{TimeWindow{.length = 10s, .buckets = 10}};
    tally.record(success_at(at(-500ms)));
    CHECK(tally.next_success().end() == at(0s));
    tally.clear();
    tally.record(success_at(at(-1s)));
    CHECK(tally.next_success().end() == at(0s));
    tally.clear();
    tally.record(success_at((Instant::max)()));
    CHECK(tally.next_success().end() == (Instant::max)());
    tally.clear();
    TimeWindow::Tally of_nanoseconds{TimeWindow{.length = 10ns, .buckets = 10}};
    of_nanoseconds.record(success_at((Instant::max)()));
    CHECK(of_nanoseconds.next_success().end() == (Instant::max)());
    tally.record(success_at((Instant::min)()));
    CHECK(tally.next_success().end() > (Instant::min)());
}

} // namespace tests::policy_batches
