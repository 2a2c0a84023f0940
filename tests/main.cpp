// SPDX-License-Identifier: MIT
// Catch2 2.13 brings no main of its own; with 3.x this file is not built.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
