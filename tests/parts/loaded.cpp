// SPDX-License-Identifier: MIT
// Two shared libraries that hide their names, given as arguments, loaded apart from each other: their
// error codes compare with an Error, and an exception of one is caught by its type.
#include "part.hpp"

#include <dashpot/core/error.hpp>
#include <dashpot/core/result.hpp>

#include <cstdio>
#include <system_error>

#include <dlfcn.h>

namespace {

bool throws_what_is_caught_here(const Part& part) {
    try {
        part.throw_refusal();
    } catch (const dashpot::BadResultAccess& refused) {
        return refused.error().reason == dashpot::Error::circuit_open;
    } catch (...) {}
    return false;
}

const char* fault_of(const Part& part) {
    if (const char* fault = part.fault()) return fault;
    if (part.code() != dashpot::Error::circuit_open) return "a code compares with an Error";
    if (part.code() != make_error_code(dashpot::Error::circuit_open).default_error_condition())
        return "a code compares with a condition";
    if (!throws_what_is_caught_here(part)) return "an exception is caught by its type";
    return nullptr;
}

} // namespace

int main(int argc, char** argv) {
    int faults = argc == 3 ? 0 : 1;
    std::error_code first;
    for (int i = 1; i < argc; ++i) {
        void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        void* address = library ? dlsym(library, "cxx20") : nullptr;
        if (address == nullptr) {
            std::printf("%s\n", dlerror());
            return 1;
        }
        const Part& part = *reinterpret_cast<const Part* (*)()>(address)();
        if (const char* fault = fault_of(part)) {
            std::printf("%s: does not hold: %s\n", argv[i], fault);
            ++faults;
        }
#if !defined(__clang__) // it does not mark a name as one per process
        if (i == 1) first = part.code();
        if (part.code() != first) {
            std::printf("%s: its error category is another one\n", argv[i]);
            ++faults;
        }
#endif
    }
    return faults == 0 ? 0 : 1;
}
