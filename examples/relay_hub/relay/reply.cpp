// SPDX-License-Identifier: MIT
#include "reply.hpp"

#include "codes.hpp"

#include <nlohmann/json.hpp>

namespace relay_hub {
namespace {

nlohmann::ordered_json members(std::string_view code, std::string_view target,
                               std::string_view message) {
    nlohmann::ordered_json result;
    result["code"] = code;
    if (!target.empty()) result["target"] = target;
    result["message"] = message;
    return result;
}

} // namespace

Reply own_reply(std::string_view code, std::string_view target, std::string_view message) {
    return {std::string{code}, http_status(code), members(code, target, message).dump()};
}

nlohmann::json in_milliseconds(std::optional<std::chrono::nanoseconds> retry_after) {
    if (!retry_after) return nullptr;
    return std::chrono::ceil<std::chrono::milliseconds>(*retry_after).count();
}

Reply try_later_reply(std::string_view code, std::string_view target, std::string_view message,
                      std::optional<std::chrono::nanoseconds> retry_after) {
    auto body = members(code, target, message);
    body["retry_after_ms"] = in_milliseconds(retry_after);
    Reply reply{std::string{code}, http_status(code), body.dump()};
    if (retry_after)
        reply.retry_after =
            std::to_string(std::chrono::ceil<std::chrono::seconds>(*retry_after).count());
    return reply;
}

} // namespace relay_hub
