// SPDX-License-Identifier: MIT
// Bytes are what a client sends to a server of examples/common. However they are cut into pieces, they
// are read in one way; and what was accepted, written down plainly, is read as the same again.
#include "finding.hpp"

#include "../../examples/common/body_framing.hpp"
#include "../../examples/common/chunked_body.hpp"
#include "../../examples/common/request_head.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace example;
using fuzz::require;

constexpr std::size_t max_head = 1024;
constexpr std::size_t max_body = 1024;

/// One request, as far as it came.
struct Reading {
    int status = 0; ///< of the refusal; 0: not complete; 200: complete
    std::size_t taken = 0;
    HttpRequest request;
};

Reading read(std::string_view bytes, std::size_t piece) {
    Reading result;
    RequestHead head{max_head};
    const auto next = [&] { return bytes.substr(result.taken, piece); };
    while (!head.is_complete() && !head.problem() && !next().empty()) result.taken += head.feed(next());
    result.request = head.request();
    if (head.problem()) result.status = head.problem()->status;
    if (!head.is_complete() || head.problem()) return result;
    const BodyFraming framing = framing_of(result.request);
    if (framing.problem) result.status = framing.problem->status;
    if (framing.problem || framing.length > max_body) return result;
    std::string& body = result.request.body;
    if (!framing.is_chunked) {
        body = bytes.substr(result.taken, framing.length);
        result.taken += body.size();
        if (body.size() == framing.length) result.status = 200;
        return result;
    }
    ChunkedBody chunks{max_body};
    while (!chunks.is_complete() && !chunks.problem() && !next().empty())
        result.taken += chunks.feed(next(), body);
    if (chunks.problem()) result.status = chunks.problem()->status;
    if (chunks.is_complete()) result.status = 200;
    return result;
}

void require_same(const Reading& a, const Reading& b) {
    require(a.status == b.status && a.taken == b.taken,
            "a request that ends elsewhere when it comes in pieces");
    require(a.request.body == b.request.body, "another body");
    require(a.request.method == b.request.method && a.request.path == b.request.path,
            "another request");
    require(std::ranges::equal(a.request.fields, b.request.fields), "other fields");
}

bool is_plain(std::string_view text) {
    return text.find_first_of(std::string_view{"\0\r\n", 3}) == std::string_view::npos;
}

/// The same request in the one way that no reader takes for another.
std::string plainly(const HttpRequest& request) {
    std::string text = request.method + " " + request.path + " HTTP/1." +
                       std::to_string(request.minor_version) + "\r\n";
    for (const auto& [name, value] : request.fields) {
        require(is_token(name) && is_plain(value), "a field that would be more than one");
        const std::string lower = lower_case(name);
        if (lower != "content-length" && lower != "transfer-encoding")
            text.append(name).append(": ").append(value).append("\r\n");
    }
    return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" + request.body;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const Reading whole = read(bytes, bytes.size());
    require_same(whole, read(bytes, 1));
    require_same(whole, read(bytes, 7));
    if (whole.status != 200 || whole.request.method == "CONNECT") return 0;
    const std::string text = plainly(whole.request);
    if (text.size() > max_head) return 0;
    const Reading again = read(text + "GET", text.size() + 3);
    require(again.status == 200 && again.taken == text.size(),
            "a request that is another when it is plain");
    require(again.request.body == whole.request.body && again.request.path == whole.request.path,
            "a request that reads differently when it is plain");
    return 0;
}
