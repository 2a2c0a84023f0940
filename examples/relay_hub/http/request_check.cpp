// SPDX-License-Identifier: MIT
#include "request_check.hpp"

#include "../../common/http_fields.hpp"

#include <algorithm>
#include <string>

namespace relay_hub {

using example::HttpProblem;
using example::HttpRequest;

std::optional<HttpProblem> problem_of(const HttpRequest& request, Access access,
                                      const AccessRule& rule) {
    const example::HttpFields& fields = request.fields;
    const RequestFacts facts{request.peer,
                             fields.all("Host"),
                             fields.all("Origin"),
                             fields.all("Sec-Fetch-Site"),
                             fields.all("Content-Type"),
                             fields.all("X-Relay-Hub-Control")};
    const auto [status, text] = rule.refusal(access, facts);
    if (!text.empty()) return HttpProblem{status, std::string{text}};
    for (const std::string& type : facts.content_type)
        if (example::lower_case(type).starts_with("multipart/"))
            return HttpProblem{400, "the body is a form, not JSON"};
    // A compressed body would grow after it was measured.
    const auto codings = fields.elements("Content-Encoding");
    if (std::ranges::any_of(codings, [](const std::string& coding) { return coding != "identity"; }))
        return HttpProblem{400, "the body is encoded"};
    return std::nullopt;
}

} // namespace relay_hub
