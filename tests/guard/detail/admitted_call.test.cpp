// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/admitted_call.hpp>

#include "catch.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tests::guard_detail_admitted_call {

using dashpot::ByException;
using dashpot::Error;
using dashpot::Outcome;
using dashpot::Refusal;
using dashpot::Result;
using dashpot::detail::admitted_call;

namespace {

/// Writes down what it is told: a for asked, s f i for the answers, d for dropped without one.
class ScriptedPermit {
  public:
    explicit ScriptedPermit(std::string& script, bool is_granted = true)
        : script_{&script}, is_open_{is_granted} {}
    ScriptedPermit(ScriptedPermit&& other) noexcept
        : script_{other.script_}, is_open_{std::exchange(other.is_open_, false)} {}
    ScriptedPermit& operator=(ScriptedPermit&&) = delete;
    ~ScriptedPermit() {
        if (is_open_) *script_ += 'd';
    }

    explicit operator bool() const noexcept { return is_open_; }
    Refusal refusal() const noexcept { return {Error::bulkhead_full}; }
    bool success() noexcept { return record(Outcome::success); }
    bool ignore() noexcept { return record(Outcome::ignored); }
    bool record(Outcome outcome) noexcept {
        if (!std::exchange(is_open_, false)) return false;
        *script_ += to_string(outcome)[0];
        return true;
    }

  private:
    std::string* script_;
    bool is_open_;
};

constexpr auto by_sign = [](int value) { return value < 0 ? Outcome::failure : Outcome::success; };

} // namespace

TEST_CASE("admitted_call: a refused permit gives its refusal, and nothing is called", "[guard]") {
    std::string script;
    ByException classify;
    const Result<int> result =
        admitted_call(ScriptedPermit{script, false}, [&] { return script += 'c', 42; }, classify);
    CHECK(result.error() == Refusal{Error::bulkhead_full});
    CHECK(script.empty());
}

TEST_CASE("admitted_call: calls, asks the classifier, answers once", "[guard]") {
    std::string script;
    const auto classify = [&](int value) {
        script += 'a';
        return by_sign(value);
    };
    CHECK(admitted_call(
              ScriptedPermit{script}, [&] { return script += 'c', 42; }, classify)
              .value() == 42);
    CHECK(script == "cas");
    CHECK(admitted_call(
              ScriptedPermit{script}, [&] { return script += 'c', -1; }, classify)
              .value() == -1);
    CHECK(script == "cascaf");
}

TEST_CASE("admitted_call: passes on what the target asked for, to a permit that takes it", "[guard]") {
    struct AskedPermit {
        std::string script{};
        ScriptedPermit permit{script};
        std::optional<dashpot::Verdict>* heard;

        explicit operator bool() const noexcept { return true; }
        Refusal refusal() const noexcept { return permit.refusal(); }
        bool ignore() noexcept { return permit.ignore(); }
        bool success() noexcept { return permit.success(); }
        bool record(const dashpot::Verdict& verdict) noexcept {
            *heard = verdict;
            return permit.record(verdict);
        }
    };
    std::optional<dashpot::Verdict> heard;
    const dashpot::Verdict asked{Outcome::failure, std::chrono::seconds{2}};

    const auto by_value = [&](int) { return asked; };
    CHECK(admitted_call(AskedPermit{.heard = &heard}, [] { return 42; }, by_value));
    CHECK(heard == asked);

    heard.reset();
    const auto of_nothing = [&] { return asked; };
    CHECK(admitted_call(AskedPermit{.heard = &heard}, [] {}, of_nothing));
    CHECK(heard == asked);

    heard.reset();
    const auto of_exceptions = [&](std::exception_ptr) { return asked; };
    CHECK_THROWS_AS(
        admitted_call(AskedPermit{.heard = &heard}, []() -> int { throw 7; }, of_exceptions), int);
    CHECK(heard == asked);
}

TEST_CASE("admitted_call: answers before it returns", "[guard]") {
    std::string script;
    const auto script_after = [&](const Result<int>&) { return script; };
    CHECK(script_after(admitted_call(ScriptedPermit{script}, [] { return 1; }, by_sign)) == "s");
}

TEST_CASE("admitted_call: leaves an exception that is not judged to the permit's destructor",
          "[guard]") {
    std::string script;
    CHECK_THROWS_AS(admitted_call(ScriptedPermit{script}, []() -> int { throw 42; }, by_sign), int);
    CHECK(script == "d");
}

TEST_CASE("admitted_call: answers for an exception that is judged before it passes on", "[guard]") {
    std::string script;
    ByException classify;
    CHECK_THROWS_AS(admitted_call(ScriptedPermit{script}, []() -> int { throw 42; }, classify), int);
    CHECK(script == "f");
}

TEST_CASE("admitted_call: a classifier that throws settles the permit as ignored", "[guard]") {
    std::string script;
    const auto throws = [](int) -> Outcome { throw 43; };
    CHECK_THROWS_AS(admitted_call(ScriptedPermit{script}, [] { return 42; }, throws), int);
    CHECK(script == "i");
    script.clear();
    const auto throws_on_exception = [](std::exception_ptr) -> Outcome { throw 'x'; };
    CHECK_THROWS_AS(
        admitted_call(ScriptedPermit{script}, []() -> int { throw 42; }, throws_on_exception), char);
    CHECK(script == "i");
}

TEST_CASE("admitted_call: a void call is a success unless a classifier of nothing says otherwise",
          "[guard]") {
    std::string script;
    ByException by_exception;
    CHECK(admitted_call(ScriptedPermit{script}, [] {}, by_exception).has_value());
    const auto fails = [] { return Outcome::failure; };
    CHECK(admitted_call(ScriptedPermit{script}, [] {}, fails).has_value());
    CHECK(script == "sf");
}

TEST_CASE("admitted_call: passes on what it is given as it is given", "[guard]") {
    struct OnlyAsRvalue {
        int operator()() && { return 42; }
    };
    std::string script;
    CHECK(admitted_call(ScriptedPermit{script}, OnlyAsRvalue{}, by_sign).value() == 42);
    int x = 1;
    const auto reference = [&]() -> int& { return x; };
    CHECK(&admitted_call(ScriptedPermit{script}, reference, by_sign)->get() == &x);
    STATIC_REQUIRE(std::is_same_v<decltype(admitted_call(ScriptedPermit{script}, reference, by_sign)),
                                  Result<int&>>);
}

} // namespace tests::guard_detail_admitted_call
