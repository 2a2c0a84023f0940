// SPDX-License-Identifier: MIT
#include <thread>

int shared = 0;

int main() {
    std::thread other{[] { ++shared; }};
    ++shared;
    other.join();
}
