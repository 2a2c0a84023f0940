// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PAGE_ROUTES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_PAGE_ROUTES_HPP

#include "event_feed.hpp"
#include "routes.hpp"

namespace relay_hub {

/// Serves the page for people, `GET /`, and what keeps it up to date, `GET /events`.
///
/// @param feed  outlives the server's requests
void add_page_routes(Routes& routes, EventFeed& feed);

} // namespace relay_hub

#endif
