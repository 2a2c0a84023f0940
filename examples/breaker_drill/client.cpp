// SPDX-License-Identifier: MIT
#include "client.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace breaker_drill {

Client::Client(const example::Endpoint& service)
    : url_{to_url(service)}, http_{service.host, service.port} {
    http_.set_tcp_nodelay(true);
    http_.set_connection_timeout(5);
    // Longer than what counts as slow.
    http_.set_read_timeout(10);
}

int Client::get(const std::string& path) {
    const httplib::Result result = http_.Get(path);
    return result ? result->status : 0;
}

std::uint64_t Client::requests_received() {
    const httplib::Result result = http_.Get("/count");
    if (!result)
        throw std::runtime_error{"no service answers at " + url_ + " (" + to_string(result.error()) +
                                 ")"};
    const auto count = nlohmann::json::parse(result->body, nullptr, false);
    if (!count.is_object() || !count.contains("total") || !count["total"].is_number_unsigned())
        throw std::runtime_error{"what answers at " + url_ +
                                 " is no flaky_service: its /count has no total"};
    return count["total"].get<std::uint64_t>();
}

} // namespace breaker_drill
