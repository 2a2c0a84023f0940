// SPDX-License-Identifier: MIT
#include "control.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace target_simulator {
namespace {

using nlohmann::json;

constexpr int longest_delay = 60'000;

Mode read_mode(const json& value) {
    const auto mode = value.is_string() ? to_mode(value.get<std::string>()) : std::nullopt;
    if (!mode) throw std::invalid_argument{"mode: must be normal, fail, slow, reject or hang"};
    return *mode;
}

std::chrono::milliseconds read_delay(const json& value) {
    const bool ok = value.is_number_integer() && value >= 0 && value <= longest_delay;
    if (!ok) throw std::invalid_argument{"delay_ms: must be a whole number from 0 to 60000"};
    return std::chrono::milliseconds{value.get<int>()};
}

} // namespace

Behaviour parse_control(const std::string& body) {
    const json control = json::parse(body, nullptr, false);
    if (!control.is_object()) throw std::invalid_argument{"must be a JSON object"};
    Behaviour result;
    for (const auto& [key, value] : control.items()) {
        if (key == "mode")
            result.mode = read_mode(value);
        else if (key == "delay_ms")
            result.delay = read_delay(value);
        else
            throw std::invalid_argument{"unknown key: only mode and delay_ms are known"};
    }
    if (!control.contains("mode")) throw std::invalid_argument{"mode: missing"};
    return result;
}

std::string to_json(const Behaviour& behaviour, std::string_view name) {
    return nlohmann::ordered_json{
        {"name", name}, {"mode", to_string(behaviour.mode)}, {"delay_ms", behaviour.delay.count()}}
        .dump();
}

std::string to_json(const Stats& stats) {
    return nlohmann::ordered_json{
        {"calls", stats.calls}, {"in_flight", stats.in_flight}, {"max_inflight", stats.max_inflight}}
        .dump();
}

} // namespace target_simulator
