// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_REQUEST_CHECK_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_REQUEST_CHECK_HPP

#include "access_rule.hpp"

#include "../../common/http_message.hpp"

#include <optional>

namespace relay_hub {

/// Looks whether this client may use a route with that access, and whether the body is one that the hub
/// can read.
///
/// @return why the request is refused before its body is read; nothing: it is not
[[nodiscard]] std::optional<example::HttpProblem> problem_of(const example::HttpRequest& request,
                                                             Access access, const AccessRule& rule);

} // namespace relay_hub

#endif
