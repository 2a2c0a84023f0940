// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/rate_core.hpp>

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <stop_token>

namespace tests::guard_detail_rate_core {

using namespace std::chrono_literals;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::RateLimit;
using dashpot::Refusal;
using dashpot::detail::RateCore;
using dashpot::detail::WaitingPlace;

namespace {

/// Threads that wait, without threads: what each sees when it looks.
struct Waiting {
    explicit Waiting(RateCore& core, std::uint32_t permits = 1, Deadline until = {})
        : core_{core}, until_{until} {
        place.permits = permits;
    }
    RateCore::Look enter(Instant now) { return core_.enter(place, now, until_, none_); }
    RateCore::Look look(Instant now, bool is_stopped = false) {
        return core_.look(place, now, until_, is_stopped, none_);
    }
    WaitingPlace place{};

  private:
    RateCore& core_;
    Deadline until_;
    std::stop_source none_{std::nostopstate};
};

std::chrono::nanoseconds retry_after(RateCore& core, Instant now) {
    return core.try_acquire(core.load(), now, 1).refusal().retry_after.value();
}

} // namespace

TEST_CASE("RateCore: a thread that waits holds a place, not a time", "[guard]") {
    RateCore core{{.permits = 1, .per = 1h, .burst = 1}, Instant{}};
    CHECK(core.try_acquire(core.load(), Instant{}, 1));
    Waiting first{core};
    Waiting second{core};
    CHECK(first.enter(Instant{}).due == Instant{1h});
    CHECK(second.enter(Instant{}).due == Instant{2h});
    core.reconfigure({.permits = 1000, .per = 1s, .burst = 1}, Instant{});
    CHECK(first.look(Instant{}).due == Instant{1ms});
    CHECK_FALSE(first.look(Instant{1ms - 1ns}).answer);
    CHECK(second.look(Instant{1ms - 1ns}).due == Instant{2ms});
    CHECK(first.look(Instant{1ms}).answer.value());
    core.reconfigure({.permits = 1, .per = 1s, .burst = 1}, Instant{1500us}); // half a permit is left
    CHECK(second.look(Instant{1500us}).due == Instant{1500us + 500ms});
    CHECK(core.snapshot(Instant{1500us}).waiting == 1);
    CHECK(second.look(Instant{1500us + 500ms}).answer.value());
}

TEST_CASE("RateCore: a place that was due stays granted at any later rate", "[guard]") {
    RateCore core{{.permits = 1, .per = 1s, .burst = 1}, Instant{}};
    CHECK(core.try_acquire(core.load(), Instant{}, 1));
    Waiting thread{core};
    CHECK_FALSE(thread.enter(Instant{}).answer);
    CHECK(core.try_acquire(core.load(), Instant{2s}, 1)); // late, and behind it
    core.reconfigure({.permits = 1, .per = 1h, .burst = 1}, Instant{2s});
    core.reconfigure({.permits = 2, .per = 1h, .burst = 1}, Instant{2s});
    CHECK(thread.look(Instant{2s}).answer.value());
}

TEST_CASE("RateCore: a thread that stops waiting leaves its place to those behind", "[guard]") {
    RateCore core{{.permits = 1, .per = 1s, .burst = 4}, Instant{}};
    CHECK(core.try_acquire(core.load(), Instant{}, 4));
    Waiting first{core};
    Waiting second{core, 3};
    Waiting third{core};
    CHECK(first.enter(Instant{}).due == Instant{1s});
    CHECK(second.enter(Instant{}).due == Instant{4s});
    CHECK(third.enter(Instant{}).due == Instant{5s});
    SECTION("it moves up by as many permits") {
        CHECK(second.look(Instant{}, true).answer->refusal() == Refusal{Error::cancelled});
        CHECK(first.look(Instant{}).due == Instant{1s});
        CHECK(third.look(Instant{}).due == Instant{2s});
        CHECK(retry_after(core, Instant{}) == 3s);
        core.leave(first.place, Instant{});
        CHECK(third.look(Instant{}).due == Instant{1s});
    }
    SECTION("a reservation behind it keeps its time, and so the place is forfeited") {
        const auto [promise, answer] = core.reserve(Instant{}, 1h, 1);
        CHECK(promise.wait.length == 6s);
        Waiting last{core};
        CHECK(last.enter(Instant{}).due == Instant{7s});
        CHECK(second.look(Instant{}, true).answer->refusal() == Refusal{Error::cancelled});
        CHECK(third.look(Instant{}).due == Instant{5s});
        CHECK(last.look(Instant{}).due == Instant{7s});
        CHECK(core.cancel(promise, Instant{}));
        CHECK(last.look(Instant{}).due == Instant{6s});
        core.leave(third.place, Instant{}); // nothing is reserved behind it any more
        CHECK(last.look(Instant{}).due == Instant{5s});
        CHECK(retry_after(core, Instant{}) == 6s);
        core.leave(last.place, Instant{});
    }
    SECTION("a stop that comes when it is due is too late") {
        CHECK(first.look(Instant{1s}, true).answer.value());
        CHECK(second.look(Instant{4s}).answer.value());
    }
}

TEST_CASE("RateCore: waits are looked at again when they change", "[guard]") {
    RateCore core{{.permits = 10, .per = 1s, .burst = 2}, Instant{}};
    CHECK(core.try_acquire(core.load(), Instant{}, 2));
    Waiting hurried{core, 1, Deadline{Instant{500ms}}};
    Waiting large{core, 2};
    const auto before = hurried.enter(Instant{});
    CHECK_FALSE(large.enter(Instant{}).answer);
    core.reconfigure({.permits = 1, .per = 1s, .burst = 1}, Instant{});
    const auto after = hurried.look(Instant{});
    CHECK(after.answer->refusal() == Refusal{Error::deadline_exceeded, 3s});
    CHECK(large.look(Instant{}).answer->refusal() ==
          Refusal{Error::rate_limited, std::chrono::nanoseconds::max()});
    CHECK(retry_after(core, Instant{}) == 1s);
    core.sleep(1h, before.change, {}); // returns at once: there was a change
    CHECK(core.refused() == 3);
}

TEST_CASE("RateCore: a source of stops is used for one change", "[guard]") {
    RateCore core{{.permits = 1, .per = 1s, .burst = 1}, Instant{}};
    CHECK(core.try_acquire(core.load(), Instant{}, 1));
    WaitingPlace place{.permits = 1};
    std::stop_source source;
    const auto look = core.enter(place, Instant{}, Deadline{}, source);
    CHECK(look.changed.stop_possible());
    CHECK_FALSE(source.stop_possible()); // it is the core's now
    core.reconfigure({.permits = 2, .per = 1s, .burst = 1}, Instant{});
    CHECK(look.changed.stop_requested());
    std::stop_source next;
    CHECK_FALSE(core.look(place, Instant{}, Deadline{}, false, next).changed.stop_requested());
    core.leave(place, Instant{});
}

} // namespace tests::guard_detail_rate_core
