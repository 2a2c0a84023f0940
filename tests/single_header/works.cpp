// SPDX-License-Identifier: MIT
// Uses something of each floor, and a tool for tests, with nothing but the one header at hand.
#include <dashpot/dashpot.hpp>

#if __has_include(<dashpot/guard/circuit_breaker.hpp>)
#error "this is to find the library in one file only"
#endif

#include <chrono>
#include <cstdlib>

bool adapters_work();

int main() {
    using namespace std::chrono_literals;
    dashpot::testing::ManualClock clock;
    dashpot::Registry<dashpot::testing::ManualClock, dashpot::CountWindow> registry{
        {.policy = {.size = 4, .minimum_calls = 2}, .breaker = {.reset_timeout = 1s}}, {}, clock};
    const auto target = registry.get("CORE");
    for (int i = 0; i < 2; ++i) target->try_enter().failure();
    if (target->try_enter().refusal().reason != dashpot::Error::circuit_open) return EXIT_FAILURE;
    clock.advance(1s);
    return target->try_enter().success() && adapters_work() ? EXIT_SUCCESS : EXIT_FAILURE;
}
