// SPDX-License-Identifier: MIT
#include "all_headers.hpp" // see odr_a.cpp
