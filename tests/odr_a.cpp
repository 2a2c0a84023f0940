// SPDX-License-Identifier: MIT
// This file and odr_b.cpp include every header and are linked into one program: what is defined in
// a header without `inline` is then defined twice.
#include "all_headers.hpp" // written by CMake from the list of headers
