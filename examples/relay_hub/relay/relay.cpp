// SPDX-License-Identifier: MIT
#include "relay.hpp"

#include "codes.hpp"
#include "envelope.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace relay_hub {

Relay::Relay(Registry& registry, const Options& options) {
    for (const TargetOptions& target : options.targets) {
        try {
            compartments_.emplace(
                target.name, std::make_unique<Compartment>(registry, target, options.has_protection));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument{target.url_given_by + ": " + error.what()};
        }
    }
    housekeeper_ = std::thread{[this] { keep_tidy(); }};
}

Relay::~Relay() {
    {
        const std::lock_guard lock{end_mutex_};
        is_ending_ = true;
    }
    end_.notify_all();
    housekeeper_.join();
}

void Relay::keep_tidy() {
    std::unique_lock lock{end_mutex_};
    while (!end_.wait_for(lock, std::chrono::seconds{1}, [this] { return is_ending_; }))
        for (const auto& [name, compartment] : compartments_) compartment->tidy();
}

void Relay::log_traffic(dashpot::TrafficLog& log) noexcept {
    for (const auto& [name, compartment] : compartments_) compartment->log_traffic(log);
}

Reply Relay::handle(const std::string& body, std::optional<std::chrono::milliseconds> patience) {
    const Field target = read_field(body, "target");
    if (!target.value) return reject(target.problem);
    Compartment* const compartment = find(*target.value);
    if (compartment == nullptr) return unknown();
    return compartment->relay(body, patience);
}

Compartment* Relay::find(std::string_view target) noexcept {
    const auto found = compartments_.find(target);
    return found == compartments_.end() ? nullptr : found->second.get();
}

void Relay::note(std::string_view target, const dashpot::Transition& transition) {
    if (Compartment* const compartment = find(target)) compartment->note(transition);
}

Reply Relay::unknown() {
    ++unknown_target_;
    // Not repeated in the answer: it may be a megabyte of anything.
    return own_reply(code::unknown_target, {}, "no such target");
}

nlohmann::json Relay::command(std::string_view target, Command command) {
    Compartment* const compartment = find(target);
    if (compartment == nullptr) return {};
    compartment->obey(command);
    const auto lock = hold_still();
    return compartment->report();
}

void Relay::reconfigure(const Options& options) {
    std::vector<std::pair<Compartment*, Compartment::Prepared>> all;
    all.reserve(options.targets.size());
    for (const TargetOptions& target : options.targets) {
        Compartment& compartment = *compartments_.at(target.name);
        all.emplace_back(&compartment, compartment.prepare(target.settings));
    }
    // From here on nothing throws: there is no half of it that would have to be taken back.
    const std::lock_guard lock{settings_mutex_};
    for (auto& [compartment, prepared] : all) compartment->reconfigure(std::move(prepared));
}

Reply Relay::reject(std::string_view problem) {
    ++malformed_;
    return own_reply(code::malformed, {}, problem);
}

Reply Relay::forbid(std::string_view problem) {
    ++forbidden_;
    return own_reply(code::forbidden, {}, problem);
}

Reply Relay::fail() {
    ++failed_;
    return own_reply(code::hub_failed, {}, "the hub failed");
}

nlohmann::json Relay::report() const {
    const auto lock = hold_still();
    auto result = nlohmann::json::object();
    for (const auto& [name, compartment] : compartments_) result[name] = compartment->report();
    return result;
}

void Relay::add_to(dashpot::GuardMetrics& metrics) const {
    for (const auto& [name, compartment] : compartments_) compartment->add_to(metrics);
}

Reply Relay::history(std::string_view target) {
    const Compartment* const compartment = find(target);
    if (compartment == nullptr) return unknown();
    return {{}, 200, compartment->history()};
}

Reply Relay::readiness(bool is_stopping) const {
    const auto lock = hold_still();
    auto degraded = nlohmann::ordered_json::array();
    for (const auto& [name, compartment] : compartments_) {
        if (auto trouble = compartment->degradation()) {
            nlohmann::ordered_json entry{{"target", name}};
            entry.update(*trouble);
            degraded.push_back(std::move(entry));
        }
    }
    const bool is_ready = !is_stopping && degraded.size() < compartments_.size();
    nlohmann::ordered_json report;
    report["status"] = is_ready ? "ready" : "not ready";
    if (is_stopping) report["stopping"] = true;
    report["degraded"] = std::move(degraded);
    return {{}, is_ready ? 200 : 503, report.dump(2) + "\n"};
}

} // namespace relay_hub
