// SPDX-License-Identifier: MIT
#include <dashpot/core/verdict.hpp>
#include <dashpot/guard/circuit_breaker.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests::guard_circuit_breaker_classify {

using namespace std::chrono_literals;
using namespace support;
using dashpot::Outcome;
using dashpot::State;

namespace {

struct Rig {
    std::uint64_t failures() const { return breaker.snapshot().failures; }
    std::uint64_t ignored() const { return breaker.snapshot().ignored; }

    Breaker breaker{{.threshold = 100}, {.reset_timeout = 10s}, ManualClock{}};
};

struct Answer {
    int status = 200;
    Outcome verdict() const { return status < 500 ? Outcome::success : Outcome::failure; }
};

struct NotFound : std::runtime_error {
    NotFound() : std::runtime_error{"not found"} {}
};

template <class... F>
struct Overload : F... {
    using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

Outcome by_status(const Answer& answer) { return answer.verdict(); }

Outcome by_type(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const NotFound&) {
        return Outcome::ignored;
    } catch (...) {
        return Outcome::failure;
    }
}

/// Runs a call that answers 200, then one that answers 500, then one that throws; tells how many
/// failures there were after each.
template <class Classify>
std::vector<std::uint64_t> failures_after_200_500_and_throw(Classify&& classify) {
    Rig rig;
    std::vector<std::uint64_t> seen;
    for (const int status : {200, 500}) {
        (void)rig.breaker.call([&] { return Answer{status}; }, classify);
        seen.push_back(rig.failures());
    }
    CHECK_THROWS_AS(rig.breaker.call([]() -> Answer { throw NotFound{}; }, classify), NotFound);
    seen.push_back(rig.failures());
    return seen;
}

using Seen = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("Classify: of values judges the value, and an exception is a failure", "[guard]") {
    const Seen expected{0, 1, 2};
    CHECK(failures_after_200_500_and_throw(&by_status) == expected);
    CHECK(failures_after_200_500_and_throw(by_status) == expected);
    CHECK(failures_after_200_500_and_throw(std::function<Outcome(const Answer&)>{by_status}) ==
          expected);
    CHECK(failures_after_200_500_and_throw([](const Answer& a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([](Answer a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([](const auto& a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([](auto& a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([](auto a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([](auto&& a) { return a.verdict(); }) == expected);
    CHECK(failures_after_200_500_and_throw([calls = 0](const Answer& a) mutable {
              return ++calls > 0 ? a.verdict() : Outcome::ignored;
          }) == expected);
}

TEST_CASE("Classify: may be a pointer to a member of what is returned", "[guard]") {
    CHECK(failures_after_200_500_and_throw(&Answer::verdict) == Seen{0, 1, 2});
}

TEST_CASE("Classify: of exceptions judges the exception, and a value is a success", "[guard]") {
    const Seen expected{0, 0, 0};
    CHECK(failures_after_200_500_and_throw(&by_type) == expected);
    CHECK(failures_after_200_500_and_throw(std::function<Outcome(std::exception_ptr)>{by_type}) ==
          expected);
    CHECK(failures_after_200_500_and_throw([](std::exception_ptr e) { return by_type(e); }) ==
          expected);
    CHECK(failures_after_200_500_and_throw([](const std::exception_ptr& e) { return by_type(e); }) ==
          expected);
}

TEST_CASE("Classify: of both judges both", "[guard]") {
    const Seen expected{0, 1, 1};
    const auto thrown = [](std::exception_ptr e) { return by_type(e); };
    const auto thrown_by_reference = [](const std::exception_ptr& e) { return by_type(e); };
    const auto value = [](const Answer& a) { return a.verdict(); };
    const auto generic = [](const auto& a) { return a.verdict(); };
    CHECK(failures_after_200_500_and_throw(Overload{value, thrown}) == expected);
    CHECK(failures_after_200_500_and_throw(Overload{value, thrown_by_reference}) == expected);
    CHECK(failures_after_200_500_and_throw(Overload{generic, thrown}) == expected);
    CHECK(failures_after_200_500_and_throw(Overload{generic, thrown_by_reference}) == expected);
    const auto generic_by_value = [](auto a) { return a.verdict(); };
    CHECK(failures_after_200_500_and_throw(Overload{generic_by_value, thrown}) == expected);
}

TEST_CASE("Classify: passed by reference judges as it does by value", "[guard]") {
    const Overload both{[](const Answer& a) { return a.verdict(); },
                        [](std::exception_ptr e) { return by_type(e); }};
    CHECK(failures_after_200_500_and_throw(std::ref(both)) == Seen{0, 1, 1});
    CHECK(failures_after_200_500_and_throw(both) == Seen{0, 1, 1});
}

TEST_CASE("Classify: of a void call takes nothing, or the exception", "[guard]") {
    Rig rig;
    (void)rig.breaker.call([] {}, [] { return Outcome::failure; });
    CHECK(rig.failures() == 1);
    CHECK_THROWS_AS(rig.breaker.call([] { throw NotFound{}; }, [] { return Outcome::ignored; }),
                    NotFound);
    CHECK(rig.failures() == 2);
    (void)rig.breaker.call([] {}, by_type);
    CHECK(rig.failures() == 0);
    CHECK_THROWS_AS(rig.breaker.call([] { throw NotFound{}; }, by_type), NotFound);
    CHECK(rig.ignored() == 1);
    const Overload both{[] { return Outcome::ignored; },
                        [](std::exception_ptr e) { return by_type(e); }};
    (void)rig.breaker.call([] {}, both);
    CHECK(rig.ignored() == 2);
    CHECK_THROWS_AS(rig.breaker.call([] { throw NotFound{}; }, both), NotFound);
    CHECK(rig.ignored() == 3);
    CHECK(rig.failures() == 0);
}

TEST_CASE("Classify: receives a returned reference as what it refers to", "[guard]") {
    Rig rig;
    Answer answer{500};
    const void* seen = nullptr;
    (void)rig.breaker.call([&]() -> Answer& { return answer; },
                           [&](const Answer& a) {
                               seen = &a;
                               return a.verdict();
                           });
    CHECK(seen == &answer);
    CHECK(rig.failures() == 1);
}

TEST_CASE("Classify: sees a value that only moves without taking it", "[guard]") {
    Rig rig;
    const auto result = rig.breaker.call([] { return std::make_unique<Answer>(Answer{500}); },
                                         [](const std::unique_ptr<Answer>& a) { return a->verdict(); });
    REQUIRE(result.has_value());
    CHECK((*result)->status == 500); // the caller gets it all the same
    CHECK(rig.failures() == 1);
}

TEST_CASE("Classify: an ignored call counts nowhere", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    CHECK(rig.breaker.call([] { return 42; }, [](int) { return Outcome::ignored; }).value() == 42);
    CHECK(rig.failures() == 1);
    CHECK(rig.ignored() == 1);
}

TEST_CASE("Classify: is not asked about a call that was refused", "[guard]") {
    Rig rig;
    rig.breaker.trip();
    int asked = 0;
    const auto classify = [&](int) {
        ++asked;
        return Outcome::failure;
    };
    CHECK_FALSE(rig.breaker.call([] { return 42; }, classify).has_value());
    CHECK(asked == 0);
}

TEST_CASE("Classify: is asked once for each call", "[guard]") {
    Rig rig;
    int values = 0;
    int exceptions = 0;
    const Overload classify{[&](int) { return ++values, Outcome::success; },
                            [&](std::exception_ptr) { return ++exceptions, Outcome::failure; }};
    (void)rig.breaker.call([] { return 42; }, classify);
    CHECK_THROWS(rig.breaker.call([]() -> int { throw 42; }, classify));
    CHECK(values == 1);
    CHECK(exceptions == 1);
}

TEST_CASE("Classify: that throws on a value settles the call as ignored", "[guard]") {
    Rig rig;
    fail(rig.breaker);
    const auto classify = [](int) -> Outcome { throw std::logic_error{"no verdict"}; };
    CHECK_THROWS_WITH(rig.breaker.call([] { return 42; }, classify), "no verdict");
    CHECK(rig.failures() == 1);
    CHECK(rig.ignored() == 1);
}

TEST_CASE("Classify: that throws on an exception settles the call as ignored, and its own reaches the "
          "caller",
          "[guard]") {
    Rig rig;
    const auto classify = [](std::exception_ptr) -> Outcome { throw std::logic_error{"no verdict"}; };
    CHECK_THROWS_WITH(rig.breaker.call([]() -> int { throw NotFound{}; }, classify), "no verdict");
    CHECK(rig.failures() == 0);
    CHECK(rig.ignored() == 1);
}

TEST_CASE("Classify: that throws on a void call settles it as ignored", "[guard]") {
    Rig rig;
    CHECK_THROWS_WITH(
        rig.breaker.call([] {}, []() -> Outcome { throw std::logic_error{"no verdict"}; }),
        "no verdict");
    CHECK(rig.ignored() == 1);
}

TEST_CASE("Classify: that throws gives the probe back", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    breaker.trip();
    clock.advance(10s);
    CHECK_THROWS(breaker.call([] { return 42; }, [](int) -> Outcome { throw 42; }));
    CHECK(breaker.state() == State::half_open);
    CHECK(breaker.snapshot().probes_in_flight == 0);
    succeed(breaker);
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("Classify: runs with the permit held, and may use the breaker", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    breaker.trip();
    clock.advance(10s);
    (void)breaker.call([] { return 42; },
                       [&](int) {
                           CHECK(breaker.snapshot().probes_in_flight == 1);
                           CHECK_FALSE(breaker.allow());
                           return Outcome::success;
                       });
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("Classify: the same one judges in every state", "[guard]") {
    ManualClock clock;
    Breaker breaker{{.threshold = 1}, {.reset_timeout = 10s}, clock};
    const auto not_found_is_fine = [](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const NotFound&) {
            return Outcome::success;
        } catch (...) {
            return Outcome::failure;
        }
    };
    const auto finds_nothing = [&] { (void)breaker.call([] { throw NotFound{}; }, not_found_is_fine); };
    CHECK_THROWS_AS(finds_nothing(), NotFound);
    CHECK(breaker.state() == State::closed);
    CHECK_THROWS_AS(breaker.call([] { throw 42; }, not_found_is_fine), int);
    CHECK(breaker.state() == State::open);
    clock.advance(10s);
    CHECK_THROWS_AS(finds_nothing(), NotFound);
    CHECK(breaker.state() == State::closed);
}

TEST_CASE("Classify: a lambda with auto parameters does not judge an exception", "[guard]") {
    Rig rig;
    const auto all_is_well = [](const auto&) { return Outcome::success; };
    CHECK_THROWS_AS(rig.breaker.call([]() -> int { throw 42; }, all_is_well), int);
    CHECK(rig.failures() == 1);
}

TEST_CASE("CircuitBreaker: a classifier may return a Verdict instead of an Outcome", "[guard]") {
    Rig rig;
    const auto judge = [](const Answer& answer) -> dashpot::Verdict {
        if (answer.status == 503) return {Outcome::failure, 2s};
        return {answer.verdict()};
    };
    CHECK(rig.breaker.call([] { return Answer{503}; }, judge)->status == 503);
    CHECK(rig.failures() == 1);
    CHECK(rig.breaker.call([] { return Answer{200}; }, judge)->status == 200);
    CHECK(rig.failures() == 0);

    const auto of_exceptions = [](std::exception_ptr) { return dashpot::Verdict{Outcome::ignored}; };
    CHECK_THROWS_AS(rig.breaker.call([]() -> int { throw NotFound{}; }, of_exceptions), NotFound);
    CHECK(rig.ignored() == 1);
}

namespace {

struct OnlyDeclared;
OnlyDeclared& of_another_part() {
    static char somewhere;
    return reinterpret_cast<OnlyDeclared&>(somewhere); // no more than its address is used
}

} // namespace

TEST_CASE("CircuitBreaker: a call may return a reference to a type that is only declared", "[guard]") {
    Rig rig;
    CHECK(&rig.breaker.call(of_another_part)->get() == &of_another_part());
    CHECK(rig.failures() == 0);
}

} // namespace tests::guard_circuit_breaker_classify
