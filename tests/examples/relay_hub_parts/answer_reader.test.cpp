// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/answer_reader.hpp"

#include "catch.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tests::examples_relay_hub_answer_reader {

using namespace std::chrono_literals;
using relay_hub::AnswerReader;

namespace {

const std::string body = R"({"code":"0000"})";
const std::string plain = "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n" + body;

/// Feeds it in pieces of `step` bytes, and then the end of the connection.
AnswerReader read(std::string_view bytes, std::size_t step = 1) {
    AnswerReader reader;
    while (!bytes.empty() && !reader.is_done()) {
        const std::string_view piece = bytes.substr(0, step);
        const std::size_t taken = reader.feed(piece);
        CHECK((taken == piece.size() || reader.is_done()));
        bytes.remove_prefix(taken);
    }
    if (!reader.is_done()) reader.end();
    return reader;
}

void check_good(const std::string& bytes, int status = 200) {
    INFO(bytes);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
        AnswerReader reader = read(bytes, step);
        INFO(reader.problem());
        REQUIRE(reader.is_complete());
        CHECK(reader.status() == status);
        CHECK(reader.body() == body);
    }
}

void check_broken(const std::string& bytes, const std::string& problem) {
    INFO(bytes.substr(0, 500));
    for (const std::size_t step : {std::size_t{1}, bytes.size()}) {
        const AnswerReader reader = read(bytes, step);
        REQUIRE(reader.is_broken());
        CHECK(reader.problem() == problem);
    }
}

std::string with(const std::string& fields) { return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body; }

std::string chunked(const std::string& chunks) {
    return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks;
}

constexpr const char* two_lengths = "the answer has two lengths";
constexpr const char* no_number = "the length of the answer is no number";
constexpr const char* too_large = "the answer is too large";
constexpr const char* not_http = "the answer is not HTTP";
constexpr const char* cut_off = "the connection ended before the answer did";

} // namespace

TEST_CASE("AnswerReader: an answer is complete with its last byte, and what follows is not taken") {
    AnswerReader reader;
    CHECK(reader.feed(plain.substr(0, plain.size() - 1)) == plain.size() - 1);
    CHECK_FALSE(reader.is_done());
    CHECK(reader.feed("}HTTP/1.1 200 OK\r\n") == 1);
    CHECK(reader.is_complete());
    CHECK(reader.body() == body);
    CHECK(reader.may_be_kept());
}

TEST_CASE("AnswerReader: the status line may leave out its reason") {
    check_good("HTTP/1.1 200\r\nContent-Length: 15\r\n\r\n" + body);
    check_good("HTTP/1.1 409 \r\nContent-Length: 15\r\n\r\n" + body, 409);
    check_good("HTTP/1.0 200 Fine, thank you \xC3\xA4\r\nContent-Length: 15\r\n\r\n" + body);
    check_good("HTTP/1.1 999 What\r\nContent-Length: 15\r\n\r\n" + body, 999);
    for (const char* line :
         {"SSH-2.0-OpenSSH_9.2", "HTTP/2.0 200 OK", "HTTP/1.x 200 OK", "HTTP/1.1 20 OK",
          "HTTP/1.1 2000 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 099 OK", "HTTP/1.1  200 OK",
          "http/1.1 200 OK", "HTTP/1.1", "HTTP/1.1 200 O\x01K", " HTTP/1.1 200 OK", ""})
        check_broken(std::string{line} + "\r\nContent-Length: 15\r\n\r\n" + body, not_http);
}

TEST_CASE("AnswerReader: what is no HTTP is known at its first byte") {
    AnswerReader reader;
    CHECK(reader.feed("S") == 1);
    CHECK(reader.is_broken());
}

TEST_CASE("AnswerReader: interim answers before the answer are skipped") {
    for (const char* interim :
         {"HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
          "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", "HTTP/1.1 104\r\n\r\n",
          "HTTP/1.1 199 Else\r\nContent-Length: 7\r\nConnection: close\r\nRetry-After: 5\r\n\r\n"}) {
        check_good(interim + plain);
        AnswerReader reader = read(interim + plain);
        CHECK(reader.may_be_kept());
        CHECK(reader.retry_after().empty());
    }
    std::string many;
    for (std::size_t i = 0; i < AnswerReader::max_interim; ++i)
        many +=
            i % 2 == 0 ? "HTTP/1.1 100 Continue\r\n\r\n" : "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n";
    check_good(many + plain);
    check_broken(many + "HTTP/1.1 100 Continue\r\n\r\n" + plain, "too many interim answers");
    check_broken("HTTP/1.1 101 Switching Protocols\r\n\r\n" + plain,
                 "the target changes to another protocol");
    check_broken("HTTP/1.1 100 Continue\r\n\r\n", cut_off);
}

TEST_CASE("AnswerReader: the length must be a number, and one number") {
    check_good(with("Content-Length: 15\r\n"));
    check_good(with("content-length:15\r\n"));
    check_good(with("CONTENT-LENGTH :\t 0015 \r\n"));
    check_good(with("Content-Length: 15\r\nContent-Length: 15\r\n"));
    check_good(with("Content-Length: 15, 15\r\n"));
    for (const char* length :
         {"", "-15", "+15", "0x0f", "0xF", "f", "15 15", "1 5", "15.0", "1e1", "15,", ",15", "15,,15",
          "15;", "\"15\"", "18446744073709551631", "99999999999999999999999"})
        check_broken(with("Content-Length: " + std::string{length} + "\r\n"), no_number);
    check_broken(with("Content-Length: 15\r\nContent-Length: 16\r\n"), two_lengths);
    check_broken(with("Content-Length: 15\r\nX: y\r\ncontent-length: 14\r\n"), two_lengths);
    check_broken(with("Content-Length: 15, 16\r\n"), two_lengths);
    check_broken(with("Content-Length: 1\r\n 5\r\n"), no_number);
}

TEST_CASE("AnswerReader: a length and chunks are two lengths") {
    check_broken(with("Content-Length: 15\r\nTransfer-Encoding: chunked\r\n"), two_lengths);
    check_broken(with("Transfer-Encoding: chunked\r\nContent-Length: 15\r\n"), two_lengths);
}

TEST_CASE("AnswerReader: chunks are the only transfer coding") {
    constexpr const char* unknown = "the answer has a transfer coding that the hub does not know";
    for (const char* coding :
         {"gzip", "gzip, chunked", "chunked, gzip", "identity", "", "chunked, chunked", "chunked;q=1",
          "xchunked", "chunked\r\nTransfer-Encoding: chunked"})
        check_broken(with("Transfer-Encoding: " + std::string{coding} + "\r\n"), unknown);
    check_broken("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n" + body + "\r\n0\r\n\r\n",
                 "the answer has a transfer coding that its version of HTTP does not know");
}

TEST_CASE("AnswerReader: chunks may have extensions and a trailer, and neither matters") {
    check_good(chunked("f\r\n" + body + "\r\n0\r\n\r\n"));
    check_good(chunked("8\r\n{\"code\":\r\n07\r\n\"0000\"}\r\n000\r\n\r\n"));
    check_good(chunked("F;a=b;c=\"d\"\r\n" + body + "\r\n0 ; last\r\n\r\n"));
    check_good(chunked("f\r\n" + body + "\r\n0\r\nServer-Timing: db;dur=3\r\n\r\n"));
    check_good(
        chunked("f\r\n" + body +
                "\r\n0\r\nContent-Length: 3\r\nConnection: close\r\nTransfer-Encoding: x\r\n\r\n"));
    AnswerReader reader = read(chunked("f\r\n" + body + "\r\n0\r\nA: b\r\nC: d\r\n e\r\n\r\nmore"));
    CHECK(reader.is_complete());
    CHECK(reader.may_be_kept());

    for (const char* size : {"", "-f", "+f", "0xf", "f f", "g", "fffffffffffffffff"})
        check_broken(chunked(std::string{size} + "\r\n" + body + "\r\n0\r\n\r\n"),
                     "the size of a chunk is no number");
    check_broken(chunked("e\r\n" + body + "\r\n0\r\n\r\n"),
                 "a chunk of the answer does not end where it says");
    check_broken(chunked("f\n" + body + "\n0\n\n"), not_http);
    check_broken(chunked("f\r\n" + body + "\r\n0\r\nno field\r\n\r\n"), not_http);
    check_broken(chunked("f\r\n" + body + "\r\n"), cut_off);
    check_broken(chunked("f\r\n" + body + "\r\n0\r\n"), cut_off);
    check_broken(chunked("f\r\n" + body + "\r\n0\r\nA: b\r\n"), cut_off);
}

TEST_CASE("AnswerReader: without a length the end of the connection ends the body") {
    check_good(with("Server: x\r\n"));
    AnswerReader reader = read(with(""));
    CHECK(reader.is_complete());
    CHECK_FALSE(reader.may_be_kept());
    check_broken(plain.substr(0, plain.size() - 1), cut_off);
    check_broken("HTTP/1.1 200 OK\r\nContent-Le", cut_off);
    CHECK(read("").problem() == cut_off);
}

TEST_CASE("AnswerReader: some answers have no body, whatever they say") {
    for (const char* status : {"204 No Content", "304 Not Modified"}) {
        AnswerReader reader;
        const std::string head = "HTTP/1.1 " + std::string{status} + "\r\nContent-Length: 15\r\n\r\n";
        CHECK(reader.feed(head + body) == head.size());
        CHECK(reader.is_complete());
        CHECK(reader.body().empty());
    }
}

TEST_CASE("AnswerReader: fields are lines with a name") {
    // A name is ASCII, a value need not be.
    check_good(with("X-Empty:\r\nX-Fold: a\r\n\tb\r\n  c\r\nContent-Length: 15\r\nX: \xC3\xA4\r\n"));
    for (const char* line : {"no colon", ": no name", "two words: x", "X\x7F: y", "X: a\x01",
                             "X: a\rY: b", "X-\xC3\xA4: y"})
        check_broken(with(std::string{line} + "\r\nContent-Length: 15\r\n"), not_http);
    check_broken(with(std::string("X: a\0b\r\nContent-Length: 15\r\n", 29)), not_http);
    check_broken("HTTP/1.1 200 OK\r\n folded\r\n\r\n", not_http);
    check_broken("HTTP/1.1 200 OK\nContent-Length: 15\n\n" + body, not_http);
}

TEST_CASE("AnswerReader: heads, bodies and chunks are bounded") {
    const std::string at_most(AnswerReader::max_body, ' ');
    const std::string length = std::to_string(at_most.size());
    CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n" + at_most, 65536)
              .is_complete());
    CHECK(read("HTTP/1.1 200 OK\r\n\r\n" + at_most, 65536).is_complete());
    CHECK(read("HTTP/1.1 200 OK\r\n\r\n" + at_most + " ", 65536).problem() == too_large);
    CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n").problem() == too_large);
    CHECK(read(chunked("100000\r\n" + at_most + "\r\n0\r\n\r\n"), 65536).is_complete());
    CHECK(read(chunked("100000\r\n" + at_most + "\r\n1\r\n \r\n"), 65536).problem() == too_large);

    const std::string field = "X: " + std::string(8000, 'x') + "\r\n";
    CHECK(read(with(field + "Content-Length: 15\r\n"), 100).is_complete());
    CHECK(read(with(field + field), 100).problem() == too_large);
    CHECK(read("HTTP/1.1 103 Hints\r\n" + field + "\r\n" + plain, 100).is_complete());
    CHECK(read(chunked("f\r\n" + body + "\r\n0\r\n" + field + "\r\n"), 100).is_complete());
    CHECK(read(chunked("f\r\n" + body + "\r\n0\r\n" + field + field + "\r\n"), 100).problem() ==
          too_large);
    std::string tiny;
    while (tiny.size() < 4 * AnswerReader::max_framing) tiny += "1\r\n \r\n";
    CHECK(read(chunked(tiny + "0\r\n\r\n"), 100).is_complete());
    std::string padded;
    const std::string extension = ";a=" + std::string(100, 'x');
    while (padded.size() < 2 * AnswerReader::max_framing) padded += "1" + extension + "\r\n \r\n";
    CHECK(read(chunked(padded), 100).problem() == too_large);
}

TEST_CASE("AnswerReader: whether a connection may be kept is said by version, options and length") {
    const auto is_kept = [](const std::string& version, const std::string& fields) {
        const AnswerReader reader =
            read("HTTP/" + version + " 200 OK\r\n" + fields + "Content-Length: 15\r\n\r\n" + body);
        REQUIRE(reader.is_complete());
        return reader.may_be_kept();
    };
    CHECK(is_kept("1.1", ""));
    CHECK(is_kept("1.1", "Connection: keep-alive\r\n"));
    CHECK(is_kept("1.1", "Connection: X-Else\r\n"));
    CHECK_FALSE(is_kept("1.1", "Connection: close\r\n"));
    CHECK_FALSE(is_kept("1.1", "Connection: x, Close\r\n"));
    CHECK_FALSE(is_kept("1.1", "Connection: keep-alive\r\nConnection: close\r\n"));
    CHECK_FALSE(is_kept("1.1", "Keep-Alive: timeout=5, max=0\r\n"));
    CHECK_FALSE(is_kept("1.0", ""));
    CHECK(is_kept("1.0", "Connection: Keep-Alive\r\n"));
}

TEST_CASE("AnswerReader: a target may say for how long it keeps connections") {
    const auto kept_for = [](const std::string& value) {
        return read(with("Keep-Alive: " + value + "\r\nContent-Length: 15\r\n")).kept_for();
    };
    CHECK(kept_for("timeout=5, max=100") == 5s);
    CHECK(kept_for("max=100,TIMEOUT=15") == 15s);
    CHECK(kept_for("timeout=99999999999") == 86400s);
    CHECK_FALSE(kept_for("timeout=-5"));
    CHECK_FALSE(kept_for("timeout="));
    CHECK_FALSE(kept_for("max=100"));
    CHECK(read(with("Keep-Alive: max=9\r\nContent-Length: 15\r\n")).says_kept());
    CHECK(read(with("Connection: keep-alive\r\nContent-Length: 15\r\n")).says_kept());
    CHECK_FALSE(read(plain).says_kept());
}

TEST_CASE("AnswerReader: a Retry-After is taken if it is one, and the only one") {
    const auto retry_after = [](const std::string& fields) {
        return read(with(fields + "Content-Length: 15\r\n")).retry_after();
    };
    CHECK(retry_after("").empty());
    CHECK(retry_after("Retry-After: 30\r\n") == "30");
    CHECK(retry_after("retry-after:\t0 \r\n") == "0");
    CHECK(retry_after("Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n") ==
          "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(retry_after("Retry-After: soon\r\n").empty());
    CHECK(retry_after("Retry-After: 30\r\nRetry-After: 60\r\n").empty());
}

} // namespace tests::examples_relay_hub_answer_reader
