// SPDX-License-Identifier: MIT
#include <dashpot/dashpot.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>

int main() {
    using namespace std::chrono_literals;
    dashpot::CircuitBreaker<> breaker{{.threshold = 3}, {.reset_timeout = 10s}};
    const auto ask_price = []() -> int { throw std::runtime_error{"no answer"}; }; // a dead target

    for (int i = 1; i <= 5; ++i) {
        try {
            const dashpot::Result<int> price = breaker.call(ask_price);
            if (!price) std::cout << i << ": not called, " << to_string(price.error().reason) << '\n';
        } catch (const std::runtime_error& error) {
            std::cout << i << ": " << error.what() << '\n';
        }
    }
}
// Output:
// 1: no answer
// 2: no answer
// 3: no answer
// 4: not called, circuit_open
// 5: not called, circuit_open
