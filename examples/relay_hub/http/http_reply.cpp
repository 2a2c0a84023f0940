// SPDX-License-Identifier: MIT
#include "http_reply.hpp"

#include <string>
#include <utility>

namespace relay_hub {

void answer(example::HttpResponse& response, Reply reply) {
    response.status = reply.status;
    if (!reply.retry_after.empty()) response.fields.set("Retry-After", reply.retry_after);
    response.set_body(std::move(reply.body), "application/json");
}

bool says_nothing(std::string_view body) {
    std::string said{body};
    std::erase_if(said, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    return said.empty() || said == "{}";
}

} // namespace relay_hub
