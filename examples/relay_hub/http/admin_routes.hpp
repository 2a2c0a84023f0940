// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ADMIN_ROUTES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ADMIN_ROUTES_HPP

#include "../relay/relay.hpp"
#include "../settings/live_config.hpp"
#include "routes.hpp"

namespace relay_hub {

/// `POST /admin/config`: the body is a new config; with none, or `{}`, the config file is read again.
/// Answers what has changed.
///
/// Both must outlive the server.
void add_admin_routes(Routes& routes, Relay& relay, LiveConfig& config);

} // namespace relay_hub

#endif
