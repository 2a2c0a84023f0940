// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_ABI_HPP
#define DASHPOT_CORE_ABI_HPP

#if defined(_MSVC_LANG)
#if _MSVC_LANG < 202002L
#error "dashpot needs C++20 or later: compile with /std:c++20"
#endif
#elif __cplusplus < 202002L
#error "dashpot needs C++20 or later: compile with -std=c++20"
#endif

#include <version>

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS) || defined(_CPPUNWIND)
/// 1 if the compiler has exceptions on, 0 under `-fno-exceptions`. Set by the library, not by you.
#define DASHPOT_EXCEPTIONS 1
#else
#define DASHPOT_EXCEPTIONS 0
#endif

/// The inline namespace that holds everything in dashpot. Its name states the version and the
/// configuration: exceptions on or off, and whether the standard library has std::expected.
///
/// **Contract.** Objects of one program that were compiled with different settings have different
/// functions, each as its object was compiled. Objects that pass dashpot types to each other must
/// agree on the settings; otherwise they do not link.
#if DASHPOT_EXCEPTIONS && defined(__cpp_lib_expected)
#define DASHPOT_ABI v0_expected
#elif DASHPOT_EXCEPTIONS
#define DASHPOT_ABI v0
#elif defined(__cpp_lib_expected)
#define DASHPOT_ABI v0_expected_no_exceptions
#else
#define DASHPOT_ABI v0_no_exceptions
#endif

#endif
