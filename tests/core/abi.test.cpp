// SPDX-License-Identifier: MIT
#include <dashpot/core/abi.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/state.hpp>

#include "catch.hpp"

#include <string>
#include <type_traits>
#include <typeinfo>

#define DASHPOT_TEST_TEXT_OF(x) #x
#define DASHPOT_TEST_TEXT(x) DASHPOT_TEST_TEXT_OF(x)

TEST_CASE("AbiTest.NamesTheConfiguration", "[core]") {
    const std::string abi = DASHPOT_TEST_TEXT(DASHPOT_ABI);
    CHECK((abi.find("no_exceptions") == std::string::npos) == bool{DASHPOT_EXCEPTIONS});
#if defined(__cpp_lib_expected)
    CHECK(abi.find("expected") != std::string::npos);
#else
    CHECK(abi.find("expected") == std::string::npos);
#endif
#if defined(_LIBCPP_VERSION)
    CHECK(abi.find("libcxx") != std::string::npos);
#elif defined(_GLIBCXX_DEBUG)
    CHECK(abi.find("glibcxx_debug") != std::string::npos);
#endif
}

TEST_CASE("AbiTest.TypesLiveInTheNamespaceOfTheConfiguration", "[core]") {
    const bool is_inline = std::is_same_v<dashpot::State, dashpot::DASHPOT_ABI::State>;
    CHECK(is_inline);
    // A compiler may leave an inline namespace out of what it prints, never out of what it links by.
    const std::string symbol = typeid(dashpot::State).name();
    CHECK(symbol.find(DASHPOT_TEST_TEXT(DASHPOT_ABI)) != std::string::npos);
}
