// SPDX-License-Identifier: MIT
#include "relay.hpp"

#include "codes.hpp"
#include "envelope.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace relay_hub {

Relay::Relay(Registry& registry, const Options& options) {
    for (const TargetOptions& target : options.targets) {
        try {
            auto compartment = std::make_unique<Compartment>(registry, target);
            if (!options.has_protection) compartment->remove_protection();
            compartments_.emplace(target.name, std::move(compartment));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument{"--target: " + target.name + ": " + error.what()};
        }
    }
}

Reply Relay::handle(const std::string& body) {
    const Field target = read_field(body, "target");
    if (!target.value) return reject(target.problem);
    const auto found = compartments_.find(*target.value);
    if (found == compartments_.end()) {
        ++unknown_target_;
        // Not repeated in the answer: it may be a megabyte of anything.
        return own_reply(code::unknown_target, {}, "no such target");
    }
    return found->second->relay(body);
}

Reply Relay::reject(std::string_view problem) {
    ++malformed_;
    return own_reply(code::malformed, {}, problem);
}

nlohmann::json Relay::report() const {
    auto result = nlohmann::json::object();
    for (const auto& [name, compartment] : compartments_) result[name] = compartment->report();
    return result;
}

} // namespace relay_hub
