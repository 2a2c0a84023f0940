// SPDX-License-Identifier: MIT
#include "hub_process.hpp"

#include "../../examples/common/json_client.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <sys/resource.h>

namespace soak {
namespace {

using namespace std::chrono_literals;

nlohmann::json checked(example::HttpAnswer answer) {
    if (answer.status != 200) throw std::runtime_error{"the hub does not say how it is"};
    return std::move(answer.body);
}

} // namespace

HubProcess::HubProcess(std::filesystem::path program, std::vector<std::string> options,
                       std::filesystem::path errors, int port)
    : program_{std::move(program)}, options_{std::move(options)}, errors_{std::move(errors)},
      port_{port} {}

void HubProcess::start(const std::filesystem::path& log) {
    log_ = log;
    std::vector<std::string> options{"--listen", "127.0.0.1:" + std::to_string(port_), "--breaker-log",
                                     log.string()};
    options.insert(options.end(), options_.begin(), options_.end());
    service_ = std::make_unique<example::Service>(program_, options, errors_);
}

void HubProcess::kill() { service_.reset(); }

std::optional<int> HubProcess::stop() {
    const std::optional<int> status = service_->stop(15s);
    service_.reset();
    return status;
}

nlohmann::json HubProcess::targets() const {
    return checked(example::JsonClient{port_}.get("/targets")).at("targets");
}

nlohmann::json HubProcess::health() const {
    return checked(example::JsonClient{port_}.get("/healthz"));
}

Metrics HubProcess::metrics() const {
    httplib::Client client{"127.0.0.1", port_};
    const httplib::Result result = client.Get("/metrics");
    if (!result || result->status != 200) throw std::runtime_error{"the hub has no metrics"};
    Metrics metrics;
    std::istringstream text{result->body};
    for (std::string line; std::getline(text, line);) {
        const auto space = line.rfind(' ');
        if (line.starts_with('#') || space == std::string::npos) continue;
        metrics[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
    return metrics;
}

std::string HubProcess::proc(const char* file) const {
    return "/proc/" + std::to_string(service_->process().id()) + "/" + file;
}

std::size_t HubProcess::resident() const {
    if (!service_) return 0;
    std::ifstream status{proc("status")};
    for (std::string word; status >> word;) {
        std::size_t kibibytes = 0;
        if (word == "VmRSS:" && status >> kibibytes) return kibibytes * 1024;
    }
    return 0;
}

std::size_t HubProcess::open_files() const {
    const std::filesystem::directory_iterator files{proc("fd")};
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

std::size_t HubProcess::limit_open_files(std::size_t count) {
    const pid_t process = service_->process().id();
    rlimit before{};
    if (::prlimit(process, RLIMIT_NOFILE, nullptr, &before) != 0)
        throw std::system_error{errno, std::generic_category(), "prlimit"};
    const rlimit after{count, before.rlim_max};
    if (::prlimit(process, RLIMIT_NOFILE, &after, nullptr) != 0)
        throw std::system_error{errno, std::generic_category(), "prlimit"};
    return before.rlim_cur;
}

} // namespace soak
