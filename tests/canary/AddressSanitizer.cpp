// SPDX-License-Identifier: MIT
// The size is not known when this is compiled, so that no other sanitizer sees it first.
int main(int argc, char**) {
    int* p = new int[static_cast<unsigned>(argc) + 3];
    const int value = p[argc + 3]; // one past the end
    delete[] p;
    return value == 42;
}
