// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_BODY_FRAMING_HPP
#define DASHPOT_EXAMPLES_COMMON_BODY_FRAMING_HPP

#include "http_message.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace example {

/// Where the body of a request ends.
struct BodyFraming {
    bool is_chunked = false;
    std::size_t length = 0; ///< if it is not; beyond the range of the type: the highest value
    std::optional<HttpProblem>
        problem{}; ///< that cannot be known, so neither where the next request begins

    [[nodiscard]] bool has_body() const noexcept { return is_chunked || length > 0; }
};

/// Reads Content-Length and Transfer-Encoding: one of them, once, in the one way that all readers
/// understand alike. A request that has neither has no body.
///
/// **Source.** RFC 9112, 6.1 and 6.3.
[[nodiscard]] inline BodyFraming framing_of(const HttpRequest& request) {
    const auto refuse = [](int status, std::string text) {
        return BodyFraming{false, 0, HttpProblem{status, std::move(text)}};
    };
    const std::vector<std::string> lengths = request.fields.all("Content-Length");
    if (request.fields.has("Transfer-Encoding")) {
        if (!lengths.empty()) return refuse(400, "a body with Content-Length and Transfer-Encoding");
        if (request.minor_version == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
        const std::vector<std::string> codings = request.fields.elements("Transfer-Encoding");
        if (std::ranges::count(codings, "chunked") > 1)
            return refuse(400, "a body that is chunked twice");
        if (codings.empty() || codings.back() != "chunked")
            return refuse(400, "the Transfer-Encoding does not end in chunked");
        if (codings.size() > 1) return refuse(501, "no Transfer-Encoding is known but chunked");
        return {.is_chunked = true};
    }
    if (lengths.empty()) return {};
    if (lengths.size() > 1) return refuse(400, "more than one Content-Length");
    const std::string& text = lengths.front();
    if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
        return refuse(400, "the Content-Length is no number");
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    const bool is_out_of_range = error == std::errc::result_out_of_range;
    return {.length = is_out_of_range ? std::numeric_limits<std::size_t>::max() : length};
}

} // namespace example

#endif
