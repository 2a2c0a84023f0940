// SPDX-License-Identifier: MIT
// Four parts with different settings in one program: each behaves as it was compiled, and their error
// codes compare equal.
#include "part.hpp"

#include <dashpot/core/error.hpp>

#include <cstdio>

extern "C" {
const Part* cxx20();
const Part* cxx20_no_exceptions();
const Part* cxx23();
const Part* cxx23_no_exceptions();
}

int main() {
    int faults = 0;
    for (const Part* part : {cxx20(), cxx20_no_exceptions(), cxx23(), cxx23_no_exceptions()}) {
        if (const char* fault = part->fault()) {
            std::printf("%s: does not hold: %s\n", part->name, fault);
            ++faults;
        }
        if (part->code() != make_error_code(dashpot::Error::circuit_open)) {
            std::printf("%s: its error category is another one\n", part->name);
            ++faults;
        }
    }
    return faults == 0 ? 0 : 1;
}
