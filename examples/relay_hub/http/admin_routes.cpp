// SPDX-License-Identifier: MIT
#include "admin_routes.hpp"

#include "http_reply.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace relay_hub {
namespace {

Reply change_config(Relay& relay, LiveConfig& config, const std::string& body) {
    try {
        const bool reads_file = says_nothing(body);
        if (reads_file && !config.has_file())
            throw CannotChange{"the hub was started without --config: there is no file to read again"};
        nlohmann::ordered_json report{{"changed", nlohmann::ordered_json::array()}};
        for (const Change& change : reads_file ? config.read_file() : config.take(body)) {
            nlohmann::ordered_json entry;
            entry["field"] = change.field;
            entry["old"] = change.before;
            entry["new"] = change.after;
            report["changed"].push_back(std::move(entry));
        }
        return {{}, 200, report.dump(2) + "\n"};
    } catch (const CannotChange& error) {
        Reply reply = relay.reject(error.what());
        reply.status = 409;
        return reply;
    } catch (const std::invalid_argument& error) {
        return relay.reject(error.what());
    }
}

} // namespace

void add_admin_routes(Routes& routes, Relay& relay, LiveConfig& config) {
    routes.post("/admin/config", Access::control,
                [&](const example::HttpRequest& request, example::HttpResponse& response) {
                    answer(response, change_config(relay, config, request.body));
                });
}

} // namespace relay_hub
