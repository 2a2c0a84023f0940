// SPDX-License-Identifier: MIT
#include "control.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace target_simulator {
namespace {

using nlohmann::json;

constexpr int longest_delay = 60'000;
constexpr int most_at_once = 1'000;

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

std::uint32_t read_capacity(const json& value) {
    const bool ok = value.is_number_integer() && value >= 1 && value <= most_at_once;
    if (!ok) throw std::invalid_argument{"capacity: must be a whole number from 1 to 1000"};
    return value.get<std::uint32_t>();
}

double read_fail_rate(const json& value) {
    const bool ok = value.is_number() && value > 0 && value <= 1;
    if (!ok) throw std::invalid_argument{"fail_rate: must be a ratio in (0, 1]"};
    return value.get<double>();
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
        else if (key == "capacity")
            result.capacity = read_capacity(value);
        else if (key == "fail_rate")
            result.fail_rate = read_fail_rate(value);
        else
            throw std::invalid_argument{
                "unknown key: only mode, delay_ms, capacity and fail_rate are known"};
    }
    if (!control.contains("mode")) throw std::invalid_argument{"mode: missing"};
    return result;
}

std::string to_json(const Behaviour& behaviour, std::string_view name) {
    nlohmann::ordered_json result{
        {"name", name}, {"mode", to_string(behaviour.mode)}, {"delay_ms", behaviour.delay.count()}};
    if (behaviour.capacity) result["capacity"] = *behaviour.capacity;
    if (behaviour.fail_rate < 1) result["fail_rate"] = behaviour.fail_rate;
    return result.dump();
}

std::string to_json(const Stats& stats) {
    return nlohmann::ordered_json{
        {"calls", stats.calls}, {"in_flight", stats.in_flight}, {"max_inflight", stats.max_inflight}}
        .dump();
}

} // namespace target_simulator
