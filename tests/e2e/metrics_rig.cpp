// SPDX-License-Identifier: MIT
#include "metrics_rig.hpp"

#include <httplib.h>

#include <stdexcept>

namespace e2e {
namespace {

void call_core(Rig& rig, int times, const char* code) {
    for (int i = 0; i < times; ++i) {
        const std::string answered = rig.call("CORE").code();
        if (answered != code)
            throw std::runtime_error{"the hub answered " + answered + ", not " + code};
    }
}

} // namespace

bool Page::has(std::string_view line) const {
    return ("\n" + text).find("\n" + std::string{line} + "\n") != std::string::npos;
}

Page scrape(Rig& rig, const std::string& accept) {
    httplib::Client client{"127.0.0.1", rig.hub().port()};
    client.set_read_timeout(60);
    httplib::Headers headers;
    if (!accept.empty()) headers.emplace("Accept", accept);
    const httplib::Result result = client.Get("/metrics", headers);
    if (!result) return {};
    return {result->status, result->get_header_value("Content-Type"), result->body};
}

void start_measured_hub(Rig& rig) {
    rig.start_hub_with({{"reset_timeout", 600},
                        {"call_timeout", 30},
                        {"policy",
                         {{"type", "count_window"},
                          {"size", 10},
                          {"minimum_calls", 4},
                          {"failure_rate", 0.5},
                          {"slow_calls", {{"longer_than", 20}}}}}});
}

void open_core(Rig& rig) {
    rig.set("CORE", {{"mode", "normal"}});
    call_core(rig, 2, "0000");
    rig.set("CORE", {{"mode", "fail"}});
    call_core(rig, 2, "E500");
    call_core(rig, 3, "E904");
    if (rig.call("CLAIM").code() != "0000") throw std::runtime_error{"CLAIM is not well"};
}

} // namespace e2e
