// SPDX-License-Identifier: MIT
#include <dashpot/core/by_exception.hpp>

#include "catch.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#if defined(__cpp_lib_expected)
#include <expected>
#endif

namespace tests::core_by_exception {

using dashpot::ByException;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Refused;
using dashpot::Result;

namespace {

struct Answer {
    int status = 200;
};

template <class... F>
struct Overload : F... {
    using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

/// Whether a call that returns T gives its exceptions to such a classifier.
template <class T, class Classify>
constexpr bool judges(const Classify&) {
    return dashpot::detail::judges_exceptions<Classify>();
}

Outcome by_status(const Answer& answer) {
    return answer.status < 500 ? Outcome::success : Outcome::failure;
}

/// As std::expected, for the standard before C++23.
template <class T, class E>
struct Expected {
    std::optional<T> held;
    E why{};
    bool has_value() const { return held.has_value(); }
    const T& operator*() const { return *held; }
    const E& error() const { return why; }
};

template <class E>
struct Expected<void, E> {
    bool is_there = false;
    E why{};
    bool has_value() const { return is_there; }
    void operator*() const {}
    const E& error() const { return why; }
};

/// As Boost.Outcome: without a value there may be an exception instead of an error.
struct WithException {
    bool has_value() const { return false; }
    bool has_error() const { return false; }
    std::error_code error() const { throw std::logic_error{"there is none"}; }
};

/// As boost::system::error_code.
struct OtherCode {
    struct Category {
        const char* name() const { return "other"; }
    };
    int number = 0;
    explicit operator bool() const { return number != 0; }
    int value() const { return number; }
    Category category() const { return {}; }
    std::string message() const { return {}; }
};

struct OwnCode : std::error_code {
    using std::error_code::error_code;
};

Outcome by_thrown(std::exception_ptr) { return Outcome::ignored; }

struct GenericWithExceptions {
    template <class T>
    Outcome operator()(const T&) const {
        return Outcome::success;
    }
    Outcome operator()(std::exception_ptr) const { return Outcome::ignored; }
};

struct GenericWithExceptionsNotConst {
    template <class T>
    Outcome operator()(const T&) {
        return Outcome::success;
    }
    Outcome operator()(std::exception_ptr) { return Outcome::ignored; }
};

} // namespace

TEST_CASE("ByException: what returns and is no error is a success", "[core]") {
    constexpr ByException classify{};
    STATIC_REQUIRE(classify(42) == Outcome::success);
    STATIC_REQUIRE(classify(false) == Outcome::success);
    CHECK(classify(std::string{"error 500"}) == Outcome::success);
    CHECK(classify(std::optional<int>{}) == Outcome::success);
    CHECK(classify(static_cast<const int*>(nullptr)) == Outcome::success);
    CHECK(classify(std::exception_ptr{}) == Outcome::success); // a value of this type, and null
    STATIC_REQUIRE(classify() == Outcome::success);
}

TEST_CASE("ByException: whatever is thrown is a failure", "[core]") {
    constexpr ByException classify{};
    CHECK(classify(std::make_exception_ptr(std::runtime_error{"reset by peer"})) == Outcome::failure);
    CHECK(classify(std::make_exception_ptr(42)) == Outcome::failure);
}

TEST_CASE("ByException: a refusal by a guard further in says nothing about the target", "[core]") {
    constexpr ByException classify{};
    const Refusal refusal{Error::bulkhead_full};
    CHECK(classify(Result<int>{42}) == Outcome::success);
    CHECK(classify(Result<int>{Refused{refusal}}) == Outcome::ignored);
    CHECK(classify(Result<void>{}) == Outcome::success);
    CHECK(classify(Result<void>{Refused{refusal}}) == Outcome::ignored);
    CHECK(classify(std::make_exception_ptr(dashpot::BadResultAccess{refusal})) == Outcome::ignored);
}

TEST_CASE("ByException: a call that timed out was made, and is a failure", "[core]") {
    constexpr ByException classify{};
    const Refusal refusal{Error::timed_out};
    CHECK(classify(Result<int>{Refused{refusal}}) == Outcome::failure);
    CHECK(classify(std::make_exception_ptr(dashpot::BadResultAccess{refusal})) == Outcome::failure);
}

TEST_CASE("Classify: judges exceptions when it takes a std::exception_ptr", "[core]") {
    STATIC_REQUIRE(judges<int>(ByException{}));
    STATIC_REQUIRE(judges<void>(ByException{}));
    STATIC_REQUIRE(judges<Answer>(&by_thrown));
    STATIC_REQUIRE(judges<Answer>([](std::exception_ptr) { return Outcome::ignored; }));
    STATIC_REQUIRE(judges<Answer>([](const std::exception_ptr&) { return Outcome::ignored; }));
    STATIC_REQUIRE(judges<Answer>(Overload{[](const Answer& a) { return by_status(a); },
                                           [](std::exception_ptr) { return Outcome::ignored; }}));
    STATIC_REQUIRE(dashpot::detail::judges_exceptions<std::function<Outcome(std::exception_ptr)>>());
}

TEST_CASE("Classify: does not judge exceptions when it takes values only", "[core]") {
    STATIC_REQUIRE_FALSE(judges<Answer>(&by_status));
    STATIC_REQUIRE_FALSE(judges<Answer>([](const Answer& a) { return by_status(a); }));
    STATIC_REQUIRE_FALSE(judges<void>([] { return Outcome::success; }));
    STATIC_REQUIRE_FALSE(dashpot::detail::judges_exceptions<std::function<Outcome(const Answer&)>>());
}

TEST_CASE("Classify: a lambda with auto parameters judges values and is not asked about exceptions",
          "[core]") {
    STATIC_REQUIRE_FALSE(judges<Answer>([](const auto& a) { return by_status({a.status}); }));
    STATIC_REQUIRE_FALSE(judges<Answer>([](auto& a) { return by_status({a.status}); }));
    STATIC_REQUIRE_FALSE(judges<Answer>([](auto&& a) { return by_status({a.status}); }));
    STATIC_REQUIRE_FALSE(
        judges<Answer>([](const auto& a) -> Outcome { return by_status({a.status}); }));
}

TEST_CASE("Classify: a template beside an overload for exceptions judges both", "[core]") {
    STATIC_REQUIRE(judges<Answer>(GenericWithExceptions{}));
    STATIC_REQUIRE(judges<Answer>(GenericWithExceptionsNotConst{}));
    STATIC_REQUIRE(judges<void>(GenericWithExceptions{}));
    const auto generic = [](const auto& a) { return by_status({a.status}); };
    STATIC_REQUIRE(
        judges<Answer>(Overload{generic, [](std::exception_ptr) { return Outcome::ignored; }}));
    const Overload by_reference{generic, [](const std::exception_ptr&) { return Outcome::ignored; }};
    CHECK(judges<Answer>(by_reference));
}

TEST_CASE("Classify: a std::reference_wrapper judges what it refers to judges", "[core]") {
    const Overload both{[](const Answer& a) { return by_status(a); },
                        [](std::exception_ptr) { return Outcome::ignored; }};
    CHECK(judges<Answer>(std::ref(both)));
    const auto values = [](const Answer& a) { return by_status(a); };
    CHECK_FALSE(judges<Answer>(std::ref(values)));
}

TEST_CASE("Classify: a lambda that takes auto by value judges values and is not asked about exceptions",
          "[core]") {
    STATIC_REQUIRE_FALSE(judges<Answer>([](auto a) { return by_status({a.status}); }));
    STATIC_REQUIRE_FALSE(judges<Answer>([](auto a) -> Outcome { return by_status({a.status}); }));
}

TEST_CASE("Classify: auto by value beside an overload for exceptions judges both", "[core]") {
    const auto values = [](auto a) { return by_status({a.status}); };
    STATIC_REQUIRE(
        judges<Answer>(Overload{values, [](std::exception_ptr) { return Outcome::ignored; }}));
}

TEST_CASE("Classify: a lambda with auto parameters does not judge the exceptions of a void call either",
          "[core]") {
    CHECK_FALSE(judges<void>([](const auto&) { return Outcome::success; }));
    CHECK_FALSE(judges<void>([](const auto&...) { return Outcome::success; }));
    CHECK_FALSE(judges<void>([](auto) { return Outcome::success; }));
}

TEST_CASE("ByException: an expected without a value is a failure", "[core]") {
    constexpr ByException classify{};
    CHECK(classify(Expected<int, std::string>{}) == Outcome::failure);
    CHECK(classify(Expected<int, std::string>{42}) == Outcome::success);
    CHECK(classify(Expected<void, int>{}) == Outcome::failure);
    CHECK(classify(Expected<void, int>{true}) == Outcome::success);
    CHECK(classify(WithException{}) == Outcome::failure);
#if defined(__cpp_lib_expected)
    CHECK(classify(std::expected<int, std::string>{std::unexpected{"no"}}) == Outcome::failure);
    CHECK(classify(std::expected<int, std::string>{42}) == Outcome::success);
    CHECK(classify(std::expected<void, int>{std::unexpected{1}}) == Outcome::failure);
    CHECK(classify(std::expected<void, int>{}) == Outcome::success);
#endif
}

TEST_CASE("ByException: the value in an expected or a Result is judged like any other", "[core]") {
    constexpr ByException classify{};
    using Inner = Expected<int, int>;
    CHECK(classify(Result<Inner>{Inner{}}) == Outcome::failure);
    CHECK(classify(Result<Inner>{Inner{42}}) == Outcome::success);
    CHECK(classify(Expected<Result<int>, int>{Result<int>{Refused{Refusal{Error::bulkhead_full}}}}) ==
          Outcome::ignored);
    CHECK(classify(Result<std::error_code>{std::make_error_code(std::errc::timed_out)}) ==
          Outcome::failure);
}

TEST_CASE("ByException: an error code that is not zero is a failure", "[core]") {
    constexpr ByException classify{};
    CHECK(classify(std::error_code{}) == Outcome::success);
    CHECK(classify(std::make_error_code(std::errc::connection_refused)) == Outcome::failure);
    CHECK(classify(std::error_condition{}) == Outcome::success);
    CHECK(classify(std::error_condition{std::errc::timed_out}) == Outcome::failure);
    CHECK(classify(std::errc{}) == Outcome::success);
    CHECK(classify(std::errc::broken_pipe) == Outcome::failure);
    CHECK(classify(OtherCode{}) == Outcome::success);
    CHECK(classify(OtherCode{7}) == Outcome::failure);
    CHECK(classify(OwnCode{}) == Outcome::success);
    CHECK(classify(OwnCode{7, std::generic_category()}) == Outcome::failure);
}

TEST_CASE("ByException: a refusal further in is ignored in whatever form it comes back", "[core]") {
    constexpr ByException classify{};
    const Refusal refusal{Error::circuit_open};
    CHECK(classify(refusal) == Outcome::ignored);
    CHECK(classify(Error::circuit_open) == Outcome::ignored);
    CHECK(classify(std::error_code{refusal}) == Outcome::ignored);
    CHECK(classify(Expected<int, Refusal>{{}, refusal}) == Outcome::ignored);
    CHECK(classify(Expected<int, Error>{{}, Error::circuit_open}) == Outcome::ignored);
    CHECK(classify(Expected<int, std::error_code>{{}, Error::circuit_open}) == Outcome::ignored);
    CHECK(classify(Expected<int, std::error_code>{{}, std::make_error_code(std::errc::io_error)}) ==
          Outcome::failure);
}

} // namespace tests::core_by_exception
