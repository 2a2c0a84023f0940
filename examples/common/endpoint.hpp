// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_ENDPOINT_HPP
#define DASHPOT_EXAMPLES_COMMON_ENDPOINT_HPP

#include <string>
#include <string_view>

namespace example {

/// A host, a name or a literal address, and a port.
struct Endpoint {
    std::string host;
    int port = 0;

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// "127.0.0.1:9200", "[::1]:0", "localhost:80".
/// @throws std::invalid_argument  it is nothing of the kind; the text says what is expected
[[nodiscard]] Endpoint parse_host_port(std::string_view text);

/// "http://HOST[:PORT][/]"; the port is 80 if none is given.
/// @throws std::invalid_argument
[[nodiscard]] Endpoint parse_http_url(std::string_view text);

/// "http://HOST:PORT", with the brackets that an IPv6 address needs.
[[nodiscard]] std::string to_url(const Endpoint& endpoint);

} // namespace example

#endif
