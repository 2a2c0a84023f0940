// SPDX-License-Identifier: MIT
#include <dashpot/dashpot.hpp>
#include <dashpot/version.hpp>

int main() {
    dashpot::CircuitBreaker<> breaker;
    return breaker.allow() ? 0 : 1;
}
