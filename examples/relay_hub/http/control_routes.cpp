// SPDX-License-Identifier: MIT
#include "control_routes.hpp"

#include "../relay/command.hpp"
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

void add_control_routes(Routes& routes, Relay& relay) {
    routes.post("/targets/*/*", Access::control,
                [&relay](const example::HttpRequest& request, example::HttpResponse& response) {
                    answer(response,
                           command_target(relay, request.parts[0], request.parts[1], request.body));
                });
}

} // namespace relay_hub
