// SPDX-License-Identifier: MIT
// Built twice: with exceptions the bad option is thrown, without them the program aborts with the
// same message.
#include "headers_without_exceptions.hpp"

#include <cstdio>

void construct() {
    const dashpot::CircuitBreaker<> breaker{dashpot::ConsecutiveFailures{.threshold = 0}};
    std::printf("constructed with a threshold of 0, %d\n", int(breaker.state()));
}

int main() {
#if DASHPOT_EXCEPTIONS
    try {
        construct();
    } catch (const std::invalid_argument& error) {
        std::printf("caught: %s\n", error.what());
        return 1;
    }
#else
    construct();
#endif
    return 0; // wrong either way: the test expects a failure
}
