// SPDX-License-Identifier: MIT
#include "http_reply.hpp"

#include "request_check.hpp"

#include "../common/connection.hpp"

#include <cstddef>
#include <utility>

namespace relay_hub {
namespace {

constexpr const char* too_slow = "the request did not come in time";

} // namespace

void answer(httplib::Response& response, const Reply& reply) {
    response.status = reply.status;
    if (!reply.retry_after.empty()) response.set_header("Retry-After", reply.retry_after);
    response.set_content(reply.body, "application/json");
}

std::optional<std::string> read_body(const httplib::ContentReader& content, httplib::Response& response,
                                     Relay& relay) {
    std::string body;
    bool is_too_large = false;
    const bool is_complete = content([&](const char* data, std::size_t size) {
        is_too_large = size > max_body - body.size();
        if (!is_too_large) body.append(data, size);
        return !is_too_large;
    });
    if (is_complete) return body;
    example::Connection& connection = example::Connection::current();
    is_too_large = is_too_large || connection.over_budget();
    const bool is_too_slow = connection.timed_out();
    Reply reply = relay.reject(is_too_large  ? "the body is too large"
                               : is_too_slow ? too_slow
                                             : "the body is incomplete");
    if (is_too_large) reply.status = 413;
    if (is_too_slow) reply.status = 408;
    answer(response, reply);
    connection.close_after_answer();
    return std::nullopt;
}

bool says_nothing(std::string_view body) {
    std::string said{body};
    std::erase_if(said, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return said.empty() || said == "{}";
}

Reply unreadable_head(Relay& relay, int status) {
    const example::Connection& connection = example::Connection::current();
    const bool is_too_large = connection.over_budget();
    const bool is_too_slow = connection.timed_out();
    Reply reply = relay.reject(is_too_large  ? "the head of the request is too large"
                               : is_too_slow ? too_slow
                                             : "not an HTTP request that can be served");
    reply.status = is_too_large ? 431 : is_too_slow ? 408 : status;
    return reply;
}

} // namespace relay_hub
