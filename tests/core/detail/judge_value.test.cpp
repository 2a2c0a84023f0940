// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/judge_value.hpp>
#include <dashpot/core/result.hpp>

#include "catch.hpp"

#include <optional>
#include <system_error>

using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::detail::judge_value;

namespace {

/// As std::expected<T, E>, which C++20 does not have.
template <class T, class E>
struct Expected {
    std::optional<T> held;
    E problem{};
    [[nodiscard]] bool has_value() const { return held.has_value(); }
    [[nodiscard]] const T& operator*() const { return *held; }
    [[nodiscard]] const E& error() const { return problem; }
};

} // namespace

TEST_CASE("judge_value: an expected without a value is a failure", "[core]") {
    CHECK(judge_value(Expected<int, int>{1, 0}) == Outcome::success);
    CHECK(judge_value(Expected<int, int>{{}, 7}) == Outcome::failure);
}

TEST_CASE("judge_value: the value within an expected is judged by the same rules", "[core]") {
    const auto reset = std::make_error_code(std::errc::connection_reset);
    CHECK(judge_value(Expected<std::error_code, int>{std::error_code{}, 0}) == Outcome::success);
    CHECK(judge_value(Expected<std::error_code, int>{reset, 0}) == Outcome::failure);
}

TEST_CASE("judge_value: an error that is a refusal of dashpot is ignored", "[core]") {
    CHECK(judge_value(Expected<int, Refusal>{{}, {Error::bulkhead_full}}) == Outcome::ignored);
    CHECK(judge_value(Expected<int, Error>{{}, Error::circuit_open}) == Outcome::ignored);
    CHECK(judge_value(make_error_code(Error::circuit_open)) == Outcome::ignored);
    CHECK(judge_value(dashpot::Result<int>{dashpot::Refused{Refusal{Error::circuit_open}}}) ==
          Outcome::ignored);
}

TEST_CASE("judge_value: a call that timed out was made, and is a failure", "[core]") {
    CHECK(judge_value(Expected<int, Refusal>{{}, {Error::timed_out}}) == Outcome::failure);
    CHECK(judge_value(Expected<int, Error>{{}, Error::timed_out}) == Outcome::failure);
    CHECK(judge_value(Refusal{Error::timed_out}) == Outcome::failure);
    CHECK(judge_value(make_error_code(Error::timed_out)) == Outcome::failure);
    CHECK(judge_value(dashpot::Result<int>{dashpot::Refused{Refusal{Error::timed_out}}}) ==
          Outcome::failure);
    CHECK(judge_value(Refusal{Error::deadline_exceeded}) == Outcome::ignored);
    CHECK(judge_value(Refusal{Error::cancelled}) == Outcome::ignored);
}

TEST_CASE("judge_value: an error code that is not zero is a failure", "[core]") {
    CHECK(judge_value(std::error_code{}) == Outcome::success);
    CHECK(judge_value(std::make_error_code(std::errc::timed_out)) == Outcome::failure);
    CHECK(judge_value(std::make_error_condition(std::errc::timed_out)) == Outcome::failure);
    CHECK(judge_value(std::errc::timed_out) == Outcome::failure);
}

TEST_CASE("judge_value: every other value is a success, an empty optional too", "[core]") {
    CHECK(judge_value(std::optional<int>{}) == Outcome::success);
    CHECK(judge_value(false) == Outcome::success);
    CHECK(judge_value(0) == Outcome::success);
}
