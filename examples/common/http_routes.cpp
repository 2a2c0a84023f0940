// SPDX-License-Identifier: MIT
#include "http_routes.hpp"

#include "url_escapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace example {
namespace {

/// Those of RFC 9110 and RFC 5789 whose targets are paths. Their names are in upper case, and no
/// others.
constexpr std::array<std::string_view, 8> methods{"GET",     "HEAD",  "POST",   "PUT",
                                                  "OPTIONS", "PATCH", "DELETE", "TRACE"};

[[nodiscard]] std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin + 1), path.size());
        parts.push_back(path.substr(begin, end - begin));
        begin = end;
    }
    return parts;
}

/// @return what the `*` stand for; nothing: the path is another
[[nodiscard]] std::optional<std::vector<std::string>> match(std::string_view path,
                                                            std::string_view pattern) {
    const auto parts = split(path);
    const auto wanted = split(pattern);
    if (parts.size() != wanted.size()) return std::nullopt;
    std::vector<std::string> result;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        std::string part = without_escapes(parts[i].substr(1));
        if (wanted[i] == "/*" && !part.empty())
            result.push_back(std::move(part));
        else if (part != wanted[i].substr(1))
            return std::nullopt;
    }
    return result;
}

void append(std::string& list, std::string_view item) {
    if (!list.empty()) list += ", ";
    list += item;
}

} // namespace

const HttpRoute* HttpRoutes::find(HttpRequest& request, std::optional<HttpProblem>& problem) const {
    if (std::ranges::find(methods, request.method) == methods.end()) {
        problem = HttpProblem{501, "no such method is known"};
        return nullptr;
    }
    const bool is_for_all = request.path == "*";
    std::string allow;
    for (const HttpRoute& route : routes_) {
        auto parts = is_for_all ? std::vector<std::string>{} : match(request.path, route.path);
        if (!parts) continue;
        const bool is_get = route.method == "GET";
        if (!is_for_all && (request.method == route.method || (is_get && request.method == "HEAD"))) {
            request.parts = std::move(*parts);
            return &route;
        }
        const std::string methods_here = is_get ? "GET, HEAD" : route.method;
        if (allow.find(methods_here) == std::string::npos) append(allow, methods_here);
    }
    problem = allow.empty() ? HttpProblem{404, "no such endpoint: there are " + all()}
                            : HttpProblem{405, "no such method here: try " + allow, allow};
    return nullptr;
}

std::string HttpRoutes::all() const {
    std::string result;
    for (const HttpRoute& route : routes_) append(result, route.method + " " + route.path);
    return result;
}

} // namespace example
