// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/hedge.hpp>

#include "catch.hpp"

#include <chrono>
#include <sstream>
#include <stdexcept>

namespace tests::pipeline_hedge {

using namespace std::chrono_literals;
using dashpot::Hedge;
using dashpot::RetryBudget;

TEST_CASE("HedgeTest: TheDefaultsAreTwoAttemptsAndAHundredMilliseconds") {
    CHECK(Hedge{} == Hedge{.after = 100ms, .max_attempts = 2, .budget = nullptr});
    CHECK_NOTHROW(Hedge{}.validate());
}

TEST_CASE("HedgeTest: NoDelayAndOneAttemptAreLegalAndNonsenseIsRefused") {
    CHECK_NOTHROW(Hedge{.after = 0s, .max_attempts = 1}.validate());
    CHECK_THROWS_AS((Hedge{.after = -1ns}.validate()), std::invalid_argument);
    CHECK_THROWS_WITH((Hedge{.after = -1s}.validate()), "Hedge::after is -1s, must be 0s or longer");
    CHECK_THROWS_WITH(
        (Hedge{.max_attempts = 0}.validate()),
        "Hedge::max_attempts is 0, must be 1 or more; 1 means no hedge, because the first "
        "call counts");
}

TEST_CASE("HedgeTest: ItIsWrittenAsTheInitializerThatMakesIt") {
    std::ostringstream out;
    RetryBudget budget;
    out << Hedge{} << ' ' << Hedge{.after = 0s, .max_attempts = 3, .budget = &budget};
    CHECK(out.str() == "Hedge{.after = 100ms, .max_attempts = 2} "
                       "Hedge{.after = 0s, .max_attempts = 3, .budget = &budget}");
}

} // namespace tests::pipeline_hedge
