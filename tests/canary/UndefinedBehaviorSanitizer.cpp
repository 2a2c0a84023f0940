// SPDX-License-Identifier: MIT
#include <limits>

int main(int argc, char**) {
    const int too_far = std::numeric_limits<int>::max() + argc; // overflows
    return too_far == 42;
}
