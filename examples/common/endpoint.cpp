// SPDX-License-Identifier: MIT
#include "endpoint.hpp"

#include "printable.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace example {
namespace {

[[noreturn]] void reject(std::string_view text, std::string_view expected) {
    throw std::invalid_argument{"'" + printable(text, 80) + "' is not " + std::string{expected}};
}

bool is_host(std::string_view text) {
    const auto is_host_character = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' ||
               c == '-' || c == '_';
    };
    return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, is_host_character);
}

bool is_ipv6(std::string_view text) {
    const auto is_address_character = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
               c == '.';
    };
    return text.size() >= 2 && std::ranges::all_of(text, is_address_character);
}

/// Takes the host from the front of `rest`.
bool take_host(std::string_view& rest, std::string& host) {
    if (rest.starts_with('[')) {
        const auto close = rest.find(']');
        if (close == std::string_view::npos || !is_ipv6(rest.substr(1, close - 1))) return false;
        host = rest.substr(1, close - 1);
        rest.remove_prefix(close + 1);
        return true;
    }
    const auto end = std::min(rest.find(':'), rest.size());
    if (!is_host(rest.substr(0, end))) return false;
    host = rest.substr(0, end);
    rest.remove_prefix(end);
    return true;
}

bool read_port(std::string_view text, int lowest, int& port) {
    const auto* const end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, port);
    return error == std::errc{} && parsed == end && port >= lowest && port <= 65535;
}

} // namespace

Endpoint parse_host_port(std::string_view text) {
    constexpr std::string_view expected = "HOST:PORT with a port from 0 to 65535";
    Endpoint result;
    std::string_view rest = text;
    if (!take_host(rest, result.host) || !rest.starts_with(':') ||
        !read_port(rest.substr(1), 0, result.port))
        reject(text, expected);
    return result;
}

Endpoint parse_http_url(std::string_view text) {
    constexpr std::string_view expected =
        "a URL http://HOST[:PORT] with a port from 1 to 65535 and no path";
    constexpr std::string_view scheme = "http://";
    Endpoint result{{}, 80};
    if (!text.starts_with(scheme)) reject(text, expected);
    std::string_view rest = text.substr(scheme.size());
    if (!take_host(rest, result.host)) reject(text, expected);
    if (rest.ends_with('/')) rest.remove_suffix(1);
    const bool ok =
        rest.empty() || (rest.starts_with(':') && read_port(rest.substr(1), 1, result.port));
    if (!ok) reject(text, expected);
    return result;
}

std::string to_url(const Endpoint& endpoint) {
    const bool is_v6 = endpoint.host.find(':') != std::string::npos;
    return "http://" + (is_v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" +
           std::to_string(endpoint.port);
}

} // namespace example
