// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_REPLY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_REPLY_HPP

#include "relay.hpp"
#include "reply.hpp"

#include <httplib.h>

#include <optional>
#include <string>
#include <string_view>

namespace relay_hub {

// What all routes need between HTTP and the relay.

/// Puts the reply into the response. Of what a target said only a Retry-After that was checked goes
/// into a header.
void answer(httplib::Response& response, const Reply& reply);

/// Reads all of the body. @return nothing: it did not come, and the response says why
[[nodiscard]] std::optional<std::string> read_body(const httplib::ContentReader& content,
                                                   httplib::Response& response, Relay& relay);

/// Whether it is empty or `{}`.
[[nodiscard]] bool says_nothing(std::string_view body);

/// Of a request of which not even the head could be read. @param status  what httplib found wrong
[[nodiscard]] Reply unreadable_head(Relay& relay, int status);

} // namespace relay_hub

#endif
