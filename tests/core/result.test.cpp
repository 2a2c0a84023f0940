// SPDX-License-Identifier: MIT
#include <dashpot/core/result.hpp>

#include "catch.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tests::core_result {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Refusal;
using dashpot::Refused;
using dashpot::Result;

namespace {

constexpr Refusal open_for_3s{Error::circuit_open, 3s};

struct NoDefault {
    explicit NoDefault(int v) : value{v} {}
    int value;
};

struct Counted {
    static inline int copies = 0;
    Counted() = default;
    Counted(const Counted&) { ++copies; }
    Counted(Counted&&) noexcept = default;
    Counted& operator=(const Counted&) = default;
    Counted& operator=(Counted&&) noexcept = default;
};

} // namespace

TEST_CASE("Result: holds a value", "[core]") {
    Result<int> result{42};
    CHECK(result.has_value());
    CHECK(static_cast<bool>(result));
    CHECK(*result == 42);
    CHECK(result.value() == 42);
    CHECK(std::as_const(result).value() == 42);
    CHECK(*std::as_const(result) == 42);
    *result = 7;
    CHECK(result.value() == 7);
}

TEST_CASE("Result: or holds a refusal", "[core]") {
    const Result<int> result = Refused{open_for_3s};
    CHECK_FALSE(result.has_value());
    CHECK_FALSE(static_cast<bool>(result));
    CHECK(result.error() == open_for_3s);
    CHECK(result.error().retry_after == 3s);
}

TEST_CASE("Result: value() of a refusal throws what carries the refusal", "[core]") {
    Result<int> result = Refused{open_for_3s};
    CHECK_THROWS_AS(result.value(), dashpot::BadResultAccess);
    CHECK_THROWS_AS(std::as_const(result).value(), dashpot::BadResultAccess);
    CHECK_THROWS_AS(std::move(result).value(), std::exception);
    try {
        (void)result.value();
        FAIL("it returned");
    } catch (const dashpot::BadResultAccess& bad) {
        CHECK(bad.error() == open_for_3s);
        CHECK_FALSE(std::string{bad.what()}.empty());
    }
}

TEST_CASE("Result: value_or answers the value, or the other one for a refusal", "[core]") {
    const Result<std::string> value{"fresh"};
    const Result<std::string> refusal = Refused{open_for_3s};
    CHECK(value.value_or("cached") == "fresh");
    CHECK(refusal.value_or("cached") == "cached");
    CHECK(Result<std::string>{"fresh"}.value_or("cached") == "fresh");
    CHECK(Result<std::string>{Refused{open_for_3s}}.value_or("cached") == "cached");
}

TEST_CASE("Result: an arrow reaches the members of the value", "[core]") {
    Result<std::string> result{"abc"};
    CHECK(result->size() == 3);
    result->push_back('d');
    CHECK(std::as_const(result)->size() == 4);
}

TEST_CASE("Result: carries a value that can only be moved", "[core]") {
    Result<std::unique_ptr<int>> result{std::make_unique<int>(42)};
    Result<std::unique_ptr<int>> moved = std::move(result);
    const std::unique_ptr<int> out = *std::move(moved);
    CHECK(*out == 42);
    CHECK(*Result<std::unique_ptr<int>>{std::make_unique<int>(7)}.value() == 7);
    CHECK(*Result<std::unique_ptr<int>>{Refused{open_for_3s}}.value_or(std::make_unique<int>(8)) == 8);
    STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
}

TEST_CASE("Result: takes a value out without copying it", "[core]") {
    Counted::copies = 0;
    Result<Counted> result{Counted{}};
    [[maybe_unused]] const Counted out = std::move(result).value();
    [[maybe_unused]] const Counted other = *Result<Counted>{Counted{}};
    CHECK(Counted::copies == 0);
}

TEST_CASE("Result: needs no default constructor of its value", "[core]") {
    const Result<NoDefault> result{std::in_place, 42};
    CHECK(result->value == 42);
    STATIC_REQUIRE_FALSE(std::is_default_constructible_v<Result<NoDefault>>);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<int, Result<NoDefault>>);
    STATIC_REQUIRE(std::is_convertible_v<int, Result<int>>);
}

TEST_CASE("Result: of nothing is a value or a refusal too", "[core]") {
    const Result<void> done{};
    CHECK(done.has_value());
    CHECK_NOTHROW(done.value());
    CHECK_NOTHROW(*done);
    CHECK(Result<void>{std::in_place}.has_value());
    const Result<void> refused = Refused{open_for_3s};
    CHECK_FALSE(refused);
    CHECK(refused.error() == open_for_3s);
    CHECK_THROWS_AS(refused.value(), dashpot::BadResultAccess);
}

TEST_CASE("Result: is equal by what it holds", "[core]") {
    CHECK(Result<int>{1} == Result<int>{1});
    CHECK_FALSE(Result<int>{1} == Result<int>{2});
    CHECK(Result<int>{Refused{open_for_3s}} == Result<int>{Refused{open_for_3s}});
    CHECK_FALSE(Result<int>{Refused{open_for_3s}} ==
                Result<int>{Refused{Refusal{Error::circuit_open}}});
    CHECK_FALSE(Result<int>{0} == Result<int>{Refused{Refusal{}}});
    CHECK(Result<void>{} == Result<void>{});
    CHECK_FALSE(Result<void>{} == Result<void>{Refused{open_for_3s}});
}

TEST_CASE("Result: keeps references as references and drops const and rvalue references", "[core]") {
    STATIC_REQUIRE(std::is_same_v<Result<int&>::value_type, std::reference_wrapper<int>>);
    STATIC_REQUIRE(std::is_same_v<Result<const int&>::value_type, std::reference_wrapper<const int>>);
    STATIC_REQUIRE(std::is_same_v<Result<int&&>::value_type, int>);
    STATIC_REQUIRE(std::is_same_v<Result<const int>::value_type, int>);
    STATIC_REQUIRE(std::is_same_v<Result<int>::error_type, Refusal>);
    int x = 1;
    Result<int&> result{x};
    result->get() = 2;
    CHECK(x == 2);
}

TEST_CASE("Result: is copied and assigned like a value", "[core]") {
    Result<std::string> result{"fresh"};
    const Result<std::string> copy = result;
    result = Refused{open_for_3s};
    CHECK(*copy == "fresh");
    CHECK(result.error() == open_for_3s);
    result = copy;
    CHECK(*result == "fresh");
    result = std::string{"newer"};
    CHECK(*result == "newer");
}

TEST_CASE("Result: can be distinguished from other types", "[core]") {
    STATIC_REQUIRE(dashpot::detail::is_result<Result<int>>);
    STATIC_REQUIRE(dashpot::detail::is_result<Result<void>>);
    STATIC_REQUIRE_FALSE(dashpot::detail::is_result<int>);
    STATIC_REQUIRE_FALSE(dashpot::detail::is_result<Refusal>);
}

#if !defined(__cpp_lib_expected)
template <class R>
constexpr bool chains = requires(R result) { result.and_then([](int v) { return R{v}; }); } ||
                        requires(R result) { result.transform([](int v) { return v; }); } ||
                        requires(R result) { result.or_else([](Refusal) { return R{1}; }); };

TEST_CASE("Result: does not chain where the standard library's own could not", "[core]") {
    STATIC_REQUIRE_FALSE(chains<Result<int>>);
}
#endif

} // namespace tests::core_result
