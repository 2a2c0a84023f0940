// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_HTTP_REPLY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_HTTP_REPLY_HPP

#include "../relay/reply.hpp"

#include "../../common/http_message.hpp"

#include <string_view>

namespace relay_hub {

// What all routes need between HTTP and the relay.

/// Puts the reply into the response. Of what a target said only a Retry-After that was checked goes
/// into a header.
void answer(example::HttpResponse& response, Reply reply);

/// Returns true if the body is empty or `{}`.
[[nodiscard]] bool says_nothing(std::string_view body);

} // namespace relay_hub

#endif
