// SPDX-License-Identifier: MIT
// The rate limiter against a count of tokens in 128 bits, and its grants against the sentence that
// bounds them, on random strings of operations.
#include "guard/rate_game.hpp"
#include "property.hpp"

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace tests::guard_rate_limiter_property {

#ifdef __SIZEOF_INT128__

using namespace model::rate_game;

TEST_CASE("RateLimiter: has the tokens that a count in 128 bits says, on any string of operations",
          "[guard][property]") {
    for (std::uint64_t seed = 1; seed != 20'001; ++seed) {
        model::Dice dice{seed};
        const RateLimit limit = some_limit(dice);
        RateLimit now = limit;
        const bool may_change = dice.below(2) == 0;
        const Instant start = some_start(dice);
        std::vector<Operation> operations;
        for (int i = 0; i != 80; ++i) add_some(dice, may_change, now, operations);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{limit, start}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, limit, start.time_since_epoch().count());
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("no difference");
}

TEST_CASE("RateLimiter: grants in no interval more than the burst and what it earns, and no fewer",
          "[guard][property]") {
    struct Grant {
        Number at;
        Number permits;
    };
    for (std::uint64_t seed = 1; seed != 1'001; ++seed) {
        model::Dice dice{seed};
        const RateLimit limit = some_limit(dice);
        ManualClock clock;
        Limiter limiter{limit, clock};
        const Number burst = limit.burst.value_or(limit.permits);
        std::vector<Grant> grants;
        for (int i = 0; i != 150; ++i) {
            clock.advance(std::chrono::nanoseconds{std::max<std::int64_t>(0, some_step(dice, limit))});
            const Number now = clock.now().time_since_epoch().count();
            const auto most = static_cast<std::uint32_t>(std::min<Number>(burst, 5));
            const std::uint32_t wanted =
                dice.below(4) == 0 ? static_cast<std::uint32_t>(burst) : 1 + dice.below(most);
            bool is_allowed = wanted <= burst;
            Number sum = wanted;
            for (auto each = grants.rbegin(); each != grants.rend(); ++each) {
                sum += each->permits;
                const Number earned = (now - each->at) * limit.permits / limit.per.count();
                is_allowed = is_allowed && sum <= burst + earned;
            }
            CAPTURE(seed, limit, i);
            REQUIRE(static_cast<bool>(limiter.try_acquire(wanted)) == is_allowed);
            if (is_allowed) grants.push_back({now, wanted});
        }
    }
}

#else

TEST_CASE("RateLimiter: the model needs a number of 128 bits, which this target lacks",
          "[guard][property]") {
    SUCCEED("run on 64-bit targets");
}

#endif

} // namespace tests::guard_rate_limiter_property
