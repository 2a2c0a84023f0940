// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_CONTROL_ROUTES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_CONTROL_ROUTES_HPP

#include "../relay/relay.hpp"
#include "routes.hpp"

namespace relay_hub {

/// `POST /targets/NAME/COMMAND`: commands a target's breaker and answers what GET /targets then shows
/// of it.
///
/// The relay must outlive the server.
void add_control_routes(Routes& routes, Relay& relay);

} // namespace relay_hub

#endif
