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
/// Is 1 if the compiler has exceptions on, and 0 under `-fno-exceptions`. The library sets this macro;
/// do not define it yourself.
#define DASHPOT_EXCEPTIONS 1
#define DASHPOT_ABI_EXCEPTIONS
#else
#define DASHPOT_EXCEPTIONS 0
#define DASHPOT_ABI_EXCEPTIONS _no_exceptions
#endif

#if defined(__cpp_lib_expected)
#define DASHPOT_ABI_EXPECTED _expected
#else
#define DASHPOT_ABI_EXPECTED
#endif

// Standard types of one name have different layouts in these libraries.
#if defined(_LIBCPP_VERSION)
#define DASHPOT_ABI_LIBRARY _libcxx
#elif defined(_GLIBCXX_DEBUG)
#define DASHPOT_ABI_LIBRARY _glibcxx_debug
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define DASHPOT_ABI_LIBRARY _old_string
#else
#define DASHPOT_ABI_LIBRARY
#endif

#if defined(DASHPOT_THREADING_HEADER)
#define DASHPOT_ABI_THREADING _checked
#else
#define DASHPOT_ABI_THREADING
#endif

#define DASHPOT_ABI_JOIN_VALUES(a, b, c, d) v0##a##b##c##d
#define DASHPOT_ABI_JOIN(a, b, c, d) DASHPOT_ABI_JOIN_VALUES(a, b, c, d)

/// The inline namespace that holds everything in dashpot. Its name states the version and the
/// configuration: whether the standard library has std::expected, exceptions on or off, which standard
/// library, checked containers, and the threading header of a checker.
///
/// **Contract.** Objects of one program that were compiled with different settings have different
/// functions, each as its object was compiled. Objects that pass dashpot types to each other must
/// agree on the settings; otherwise they do not link.
///
/// The name does not state these settings:
/// - `-fno-rtti`: dashpot uses no RTTI and works the same with and without it.
/// - `NDEBUG` and DASHPOT_ASSERT: the linker keeps one of two functions, so a check may be on or off
///   in both objects. Nothing else depends on them.
/// - `-ffast-math`, `-mfpmath`, the sign of char: no result depends on them.
/// - `-fvisibility=hidden`: error_category() and the exception of Result::value() are exported anyway.
#define DASHPOT_ABI                                                                                    \
    DASHPOT_ABI_JOIN(DASHPOT_ABI_EXPECTED, DASHPOT_ABI_EXCEPTIONS, DASHPOT_ABI_LIBRARY,                \
                     DASHPOT_ABI_THREADING)

#if defined(__ELF__) || defined(__APPLE__)
/// Exports a name from a shared library whose other names are hidden.
#define DASHPOT_EXPORTED [[gnu::visibility("default")]]
#else
#define DASHPOT_EXPORTED
#endif

#endif
