// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/refusal_gate.hpp>

#include "catch.hpp"

#include <chrono>

namespace tests::guard_detail_refusal_gate {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::RefusalGate;
using dashpot::detail::Wait;

TEST_CASE("RefusalGate: is open at first", "[guard]") {
    const RefusalGate gate;
    CHECK_FALSE(gate.read().is_on(Instant{}));
    CHECK(gate.read().length == 0ns);
}

TEST_CASE("RefusalGate: shows the wait that it was set to", "[guard]") {
    RefusalGate gate;
    for (const Wait& wait : {Wait{Instant{5s}, 10s}, Wait{Instant{-5s}, 1ns},
                             Wait{(Instant::min)(), (std::chrono::nanoseconds::max)()}}) {
        gate.set(wait);
        CHECK(gate.read() == wait);
    }
}

TEST_CASE("RefusalGate: keeps the start of a wait that is over", "[guard]") {
    // Found by the model: who had read the length, and then the start of no wait at all, refused
    // callers whose clock read less than that start.
    RefusalGate gate;
    gate.set({Instant{-100s}, 10s});
    gate.set(Wait{});
    CHECK_FALSE(gate.read().is_on(Instant{-100s}));
    CHECK(gate.read().rest(Instant{-100s}) == 0ns);
    CHECK(gate.read().since == Instant{-100s});
}

TEST_CASE("RefusalGate: distinguishes no wait from a wait that is not known", "[guard]") {
    RefusalGate gate;
    CHECK_FALSE(RefusalGate::is_known(gate.read()));
    for (const Wait& wait : {Wait{}, Wait{Instant{5s}, 10s}, Wait{}}) {
        gate.set(wait);
        CHECK(RefusalGate::is_known(gate.read()));
        CHECK(gate.read().is_on(Instant{6s}) == (wait.length > 0ns));
        gate.set(wait);
        CHECK(RefusalGate::is_known(gate.read()));
        gate.open();
        CHECK_FALSE(RefusalGate::is_known(gate.read()));
        CHECK_FALSE(gate.read().is_on(Instant{6s}));
        gate.set(wait);
    }
}

TEST_CASE("RefusalGate: refuses no call once it was opened", "[guard]") {
    RefusalGate gate;
    gate.set({Instant{5s}, 10s});
    CHECK(gate.read().is_on(Instant{6s}));
    gate.open();
    CHECK_FALSE(gate.read().is_on(Instant{6s}));
    CHECK(gate.read().rest(Instant{6s}) == 0ns);
    gate.set({Instant{6s}, 1s});
    CHECK(gate.read().is_on(Instant{6s}));
}

} // namespace tests::guard_detail_refusal_gate
