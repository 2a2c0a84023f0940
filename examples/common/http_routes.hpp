// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_ROUTES_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_ROUTES_HPP

#include "http_message.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// What a server does at a path.
struct HttpRoute {
    std::string method; ///< a route of GET answers HEAD too
    std::string path;   ///< `*` is any one part: `/targets/*/history`
    /// Answers a request that has come whole.
    std::function<void(const HttpRequest&, HttpResponse&)> handle;
    /// Refuses a request before its body is read; may be empty.
    std::function<std::optional<HttpProblem>(const HttpRequest&)> check;
};

/// Finds the route of a request.
///
/// **Threads.** Once no routes are added, every member may be called from any thread.
class HttpRoutes {
  public:
    void add(HttpRoute route) { routes_.push_back(std::move(route)); }

    /// Sets the request's `parts`.
    /// @param problem  set if there is no route: 404, 405, or 501 for a method that no server here
    /// knows
    /// @return null: there is none
    [[nodiscard]] const HttpRoute* find(HttpRequest& request,
                                        std::optional<HttpProblem>& problem) const;

  private:
    [[nodiscard]] std::string all() const;

    std::vector<HttpRoute> routes_;
};

} // namespace example

#endif
