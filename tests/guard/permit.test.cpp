// SPDX-License-Identifier: MIT
#include <dashpot/guard/permit.hpp>

#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tests::guard_permit {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::State;

namespace {

struct Rig {
    explicit Rig(dashpot::HalfOpen half_open = {}, std::uint32_t threshold = 1)
        : breaker{{.threshold = threshold}, {.reset_timeout = 10s, .half_open = half_open}, clock} {}

    /// HALF_OPEN, and its first probe.
    Permit probe() {
        breaker.trip();
        clock.advance(10s);
        return breaker.try_acquire();
    }

    ManualClock clock;
    Breaker breaker;
};

/// Unwinds the stack through a frame that holds `held`.
template <class... Held>
void unwind_through(Held... held) {
    try {
        [[maybe_unused]] const auto keep = std::make_tuple(std::move(held)...);
        throw 42;
    } catch (int) {}
}

/// Takes a permit while an exception unwinds the stack, and drops it as told.
struct TakesWhileUnwinding {
    enum class Then { drops_plainly, throws_again };

    TakesWhileUnwinding(Breaker& b, Then t) : breaker{b}, then{t} {}
    TakesWhileUnwinding(const TakesWhileUnwinding&) = delete;
    TakesWhileUnwinding& operator=(const TakesWhileUnwinding&) = delete;

    ~TakesWhileUnwinding() {
        try {
            const Permit permit = breaker.try_acquire();
            if (then == Then::throws_again) throw 43;
        } catch (int) {}
    }

    Breaker& breaker;
    Then then;
};

} // namespace

TEST_CASE("Permit: is true while it is granted and unanswered", "[guard]") {
    Rig rig{{}, 100};
    for (int how = 0; how != 5; ++how) {
        Permit permit = rig.breaker.try_acquire();
        CHECK(permit);
        switch (how) {
        case 0: CHECK(permit.success()); break;
        case 1: CHECK(permit.failure()); break;
        case 2: CHECK(permit.ignore()); break;
        case 3: CHECK(permit.record(Outcome::failure)); break;
        case 4: permit.release(); break;
        }
        CHECK_FALSE(permit);
    }
}

TEST_CASE("Permit: is answered once, whatever is said later", "[guard]") {
    Rig rig{{}, 2};
    Permit permit = rig.breaker.try_acquire();
    CHECK(permit.failure());
    CHECK_FALSE(permit.failure());
    CHECK_FALSE(permit.success());
    CHECK_FALSE(permit.success(1s));
    CHECK_FALSE(permit.failure(1s));
    CHECK_FALSE(permit.ignore());
    CHECK_FALSE(permit.record(Outcome::failure));
    CHECK_FALSE(permit.record(Outcome::failure, 1s));
    permit.release();
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failures == 1);
    CHECK(rig.breaker.snapshot().ignored == 0);
}

TEST_CASE("Permit: record() says what the three answers say", "[guard]") {
    Rig rig{{}, 2};
    CHECK(rig.breaker.try_acquire().record(Outcome::failure));
    CHECK(rig.breaker.snapshot().failures == 1);
    CHECK(rig.breaker.try_acquire().record(Outcome::ignored));
    CHECK(rig.breaker.snapshot().failures == 1);
    CHECK(rig.breaker.snapshot().ignored == 1);
    CHECK(rig.breaker.try_acquire().record(Outcome::success, 1s));
    CHECK(rig.breaker.snapshot().failures == 0);
    CHECK(rig.breaker.try_acquire().record(Outcome::failure, 1s));
    CHECK(rig.breaker.snapshot().failures == 1);
}

TEST_CASE("Permit: a refused one answers nothing", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    Permit refused = rig.breaker.try_acquire();
    CHECK_FALSE(refused);
    CHECK(refused.refusal().reason == Error::circuit_open);
    CHECK_FALSE(refused.success());
    CHECK_FALSE(refused.failure());
    CHECK_FALSE(refused.ignore());
    refused.release();
    CHECK(refused.refusal().reason == Error::circuit_open);
    CHECK(rig.breaker.snapshot().ignored == 0);
}

TEST_CASE("Permit: knows the generation that it was granted or refused in", "[guard]") {
    Rig rig;
    const Permit granted = rig.breaker.try_acquire();
    CHECK(granted.generation() == 1);
    rig.breaker.trip();
    CHECK(granted.generation() == 1);
    CHECK(rig.breaker.try_acquire().generation() == 2);
    rig.clock.advance(10s);
    const Permit probe = rig.breaker.try_acquire();
    CHECK(probe.generation() == 3);
    CHECK(rig.breaker.try_acquire().generation() == 3);
}

TEST_CASE("Permit: one of an earlier generation answers false and does not count", "[guard]") {
    Rig rig{{}, 2};
    Permit permits[] = {rig.breaker.try_acquire(), rig.breaker.try_acquire(),
                        rig.breaker.try_acquire()};
    rig.breaker.reset();
    CHECK(permits[0]); // still to be answered
    CHECK_FALSE(permits[0].failure());
    CHECK_FALSE(permits[1].ignore());
    CHECK_FALSE(permits[2].success());
    CHECK_FALSE(permits[0]);
    CHECK(rig.breaker.snapshot().failures == 0);
    CHECK(rig.breaker.snapshot().ignored == 0);
}

TEST_CASE("Permit: a success from before a failure of its own generation still ends the run",
          "[guard]") {
    Rig rig{{}, 2};
    Permit early = rig.breaker.try_acquire();
    fail(rig.breaker);
    CHECK(early.success());
    fail(rig.breaker);
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Permit: a failure from before two recoveries does not count against the third life",
          "[guard]") {
    Rig rig{{}, 1};
    Permit old = rig.breaker.try_acquire();
    fail(rig.breaker);
    rig.clock.advance(10s);
    succeed(rig.breaker);
    CHECK_FALSE(old.failure());
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().failures == 0);
}

TEST_CASE("Permit: ignore() in its own generation returns true and is counted", "[guard]") {
    Rig rig;
    CHECK(rig.breaker.try_acquire().ignore());
    CHECK(rig.breaker.snapshot().ignored == 1);
    Permit probe = rig.probe();
    CHECK(probe.ignore());
    CHECK(rig.breaker.snapshot().ignored == 2);
}

TEST_CASE("Permit: dropped plainly it counts as ignored", "[guard]") {
    Rig rig;
    { const Permit dropped = rig.breaker.try_acquire(); }
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 1);
    CHECK(rig.breaker.snapshot().failures == 0);
}

TEST_CASE("Permit: a probe that is ignored, dropped or released gives its slot back", "[guard]") {
    for (int how = 0; how != 3; ++how) {
        Rig rig;
        {
            Permit probe = rig.probe();
            REQUIRE_FALSE(rig.breaker.allow());
            if (how == 0) CHECK(probe.ignore());
            if (how == 1) probe.release();
        }
        CHECK(rig.breaker.state() == State::half_open);
        CHECK(rig.breaker.snapshot().probes_in_flight == 0);
        CHECK(rig.breaker.snapshot().ignored == (how == 1 ? 0 : 1));
        succeed(rig.breaker);
        CHECK(rig.breaker.state() == State::closed);
    }
}

TEST_CASE("Permit: a slot given back between two successes is used again", "[guard]") {
    Rig rig{{.probes = 2, .successes_to_close = 2}};
    Permit first = rig.probe();
    Permit second = rig.breaker.try_acquire();
    CHECK(first.success());
    CHECK(second.ignore());
    Permit third = rig.breaker.try_acquire();
    CHECK(third);
    CHECK_FALSE(rig.breaker.allow());
    CHECK(third.success());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Permit: release() gives back what was not used, and it is not counted", "[guard]") {
    Rig rig{{}, 2};
    fail(rig.breaker);
    Permit permit = rig.breaker.try_acquire();
    permit.release();
    permit.release();
    CHECK(rig.breaker.snapshot().ignored == 0);
    CHECK(rig.breaker.snapshot().failures == 1);
    Permit stale = rig.breaker.try_acquire();
    Permit probe = rig.probe();
    stale.release();
    CHECK_FALSE(rig.breaker.allow());
    CHECK(probe);
}

TEST_CASE("Permit: unwound by an exception thrown after it was taken, it counts as a failure",
          "[guard]") {
    Rig closed{{}, 2};
    unwind_through(closed.breaker.try_acquire());
    CHECK(closed.breaker.snapshot().failures == 1);
    CHECK(closed.breaker.snapshot().ignored == 0);
    unwind_through(closed.breaker.try_acquire());
    CHECK(closed.breaker.state() == State::open);

    Rig half_open;
    unwind_through(half_open.probe());
    CHECK(half_open.breaker.state() == State::open);
}

TEST_CASE("Permit: unwound late, in another generation, it does not count", "[guard]") {
    Rig rig;
    Permit stale = rig.breaker.try_acquire();
    Permit probe = rig.probe();
    unwind_through(std::move(stale));
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(probe.success());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Permit: taken and dropped while an exception unwinds, it counts as ignored", "[guard]") {
    Rig rig;
    unwind_through(
        std::make_unique<TakesWhileUnwinding>(rig.breaker, TakesWhileUnwinding::Then::drops_plainly));
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 1);
}

TEST_CASE("Permit: moved to another thread, it is judged by what is thrown there afterwards",
          "[guard]") {
    const auto dropped_on_another_thread = [](Rig& rig) {
        Permit handed_over = rig.breaker.try_acquire();
        std::thread{[&] {
            try {
                const Permit mine = std::move(handed_over);
                throw 42;
            } catch (int) {}
        }}.join();
    };
    Rig rig;
    dropped_on_another_thread(rig);
    CHECK(rig.breaker.state() == State::open);

    // Also where the thread that took it unwinds.
    struct HandsOver {
        HandsOver(Rig& r, const decltype(dropped_on_another_thread)& d) : rig{r}, drop{d} {}
        HandsOver(const HandsOver&) = delete;
        HandsOver& operator=(const HandsOver&) = delete;
        ~HandsOver() { drop(rig); }
        Rig& rig;
        const decltype(dropped_on_another_thread)& drop;
    };
    Rig other;
    unwind_through(std::make_unique<HandsOver>(other, dropped_on_another_thread));
    CHECK(other.breaker.state() == State::open);
}

TEST_CASE("Permit: moved to a thread that unwinds already, and dropped there, it counts as ignored",
          "[guard]") {
    Rig rig;
    struct Drains {
        explicit Drains(Permit& p) : permit{p} {}
        Drains(const Drains&) = delete;
        Drains& operator=(const Drains&) = delete;
        ~Drains() { const Permit dropped = std::move(permit); }
        Permit& permit;
    };
    Permit queued = rig.breaker.try_acquire();
    std::thread{[&] { unwind_through(std::make_unique<Drains>(queued)); }}.join();
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 1);
}

TEST_CASE("Permit: taken while one exception unwinds and unwound by a second, it counts as a failure",
          "[guard]") {
    Rig rig;
    unwind_through(
        std::make_unique<TakesWhileUnwinding>(rig.breaker, TakesWhileUnwinding::Then::throws_again));
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("Permit: dropped inside a handler, after the unwinding, it counts as ignored", "[guard]") {
    Rig rig;
    Permit permit = rig.breaker.try_acquire();
    try {
        throw 42;
    } catch (int) {
        const Permit dropped = std::move(permit);
    }
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 1);
}

TEST_CASE("Permit: an answered one may be unwound without harm", "[guard]") {
    Rig rig;
    Permit permit = rig.breaker.try_acquire();
    CHECK(permit.success());
    unwind_through(std::move(permit));
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("Permit: moves, and what it was moved from answers nothing", "[guard]") {
    Rig rig{{}, 1};
    Permit from = rig.breaker.try_acquire();
    Permit to = std::move(from);
    CHECK(to);
    CHECK_FALSE(from); // NOLINT(bugprone-use-after-move): that is the question
    CHECK_FALSE(from.failure());
    CHECK(rig.breaker.state() == State::closed);
    CHECK(to.failure());
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("Permit: assigned to, it drops what it held as ignored", "[guard]") {
    Rig rig{{.probes = 2}};
    Permit first = rig.probe();
    Permit second = rig.breaker.try_acquire();
    first = std::move(second);
    CHECK(first);
    CHECK(rig.breaker.snapshot().probes_in_flight == 1);
    CHECK(rig.breaker.snapshot().ignored == 1);
    Permit& self = first;
    first = std::move(self);
    CHECK(first);
    CHECK(rig.breaker.snapshot().probes_in_flight == 1);
}

TEST_CASE("Permit: a moved probe takes its slot with it", "[guard]") {
    Rig rig;
    std::optional<Permit> kept;
    {
        Permit probe = rig.probe();
        kept.emplace(std::move(probe));
    }
    CHECK_FALSE(rig.breaker.allow());
    kept.reset();
    CHECK(rig.breaker.allow());
}

TEST_CASE("Permit: is moved and never copied, and nothing about it throws", "[guard]") {
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Permit>);
    STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_constructible_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_move_assignable_v<Permit>);
    STATIC_REQUIRE(std::is_nothrow_destructible_v<Permit>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<Permit, bool>);
    STATIC_REQUIRE(requires(Permit& permit, std::chrono::hours elapsed) {
        { permit.success() } noexcept -> std::same_as<bool>;
        { permit.success(elapsed) } noexcept -> std::same_as<bool>;
        { permit.failure() } noexcept -> std::same_as<bool>;
        { permit.failure(elapsed) } noexcept -> std::same_as<bool>;
        { permit.ignore() } noexcept -> std::same_as<bool>;
        { permit.record(Outcome::ignored) } noexcept -> std::same_as<bool>;
        { permit.refusal() } noexcept -> std::same_as<dashpot::Refusal>;
    });
}

} // namespace tests::guard_permit
