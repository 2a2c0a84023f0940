// SPDX-License-Identifier: MIT
#include "contest.hpp"

#include "answers.hpp"

#include "../common/json_client.hpp"
#include "../common/text_file.hpp"

#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

namespace relay_demo {
namespace {

using example::JsonClient;
using example::Service;
using nlohmann::json;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

} // namespace

Contest::Contest(const std::vector<Entrant>& entrants) {
    const std::filesystem::path programs = example::own_directory();
    json config;
    for (const Entrant& entrant : entrants) {
        names_.push_back(entrant.name);
        targets_.push_back(
            std::make_unique<Service>(programs / "target_simulator",
                                      std::vector<std::string>{"--port", "0", "--name", entrant.name},
                                      directory_.path() / (entrant.name + ".err")));
        json& settings = config["targets"][entrant.name] = entrant.settings;
        settings["url"] = targets_.back()->url();
    }
    const auto file = directory_.path() / "hub.json";
    example::write_text_file(file, config.dump());
    hub_ = std::make_unique<Service>(
        programs / "relay_hub",
        std::vector<std::string>{"--listen", "127.0.0.1:0", "--config", file.string(), "--breaker-log",
                                 (directory_.path() / "breaker.log").string()},
        directory_.path() / "hub.err");
}

void Contest::set_all(const json& behaviour) {
    for (const auto& target : targets_) checked(JsonClient{target->port()}.post("/_ctl", behaviour));
}

void Contest::begin_load(const LoadOptions& load) {
    loads_.clear();
    for (const std::string& name : names_) {
        LoadOptions options = load;
        options.port = hub_->port();
        options.target = name;
        loads_.push_back(std::make_unique<Load>(options));
    }
}

void Contest::settle(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

std::uint64_t Contest::calls_of(std::size_t entrant) const {
    return checked(JsonClient{targets_[entrant]->port()}.get("/_stats")).at("calls");
}

std::vector<Contest::Result> Contest::observe(std::chrono::milliseconds time) {
    std::vector<Result> results;
    const auto began = steady_clock::now();
    for (std::size_t i = 0; i < names_.size(); ++i) {
        static_cast<void>(loads_[i]->take());
        results.push_back({names_[i], {}, calls_of(i), {}});
    }
    std::this_thread::sleep_for(time);
    for (std::size_t i = 0; i < names_.size(); ++i) {
        results[i].sample = loads_[i]->take();
        results[i].calls = calls_of(i) - results[i].calls;
        results[i].length = steady_clock::now() - began;
    }
    return results;
}

json Contest::report(const std::string& name) const {
    return checked(JsonClient{hub_->port()}.get("/targets")).at("targets").at(name);
}

bool Contest::stop() {
    loads_.clear();
    bool all_well = hub_->stop(patience) == 0;
    for (const auto& target : targets_) all_well = target->stop(patience) == 0 && all_well;
    return all_well;
}

} // namespace relay_demo
