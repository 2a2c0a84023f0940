// SPDX-License-Identifier: MIT
#include "request_check.hpp"

#include <array>
#include <charconv>
#include <system_error>

namespace relay_hub {
namespace {

using httplib::Request;

struct Route {
    std::string_view method;
    std::string_view path; ///< `*` is any one part
    Access access;
};

constexpr std::array routes{
    Route{"POST", "/tx", Access::calling},               // hub, as all that says nothing else
    Route{"GET", "/targets", Access::reading},           //
    Route{"GET", "/targets/*/history", Access::reading}, //
    Route{"GET", "/metrics", Access::reading},           //
    Route{"GET", "/healthz", Access::reading},           //
    Route{"GET", "/readyz", Access::reading},            //
    Route{"POST", "/targets/*/*", Access::control},      // control_routes
    Route{"POST", "/admin/config", Access::control},     // admin_routes
    Route{"GET", "/", Access::reading},                  // page_routes
    Route{"GET", "/events", Access::calling},            //
};

bool matches(std::string_view path, std::string_view pattern) {
    while (!path.empty() && !pattern.empty()) {
        if (!path.starts_with('/') || !pattern.starts_with('/')) return false;
        path.remove_prefix(1);
        pattern.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        const std::string_view wanted = pattern.substr(0, pattern.find('/'));
        if (wanted == "*" ? part.empty() : part != wanted) return false;
        path.remove_prefix(part.size());
        pattern.remove_prefix(wanted.size());
    }
    return path.empty() && pattern.empty();
}

RequestFacts facts_of(const Request& request) {
    const auto all = [&](const char* name) {
        std::vector<std::string> values;
        const auto [begin, end] = request.headers.equal_range(name);
        for (auto header = begin; header != end; ++header) values.push_back(header->second);
        return values;
    };
    return {request.remote_addr,   all("Host"),         all("Origin"),
            all("Sec-Fetch-Site"), all("Content-Type"), all("X-Relay-Hub-Control")};
}

/// A body must say how long it is, once and in one way: what two readers understand differently is
/// a way to smuggle a request.
Problem problem_of_length(const Request& request) {
    const auto lengths = request.get_header_value_count("Content-Length");
    const bool is_chunked = request.has_header("Transfer-Encoding");
    if (lengths + (is_chunked ? 1 : 0) != 1) return {400, "the body must have one length"};
    if (is_chunked) return {};
    const std::string text = request.get_header_value("Content-Length");
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error == std::errc::result_out_of_range || length > max_body)
        return {413, "the body is too large"};
    if (error != std::errc{} || end != text.data() + text.size())
        return {400, "the length of the body is no number"};
    return {};
}

Problem problem_of_body(const Request& request) {
    if (request.method == "GET") {
        const bool has_body =
            request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
        return {400, has_body ? "a GET has no body" : ""};
    }
    // Forms take other ways through httplib, and compressed bodies grow after they were measured.
    if (request.is_multipart_form_data()) return {400, "the body is a form, not JSON"};
    if (request.has_header("Content-Encoding")) return {400, "the body is encoded"};
    return problem_of_length(request);
}

std::string all_routes() {
    std::string result;
    for (const Route& route : routes)
        result.append(result.empty() ? "" : ", ").append(route.method).append(" ").append(route.path);
    return result;
}

} // namespace

Problem problem_of(const Request& request, const AccessRule& rule) {
    std::string allow;
    for (const Route& route : routes) {
        if (!matches(request.path, route.path)) continue;
        if (request.method != route.method) {
            allow.append(allow.empty() ? "" : ", ").append(route.method);
            continue;
        }
        const auto [status, text] = rule.refusal(route.access, facts_of(request));
        if (!text.empty()) return {status, std::string{text}};
        return problem_of_body(request);
    }
    if (!allow.empty()) return {405, "no such method here: try " + allow, allow};
    return {404, "no such endpoint: there are " + all_routes()};
}

} // namespace relay_hub
