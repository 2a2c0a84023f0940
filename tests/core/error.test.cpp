// SPDX-License-Identifier: MIT
#include <dashpot/core/error.hpp>

#include "catch.hpp"

#include <chrono>
#include <iomanip>
#include <set>
#include <sstream>
#include <string>
#include <system_error>

namespace tests::core_error {

using namespace std::chrono_literals;
using dashpot::Error;
using dashpot::Refusal;
using dashpot::to_string;

namespace {

constexpr Error all_errors[] = {Error::circuit_open, Error::probes_in_flight, Error::bulkhead_full,
                                Error::rate_limited, Error::limit_reached,    Error::throttled,
                                Error::queue_full,   Error::queue_timeout,    Error::deadline_exceeded,
                                Error::cancelled,    Error::timed_out};

} // namespace

TEST_CASE("Error: each has the name of its enumerator", "[core]") {
    STATIC_REQUIRE(to_string(Error::circuit_open) == "circuit_open");
    STATIC_REQUIRE(to_string(Error::probes_in_flight) == "probes_in_flight");
    STATIC_REQUIRE(to_string(Error::bulkhead_full) == "bulkhead_full");
    STATIC_REQUIRE(to_string(Error::rate_limited) == "rate_limited");
    STATIC_REQUIRE(to_string(Error::limit_reached) == "limit_reached");
    STATIC_REQUIRE(to_string(Error::throttled) == "throttled");
    STATIC_REQUIRE(to_string(Error::queue_full) == "queue_full");
    STATIC_REQUIRE(to_string(Error::queue_timeout) == "queue_timeout");
    STATIC_REQUIRE(to_string(Error::deadline_exceeded) == "deadline_exceeded");
    STATIC_REQUIRE(to_string(Error::cancelled) == "cancelled");
    STATIC_REQUIRE(to_string(Error::timed_out) == "timed_out");
    STATIC_REQUIRE(to_string(Error{}) == "unknown");
}

TEST_CASE("Error: keeps its values, which other programs may have stored", "[core]") {
    int value = 1;
    for (const Error error : all_errors) CHECK(static_cast<int>(error) == value++);
}

TEST_CASE("Error: no error code of ours reads as no error", "[core]") {
    for (const Error error : all_errors) {
        const std::error_code code = error;
        CHECK(code.value() != 0);
        CHECK(static_cast<bool>(code));
        CHECK(code.value() == static_cast<int>(error));
    }
}

TEST_CASE("Error: each code says something of its own", "[core]") {
    std::set<std::string> messages;
    for (const Error error : all_errors) messages.insert(make_error_code(error).message());
    CHECK(messages.size() == std::size(all_errors));
    CHECK(messages.count("unknown dashpot error") == 0);
    CHECK(dashpot::error_category().message(0) == "unknown dashpot error");
    CHECK(dashpot::error_category().message(-1) == "unknown dashpot error");
}

TEST_CASE("Error: the category is one object and is called dashpot", "[core]") {
    CHECK(dashpot::error_category().name() == std::string{"dashpot"});
    CHECK(&dashpot::error_category() == &make_error_code(Error::circuit_open).category());
}

TEST_CASE("Error: a code of another library's copy of the category compares by name", "[core]") {
    struct Copy final : std::error_category {
        [[nodiscard]] const char* name() const noexcept override { return "dashpot"; }
        [[nodiscard]] std::string message(int) const override { return {}; }
    };
    static const Copy copy;
    const std::error_code code{static_cast<int>(Error::circuit_open), copy};
    CHECK(code == Error::circuit_open);
    CHECK(code != Error::bulkhead_full);
    CHECK(code == make_error_code(Error::circuit_open).default_error_condition());
    CHECK(make_error_code(Error::circuit_open) == code.default_error_condition());
    CHECK(code != make_error_code(Error::bulkhead_full).default_error_condition());
    CHECK(make_error_code(Error::bulkhead_full) != code.default_error_condition());
    CHECK(make_error_code(Error::circuit_open) !=
          std::error_condition(code.value(), std::generic_category()));
}

TEST_CASE("Error: a code compares with the enumerator and with no other category's value", "[core]") {
    const std::error_code code = Error::circuit_open;
    CHECK(code == Error::circuit_open);
    CHECK(code != Error::bulkhead_full);
    CHECK(code != std::error_code(code.value(), std::generic_category()));
}

TEST_CASE("Refusal: converts to the error code of its reason", "[core]") {
    for (const Error error : all_errors) {
        const std::error_code code = Refusal{error, 3s};
        CHECK(code == error);
    }
}

TEST_CASE("Refusal: is equal when both the reason and the wait are", "[core]") {
    STATIC_REQUIRE(Refusal{Error::circuit_open, 3s} == Refusal{Error::circuit_open, 3s});
    STATIC_REQUIRE(Refusal{Error::circuit_open, 3s} != Refusal{Error::circuit_open, 3s + 1ns});
    STATIC_REQUIRE(Refusal{Error::circuit_open, 3s} != Refusal{Error::bulkhead_full, 3s});
}

TEST_CASE("Refusal: a wait that cannot be known is empty, and not a wait of zero", "[core]") {
    STATIC_REQUIRE_FALSE(Refusal{Error::bulkhead_full}.retry_after.has_value());
    STATIC_REQUIRE(Refusal{Error::circuit_open} != Refusal{Error::circuit_open, 0ns});
}

TEST_CASE("Error: prints its name, and takes the width as a string does", "[core]") {
    std::ostringstream out;
    out << dashpot::Error::circuit_open << ' ' << std::setw(20) << std::left
        << dashpot::Error::bulkhead_full << '|';
    CHECK(out.str() == "circuit_open bulkhead_full       |");
}

TEST_CASE("Refusal: equals its reason in either order, whatever the wait", "[core]") {
    constexpr Refusal refusal{Error::bulkhead_full, 3s};
    CHECK(refusal == Error::bulkhead_full);
    CHECK(Error::bulkhead_full == refusal);
    CHECK(refusal != Error::circuit_open);
    CHECK(Error::probes_in_flight != refusal);
    CHECK(refusal == std::error_code{Error::bulkhead_full}); // as before
}

} // namespace tests::core_error
