// SPDX-License-Identifier: MIT
// The checks themselves do not compile where they fail: see tests/compile_fail/unheard_*.cpp.
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/detail/policy_checks.hpp>
#include <dashpot/policy/time_window.hpp>

#include "catch.hpp"

namespace tests::policy_detail_policy_checks {

using namespace dashpot::detail;

namespace {

static_assert(check_offers<dashpot::ConsecutiveFailures>());
static_assert(check_offers<dashpot::CountWindow>());
static_assert(check_offers<dashpot::TimeWindow>());

struct None {};
struct NotConst {
    bool would_open(int) { return true; }
};
struct Overloaded {
    bool would_open(int) const { return true; }
    bool would_open() const { return true; }
};
class Hidden {
    bool would_open() const { return true; }
};
struct Inherited : NotConst {};
struct Field {
    int slow_after;
};
struct Quiet {
    bool quiet() { return true; }
};
struct Final final {
    void take_over(int) {}
};
struct FinalWithNone final {};

} // namespace

TEST_CASE("A policy's offers: are found by name, whatever their shape", "[policy]") {
    STATIC_REQUIRE_FALSE(HasWouldOpen<None>);
    STATIC_REQUIRE(HasWouldOpen<NotConst>);
    STATIC_REQUIRE(HasWouldOpen<Overloaded>);
    STATIC_REQUIRE(HasWouldOpen<Hidden>);
    STATIC_REQUIRE(HasWouldOpen<Inherited>);
    STATIC_REQUIRE_FALSE(HasTakeOver<Inherited>);
    STATIC_REQUIRE(HasSlowAfter<Field>);
    STATIC_REQUIRE(HasTakeOver<Final>);
    STATIC_REQUIRE_FALSE(HasTakeOver<FinalWithNone>);
    STATIC_REQUIRE(HasNextSuccess<dashpot::TimeWindow::Tally>);
    STATIC_REQUIRE_FALSE(HasNextSuccess<None>);
    STATIC_REQUIRE_FALSE(HasQuiet<dashpot::CountWindow::Tally>);
    STATIC_REQUIRE(HasQuiet<Quiet>);
    STATIC_REQUIRE_FALSE(HasBatchEnds<dashpot::TimeWindow::Tally>);
    STATIC_REQUIRE_FALSE(HasMayBatchSuccesses<dashpot::CountWindow::Tally>);
    STATIC_REQUIRE(HasRecordSuccesses<dashpot::CountWindow::Tally>);
}

} // namespace tests::policy_detail_policy_checks
