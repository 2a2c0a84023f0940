// SPDX-License-Identifier: MIT
#include "../../../examples/common/chunked_body.hpp"

#include "catch.hpp"

#include <string>
#include <string_view>

namespace tests::examples_common_chunked_body {

using example::ChunkedBody;

namespace {

constexpr std::size_t limit = 20;

struct Result {
    int status; ///< of the refusal; 0: not complete yet; 200: a good body
    std::string body;
    std::size_t taken;
};

int status_of(const ChunkedBody& chunks) {
    if (chunks.problem()) return chunks.problem()->status;
    return chunks.is_complete() ? 200 : 0;
}

Result read(std::string_view text) {
    ChunkedBody chunks{limit};
    std::string body;
    const std::size_t taken = chunks.feed(text, body);
    return {status_of(chunks), body, taken};
}

} // namespace

TEST_CASE("ChunkedBody: reads chunks, however the bytes come", "[http]") {
    const std::string text = "5\r\nhello\r\n00a\r\n, 2 worlds\r\n0\r\n\r\n";
    const Result whole = read(text + "next");
    CHECK(whole.status == 200);
    CHECK(whole.body == "hello, 2 worlds");
    CHECK(whole.taken == text.size());
    ChunkedBody in_pieces{limit};
    std::string body;
    for (const char c : text) {
        CHECK(status_of(in_pieces) == 0);
        CHECK(in_pieces.feed({&c, 1}, body) == 1);
    }
    CHECK(in_pieces.is_complete());
    CHECK(body == "hello, 2 worlds");
}

TEST_CASE("ChunkedBody: extensions and trailers are no part of the body, and no fault", "[http]") {
    CHECK(read("1;a\r\nx\r\n0;b=\"c;d\"\r\nX-Sum: 1\r\nY:\r\n\r\n").body == "x");
    CHECK(read("1;a\r\nx\r\n0;b=\"c;d\"\r\nX-Sum: 1\r\nY:\r\n\r\n").status == 200);
    CHECK(read("1 ; a = b\r\nx\r\n0\r\n\r\n").status == 200);
    CHECK(read("0\r\n\r\n").status == 200);
}

TEST_CASE("ChunkedBody: a size that is none is refused", "[http]") {
    for (const char* line :
         {"", "x", "-1", "+1", " 1", "0x1", "1 ", "1 x", "1x", "1,", "1;", "1;=a", "1; ", "\xd9\xa1"}) {
        INFO(line);
        CHECK(read(std::string{line} + "\r\n").status == 400);
    }
}

TEST_CASE("ChunkedBody: a line that does not end in CRLF is refused at once", "[http]") {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {"1\n"sv, "1\rx"sv, "1\r\nx\n"sv, "1\r\nxy"sv, "1\r\nx\ry"sv, "1\r\nx0\r\n"sv, "1;a\n"sv,
          "0\r\n\n"sv, "0\r\nA: b\n"sv, "0\r\n\ra"sv, "1;\0a"sv, "0\r\nA: \x01"sv}) {
        INFO(text);
        CHECK(read(text).status == 400);
    }
}

TEST_CASE("ChunkedBody: a trailer without a name is refused", "[http]") {
    for (const char* line : {"x", ": x", " X: a", "X : a", "X y: a"}) {
        INFO(line);
        CHECK(read("0\r\n" + std::string{line} + "\r\n").status == 400);
    }
}

TEST_CASE("ChunkedBody: chunks together may be as large as the limit, and one byte more is refused",
          "[http]") {
    CHECK(read("a\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n").status == 200);
    CHECK(read("a\r\n0123456789\r\nb\r\n").status == 413);
    CHECK(read("15\r\n").status == 413);
    CHECK(read("ffffffffffffffff\r\n").status == 413);
    CHECK(read("fffffffffffffffff\r\n").status == 413);
}

TEST_CASE("ChunkedBody: what comes on top of the body has a limit, in one line and in all", "[http]") {
    CHECK(read("1;" + std::string(ChunkedBody::max_line, 'a')).status == 413);
    std::string trailers = "0\r\n";
    while (trailers.size() < ChunkedBody::max_framing) trailers += "A: b\r\n";
    CHECK(read(trailers + "A: b\r\n").status == 413);
    CHECK(read(trailers.substr(0, 30'003) + "\r\n\r\n").status == 200);
}

TEST_CASE("ChunkedBody: a body of small chunks may be as large as one of large chunks", "[http]") {
    constexpr std::size_t size = 100'000;
    std::string bytes;
    for (std::size_t i = 0; i != size; ++i) bytes += "1\r\nx\r\n";
    bytes += "0\r\n\r\n";
    ChunkedBody reader{size};
    std::string body;
    CHECK(reader.feed(bytes, body) == bytes.size());
    CHECK(reader.is_complete());
    CHECK(body.size() == size);
}

} // namespace tests::examples_common_chunked_body
