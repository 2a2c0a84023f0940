// SPDX-License-Identifier: MIT
#include "catch.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/policy/classifier.hpp>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tests::policy_classifier {

namespace {

using namespace dashpot;

struct Reply {
    int status = 200;
    std::string code = "0000";
};

/// As std::expected.
template <class T>
struct Expected {
    std::optional<T> held;
    bool has_value() const { return held.has_value(); }
    const T& operator*() const {
        if (!held) throw std::logic_error{"there is no value"};
        return *held;
    }
    int error() const { return 0; }
};

template <class E>
std::exception_ptr thrown(E error) {
    return std::make_exception_ptr(std::move(error));
}

} // namespace

TEST_CASE("Classifier: without an opinion judges as ByException does", "[policy]") {
    const Classifier<> none{};
    CHECK(none(7) == Outcome::success);
    CHECK(none(thrown(7)) == Outcome::failure);
    CHECK(none(Result<int>{7}) == Outcome::success);
    CHECK(none(Result<int>{Refused{{Error::circuit_open}}}) == Outcome::ignored);
}

TEST_CASE("Classifier: the first rule with an opinion decides", "[policy]") {
    const auto is_test = [](const Reply& reply) { return reply.code == "TEST"; };
    const auto ignores_first =
        on_value(is_test, Outcome::ignored) | failure_codes({"TEST"}, &Reply::code);
    const auto fails_first =
        failure_codes({"TEST"}, &Reply::code) | on_value(is_test, Outcome::ignored);
    CHECK(ignores_first(Reply{200, "TEST"}) == Outcome::ignored);
    CHECK(fails_first(Reply{200, "TEST"}) == Outcome::failure);
    CHECK(ignores_first(Reply{}) == Outcome::success);
}

TEST_CASE("on_exception: judges the type and those derived from it, and no other", "[policy]") {
    const auto judge = on_exception<std::invalid_argument>(Outcome::ignored) |
                       on_exception<std::logic_error>(Outcome::success);
    CHECK(judge(thrown(std::invalid_argument{""})) == Outcome::ignored);
    CHECK(judge(thrown(std::out_of_range{""})) == Outcome::success);
    CHECK(judge(thrown(std::runtime_error{""})) == Outcome::failure);
    CHECK(judge(Reply{}) == Outcome::success);
}

TEST_CASE("failure_codes: finds the code itself or in a member, whole and exact", "[policy]") {
    const auto judge = failure_codes({"E500", "E901", "E902"}, &Reply::code);
    CHECK(judge(Reply{200, "E500"}) == Outcome::failure);
    CHECK(judge(Reply{200, "E902"}) == Outcome::failure);
    CHECK(judge(Reply{200, "E50"}) == Outcome::success);
    CHECK(judge(Reply{200, "B201"}) == Outcome::success);
    CHECK(failure_codes({"E500"})(std::string{"E500"}) == Outcome::failure);
    CHECK(failure_codes({"E500"})(std::string{"E5000"}) == Outcome::success);
}

TEST_CASE("http_status: fails 5xx, those listed, and what is no status", "[policy]") {
    const auto judge = http_status(&Reply::status, {429});
    CHECK(judge(Reply{499}) == Outcome::success);
    CHECK(judge(Reply{500}) == Outcome::failure);
    CHECK(judge(Reply{599}) == Outcome::failure);
    CHECK(judge(Reply{600}) == Outcome::failure);
    CHECK(judge(Reply{99}) == Outcome::failure);
    CHECK(judge(Reply{100}) == Outcome::success);
    CHECK(judge(Reply{0}) == Outcome::failure);
    CHECK(judge(Reply{-1}) == Outcome::failure);
    CHECK(judge(Reply{404}) == Outcome::success);
    CHECK(judge(Reply{429}) == Outcome::failure);
    CHECK(http_status()(429) == Outcome::success);
}

TEST_CASE("Classifier: a refusal further in is ignored before any rule looks at it", "[policy]") {
    const auto judge = http_status(&Reply::status) | failure_codes({"0000"}, &Reply::code);
    CHECK(judge(Result<Reply>{Refused{{Error::bulkhead_full}}}) == Outcome::ignored);
    CHECK(judge(Result<Reply>{Reply{500}}) == Outcome::failure);
    CHECK(judge(thrown(BadResultAccess{Refusal{Error::circuit_open}})) == Outcome::ignored);
}

TEST_CASE("Classifier: a call that timed out was made, and is a failure", "[policy]") {
    const auto judge = http_status(&Reply::status) | failure_codes({"0000"}, &Reply::code);
    CHECK(judge(Result<Reply>{Refused{{Error::timed_out}}}) == Outcome::failure);
    CHECK(judge(thrown(BadResultAccess{Refusal{Error::timed_out}})) == Outcome::failure);
}

TEST_CASE("Classifier: judges the values and the exceptions of a breaker's calls", "[policy]") {
    const auto judge =
        on_exception<std::invalid_argument>(Outcome::ignored) | http_status(&Reply::status);
    CircuitBreaker<> breaker{{.threshold = 3}};
    CHECK(breaker.call([] { return Reply{503}; }, judge));
    CHECK(breaker.snapshot().failures == 1);
    CHECK_THROWS_AS(breaker.call([]() -> Reply { throw std::invalid_argument{""}; }, judge),
                    std::invalid_argument);
    CHECK(breaker.snapshot().failures == 1);
    CHECK(breaker.snapshot().ignored == 1);
    CHECK_THROWS_AS(breaker.call([]() -> Reply { throw std::runtime_error{""}; }, std::ref(judge)),
                    std::runtime_error);
    CHECK(breaker.snapshot().failures == 2);
    CHECK(breaker.call([] { return Reply{404}; }, judge));
    CHECK(breaker.snapshot().failures == 0);
}

TEST_CASE("Classifier: where no rule has an opinion, an error by value is a failure", "[policy]") {
    const auto judge = on_exception<std::invalid_argument>(Outcome::ignored);
    CHECK(judge(std::make_error_code(std::errc::timed_out)) == Outcome::failure);
    CHECK(judge(std::error_code{}) == Outcome::success);
    CHECK(judge(Expected<int>{}) == Outcome::failure);
    CHECK(judge(std::exception_ptr{}) == Outcome::success); // a value of this type, and null
}

TEST_CASE("Classifier: a rule judges the value in an expected if it cannot take the whole",
          "[policy]") {
    const auto judge = http_status(&Reply::status);
    CHECK(judge(Expected<Reply>{Reply{503}}) == Outcome::failure);
    CHECK(judge(Expected<Reply>{Reply{404}}) == Outcome::success);
    CHECK(judge(Expected<Reply>{}) == Outcome::failure);
    CHECK(judge(Result<Expected<Reply>>{Expected<Reply>{Reply{503}}}) == Outcome::failure);
    CHECK(judge(std::optional<Reply>{Reply{503}}) == Outcome::failure);
    CHECK(judge(std::optional<Reply>{}) == Outcome::success);
    const auto whole =
        on_value([](const Expected<Reply>& e) { return !e.has_value(); }, Outcome::ignored);
    CHECK(whole(Expected<Reply>{}) == Outcome::ignored);
}

TEST_CASE("Classifier: rules for several types may stand side by side", "[policy]") {
    const auto judge = http_status(&Reply::status) | http_status();
    CHECK(judge(Reply{503}) == Outcome::failure);
    CHECK(judge(503) == Outcome::failure);
    CHECK(judge(Reply{200}) == Outcome::success);
    CHECK(judge(200) == Outcome::success);
}

TEST_CASE("Classifier: one that judges exceptions serves a call that returns nothing", "[policy]") {
    const auto judge =
        on_exception<std::invalid_argument>(Outcome::ignored) | http_status(&Reply::status);
    CircuitBreaker<> breaker{{.threshold = 1}};
    CHECK(breaker.call([] {}, judge).has_value());
    CHECK_THROWS_AS(breaker.call([] { throw std::invalid_argument{""}; }, judge),
                    std::invalid_argument);
    CHECK(breaker.state() == State::closed);
}

} // namespace tests::policy_classifier
