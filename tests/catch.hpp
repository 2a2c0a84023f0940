// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_CATCH_HPP
#define DASHPOT_TESTS_CATCH_HPP

// Catch2 2.13 and 3.x under one name: whichever CMake found.
#if DASHPOT_CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif
