// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_REQUEST_CHECK_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_REQUEST_CHECK_HPP

#include "access_rule.hpp"

#include <httplib.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace relay_hub {

inline constexpr std::size_t max_body = 1024 * 1024;

/// Why a request is refused before its body is read.
struct Problem {
    int status = 400;
    std::string text;    ///< empty: there is none
    std::string allow{}; ///< for the header Allow, with 405
};

/// Looks for an endpoint, whether this client may use it, and whether the body can be read in one way
/// only. All routes of the hub are in the table of this file's source.
[[nodiscard]] Problem problem_of(const httplib::Request& request, const AccessRule& rule);

} // namespace relay_hub

#endif
