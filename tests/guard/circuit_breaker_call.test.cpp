// SPDX-License-Identifier: MIT
#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tests::guard_circuit_breaker_call {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Result;
using dashpot::State;

namespace {

struct Rig {
    explicit Rig(std::uint32_t threshold = 2)
        : breaker{{.threshold = threshold}, {.reset_timeout = 10s}, clock} {}

    std::uint64_t failures() { return breaker.snapshot().failures; }

    ManualClock clock;
    Breaker breaker;
};

struct Account {
    int balance = 7;
    int read() const { return balance; }
};

int free_function() { return 42; }

/// Throws when it is moved for the first time: out of the function that made it.
struct ThrowsOnMove {
    ThrowsOnMove() = default;
    ThrowsOnMove(ThrowsOnMove&&) { throw std::bad_alloc{}; }
};

} // namespace

TEST_CASE("call: returns what the function returned and records a success", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    const Result<int> result = rig.breaker.call([] { return 42; });
    CHECK(result.value() == 42);
    CHECK(rig.failures() == 0); // the run ended
}

TEST_CASE("call: takes any callable", "[guard]") {
    Rig rig;
    CHECK(rig.breaker.call(free_function).value() == 42);
    CHECK(rig.breaker.call(&free_function).value() == 42);
    CHECK(rig.breaker.call(std::function<int()>{free_function}).value() == 42);
    CHECK(rig.breaker.call([n = 41]() mutable { return ++n; }).value() == 42);
    CHECK(rig.breaker.call([p = std::make_unique<int>(42)] { return *p; }).value() == 42);
    CHECK(rig.breaker.call(std::bind_front(&Account::read, Account{9})).value() == 9);
    int calls = 0;
    auto counter = [&calls] { return ++calls; };
    CHECK(rig.breaker.call(counter).value() == 1);
    CHECK(rig.breaker.call(std::as_const(counter)).value() == 2);
    CHECK(rig.breaker.call(std::ref(counter)).value() == 3);
}

TEST_CASE("call: keeps void, references and types that only move as they are", "[guard]") {
    Rig rig;
    bool ran = false;
    const Result<void> nothing = rig.breaker.call([&] { ran = true; });
    CHECK(nothing.has_value());
    CHECK(ran);

    Account account;
    const Result<Account&> reference = rig.breaker.call([&]() -> Account& { return account; });
    reference->get().balance = 8;
    CHECK(account.balance == 8);
    const Result<const Account&> read = rig.breaker.call([&]() -> const Account& { return account; });
    CHECK(&read->get() == &account);
    const Result<Account> moved = rig.breaker.call([&]() -> Account&& { return std::move(account); });
    CHECK(moved->balance == 8);

    Result<std::unique_ptr<int>> owned = rig.breaker.call([] { return std::make_unique<int>(42); });
    CHECK(**owned == 42);
    STATIC_REQUIRE(std::is_same_v<decltype(rig.breaker.call([]() -> const Account { return {}; })),
                                  Result<Account>>);
}

TEST_CASE("call: a refusal is a value, and the function is not called", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    rig.clock.advance(3s);
    int calls = 0;
    const Result<int> result = rig.breaker.call([&] { return ++calls; });
    CHECK_FALSE(result.has_value());
    CHECK(result.error() == Refusal{Error::circuit_open, 7s});
    CHECK_FALSE(rig.breaker.call([&] { ++calls; }).has_value());
    CHECK(calls == 0);
    rig.clock.advance(7s);
    const Permit probe = rig.breaker.try_acquire();
    CHECK(rig.breaker.call([&] { ++calls; }).error().reason == Error::probes_in_flight);
    CHECK(calls == 0);
}

TEST_CASE("call: an exception passes through untouched and was recorded before", "[guard]") {
    Rig rig;
    struct Special : std::runtime_error {
        using std::runtime_error::runtime_error;
        int code = 17;
    };
    try {
        (void)rig.breaker.call([]() -> int { throw Special{"reset by peer"}; });
        FAIL("it returned");
    } catch (const Special& special) {
        CHECK(special.what() == std::string{"reset by peer"});
        CHECK(special.code == 17);
        CHECK(rig.failures() == 1);
    }
    CHECK_THROWS_AS(rig.breaker.call([] { throw 42; }), int);
    CHECK(rig.breaker.state() == State::open);
}

TEST_CASE("call: the very exception object is passed on", "[guard]") {
    Rig rig{100};
    std::exception_ptr thrown = std::make_exception_ptr(std::runtime_error{"one"});
    try {
        (void)rig.breaker.call([&] { std::rethrow_exception(thrown); });
    } catch (...) {
        CHECK(std::current_exception() == thrown);
    }
    CHECK(rig.failures() == 1);
}

TEST_CASE("call: an exception of the step before the function is recorded, and leaves no probe behind",
          "[guard]") {
    Rig rig{1};
    CHECK_THROWS_AS(rig.breaker.call([] { return ThrowsOnMove{}; }), std::bad_alloc);
    CHECK(rig.breaker.state() == State::open);
    rig.clock.advance(10s);
    CHECK_THROWS_AS(rig.breaker.call([] { return ThrowsOnMove{}; }), std::bad_alloc);
    CHECK(rig.breaker.state() == State::open);
    rig.clock.advance(10s);
    CHECK(rig.breaker.call([] { return 1; }).has_value());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("call: opens, probes and closes like the other forms", "[guard]") {
    Rig rig;
    const auto broken = [&] { return rig.breaker.call([]() -> int { throw 42; }); };
    CHECK_THROWS(broken());
    CHECK_THROWS(broken());
    CHECK(broken().error().reason == Error::circuit_open);
    rig.clock.advance(10s - 1ns);
    CHECK(broken().error() == Refusal{Error::circuit_open, 1ns});
    rig.clock.advance(1ns);
    CHECK_THROWS(broken());
    CHECK(broken().error() == Refusal{Error::circuit_open, 10s});
    rig.clock.advance(10s);
    CHECK(rig.breaker.call([] { return 1; }).has_value());
    CHECK(rig.breaker.state() == State::closed);
}

TEST_CASE("call: has recorded the outcome before the caller sees the result", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    const auto failures_after = [&](const Result<int>&) { return rig.failures(); };
    CHECK(failures_after(rig.breaker.call([] { return 1; })) == 0);
}

TEST_CASE("call: within a call of the same breaker is refused while the only probe is out", "[guard]") {
    Rig rig{1};
    fail(rig.breaker);
    rig.clock.advance(10s);
    int inner_calls = 0;
    const auto nested = [&] {
        return rig.breaker.call([&] { return rig.breaker.call([&] { return ++inner_calls; }); });
    };
    const Result<Result<int>> result = nested();
    REQUIRE(result.has_value());
    CHECK(result->error() == Refusal{Error::probes_in_flight});
    CHECK(inner_calls == 0);
    CHECK(rig.breaker.state() == State::half_open); // the outer call says nothing
    CHECK(rig.breaker.snapshot().ignored == 1);
    CHECK(rig.breaker.snapshot().probes_in_flight == 0);
    rig.clock.advance(10s);
    CHECK_FALSE(nested()->has_value());
    CHECK(rig.breaker.call([] { return 1; }).has_value());
    CHECK(rig.breaker.state() == State::closed);
    CHECK(nested()->value() == 1);
}

TEST_CASE("call: the value() of an inner refusal, thrown, says nothing about the target", "[guard]") {
    Rig rig{1};
    Rig inner{1};
    inner.breaker.trip();
    CHECK_THROWS_AS(rig.breaker.call([&] { return inner.breaker.call([] { return 1; }).value(); }),
                    dashpot::BadResultAccess);
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 1);
}

TEST_CASE("call: an outcome that comes late does not vote", "[guard]") {
    Rig rig{1};
    const Result<int> late = rig.breaker.call([&] {
        rig.breaker.trip();
        rig.clock.advance(10s);
        REQUIRE(rig.breaker.allow());
        return 42;
    });
    CHECK(late.value() == 42);
    CHECK(rig.breaker.state() == State::half_open);
    CHECK(rig.breaker.snapshot().calls == 0);
}

TEST_CASE("call: works inside a destructor that runs while an exception unwinds the stack", "[guard]") {
    Rig rig{1};
    struct Cleanup {
        Breaker& breaker;
        ~Cleanup() {
            CHECK(breaker.call([] { return 42; }).value() == 42);
        }
    };
    try {
        const Cleanup cleanup{rig.breaker};
        throw 42;
    } catch (int) {}
    CHECK(rig.breaker.state() == State::closed);
    CHECK(rig.breaker.snapshot().ignored == 0);

    struct FailingCleanup {
        Breaker& breaker;
        ~FailingCleanup() {
            CHECK_THROWS(breaker.call([]() -> int { throw 43; }));
        }
    };
    try {
        const FailingCleanup cleanup{rig.breaker};
        throw 42;
    } catch (int) {}
    CHECK(rig.breaker.state() == State::open);
}

} // namespace tests::guard_circuit_breaker_call
