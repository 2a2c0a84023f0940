// SPDX-License-Identifier: MIT
#include "control_routes.hpp"

#include "command.hpp"
#include "http_reply.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace relay_hub {
namespace {

Reply command_target(Relay& relay, const std::string& name, std::string_view action,
                     std::string_view body) {
    // One that has parameters expects what it will not get.
    if (!says_nothing(body)) return relay.reject("the body of a command is {}");
    const auto command = to_command(action);
    if (!command) {
        Reply reply = relay.reject("no such command: try force-open, disable, metrics-only or reset");
        reply.status = 404;
        return reply;
    }
    const nlohmann::json report = relay.command(name, *command);
    if (report.is_null()) return relay.unknown();
    return {{}, 200, report.dump(2) + "\n"};
}

} // namespace

void add_control_routes(httplib::Server& server, Relay& relay) {
    server.Post("/targets/([^/]+)/([^/]+)", [&relay](const httplib::Request& request,
                                                     httplib::Response& response,
                                                     const httplib::ContentReader& content) {
        const auto body = read_body(content, response, relay);
        if (body)
            answer(response,
                   command_target(relay, request.matches[1].str(), request.matches[2].str(), *body));
    });
}

} // namespace relay_hub
