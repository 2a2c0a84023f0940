// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_ENDPOINT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_ENDPOINT_HPP

#include "../../common/endpoint.hpp"

namespace relay_hub {

using example::Endpoint;
using example::parse_host_port;
using example::parse_http_url;
using example::to_url;

} // namespace relay_hub

#endif
