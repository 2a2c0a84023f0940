// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ROUTES_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_ROUTES_HPP

#include "access_rule.hpp"
#include "request_check.hpp"

#include "../../common/http_server.hpp"

#include <functional>
#include <string>
#include <utility>

namespace relay_hub {

/// Adds routes to the hub's server. None goes without saying who may use it.
class Routes {
  public:
    using Handler = std::function<void(const example::HttpRequest&, example::HttpResponse&)>;

    /// Both must outlive the server's requests.
    Routes(example::HttpServer& server, const AccessRule& rule) : server_{server}, rule_{rule} {}

    void get(std::string path, Access access, Handler handler) {
        add("GET", std::move(path), access, std::move(handler));
    }
    void post(std::string path, Access access, Handler handler) {
        add("POST", std::move(path), access, std::move(handler));
    }

  private:
    void add(std::string method, std::string path, Access access, Handler handler) {
        server_.add({std::move(method), std::move(path), std::move(handler),
                     [&rule = rule_, access](const example::HttpRequest& request) {
                         return problem_of(request, access, rule);
                     }});
    }

    example::HttpServer& server_;
    const AccessRule& rule_;
};

} // namespace relay_hub

#endif
