// SPDX-License-Identifier: MIT
#include "fleet.hpp"

#include "answers.hpp"

#include "../common/text_file.hpp"

#include <sstream>
#include <stdexcept>

namespace relay_demo {
namespace {

using example::JsonClient;
using example::Service;
using namespace std::chrono_literals;

} // namespace

Fleet::Fleet()
    : programs_{example::own_directory()}, core_{start_target("CORE")}, claim_{start_target("CLAIM")},
      hub_{start_hub("breaker.log", {})} {}

std::unique_ptr<Service> Fleet::start_target(const std::string& name) {
    return std::make_unique<Service>(programs_ / "target_simulator",
                                     std::vector<std::string>{"--port", "0", "--name", name},
                                     directory_.path() / (name + ".err"));
}

std::unique_ptr<Service> Fleet::start_hub(const std::string& log,
                                          const std::vector<std::string>& more_options) {
    std::vector<std::string> options{"--listen",         "127.0.0.1:0",
                                     "--target",         "CORE=" + core_->url(),
                                     "--target",         "CLAIM=" + claim_->url(),
                                     "--fail-threshold", std::to_string(fail_threshold),
                                     "--reset-timeout",  std::to_string(reset_seconds),
                                     "--max-inflight",   std::to_string(max_inflight),
                                     "--breaker-log",    (directory_.path() / log).string()};
    options.insert(options.end(), more_options.begin(), more_options.end());
    return std::make_unique<Service>(programs_ / "relay_hub", options, directory_.path() / "hub.err");
}

int Fleet::restart_hub(const std::vector<std::string>& more_options) {
    const int status = hub_->stop(patience).value_or(-1);
    hub_ = start_hub("second.log", more_options);
    return status;
}

nlohmann::json Fleet::core_report() const {
    return checked(JsonClient{hub_port()}.get("/targets")).at("targets").at("CORE");
}

void Fleet::set_core(const nlohmann::json& behaviour) {
    JsonClient client{core_->port()};
    checked(client.post("/_ctl", behaviour));
    checked(client.post("/_reset", nlohmann::json::object()));
}

nlohmann::json Fleet::core_stats() const { return checked(JsonClient{core_->port()}.get("/_stats")); }

std::vector<std::string> Fleet::log_lines() const {
    std::istringstream text{example::read_text_file(directory_.path() / "breaker.log")};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
}

bool Fleet::stop() {
    bool all_well = true;
    for (auto* service : {&hub_, &claim_, &core_})
        all_well = (*service)->stop(patience) == 0 && all_well;
    return all_well;
}

} // namespace relay_demo
