// SPDX-License-Identifier: MIT
#include <thread>

int shared = 0;

// More than once: two accesses at the very same time escape ThreadSanitizer.
void count() {
    for (int i = 0; i != 1000; ++i) ++shared;
}

int main() {
    std::thread other{count};
    count();
    other.join();
}
