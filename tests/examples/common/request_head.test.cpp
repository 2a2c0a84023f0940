// SPDX-License-Identifier: MIT
#include "../../../examples/common/request_head.hpp"

#include "catch.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tests::examples_common_request_head {

using example::HttpRequest;
using example::RequestHead;

namespace {

constexpr std::size_t limit = 200;

RequestHead read(std::string_view text) {
    RequestHead head{limit};
    head.feed(text);
    return head;
}

/// The status of the refusal; 0: not complete yet; 200: a good head.
int status(std::string_view text) {
    const RequestHead head = read(text);
    if (head.problem()) return head.problem()->status;
    return head.is_complete() ? 200 : 0;
}

HttpRequest request(std::string_view text) {
    RequestHead head = read(text);
    REQUIRE(head.is_complete());
    REQUIRE_FALSE(head.problem());
    return head.request();
}

std::string with_field(std::string_view field) {
    return "GET / HTTP/1.1\r\nHost: a\r\n" + std::string{field} + "\r\n\r\n";
}

std::string with_target(std::string_view target) {
    return "GET " + std::string{target} + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

} // namespace

TEST_CASE("RequestHead: reads the first line and the fields, however the bytes come", "[http]") {
    const std::string text =
        "POST /a/b?x=1&y=%41+b HTTP/1.1\r\nHost: h:80\r\nX-One:\t1 \r\nx-one: 2\r\n\r\n";
    const auto check = [](const HttpRequest& read) {
        CHECK(read.method == "POST");
        CHECK(read.path == "/a/b");
        CHECK(read.query.at("x") == "1");
        CHECK(read.query.at("y") == "A b");
        CHECK(read.minor_version == 1);
        CHECK(read.fields.all("HOST") == std::vector<std::string>{"h:80"});
        CHECK(read.fields.list("X-One") == "1, 2");
    };
    check(request(text));
    RequestHead in_pieces{limit};
    for (const char c : text) {
        CHECK_FALSE(in_pieces.is_complete());
        CHECK(in_pieces.feed({&c, 1}) == 1);
    }
    REQUIRE(in_pieces.is_complete());
    check(in_pieces.request());
}

TEST_CASE("RequestHead: what follows the head is not taken", "[http]") {
    const std::string text = with_field("A: b");
    RequestHead head{limit};
    CHECK(head.feed(text + "body") == text.size());
    CHECK(head.is_complete());
    CHECK(head.feed("body") == 0);
}

TEST_CASE("RequestHead: empty lines before a request are not its beginning", "[http]") {
    RequestHead head{limit};
    head.feed("\r\n\r\n");
    CHECK_FALSE(head.has_begun());
    head.feed("G");
    CHECK(head.has_begun());
    CHECK(status("\r\n\r\nGET / HTTP/1.0\r\n\r\n") == 200);
}

TEST_CASE("RequestHead: a first line that is wrong is refused when it is complete", "[http]") {
    for (const char* line :
         {"nonsense", "GET /", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
          "GET / a HTTP/1.1", "GET\t/\tHTTP/1.1", "G(T / HTTP/1.1", "GET / http/1.1", "GET / HTTP/1.10",
          "GET / HTTP/11", "GET / HTTP/x.1", "GET /\xc3\xa4 HTTP/1.1", "GET /#a HTTP/1.1",
          "SSH-2.0-OpenSSH_9.2"}) {
        INFO(line);
        CHECK(status(std::string{line} + "\r\n") == 400);
    }
    for (const char* line : {"PRI * HTTP/2.0", "GET / HTTP/0.9", "GET / HTTP/9.9", "GET / HTTP/3.0"}) {
        INFO(line);
        CHECK(status(std::string{line} + "\r\n") == 505);
    }
    CHECK(request("GET / HTTP/1.2\r\nHost: a\r\n\r\n").minor_version == 1);
    CHECK(request("GET / HTTP/1.0\r\n\r\n").minor_version == 0);
    CHECK(request("get / HTTP/1.0\r\n\r\n").method == "get");
}

TEST_CASE("RequestHead: lines end in CRLF and hold no control characters, or are refused at once",
          "[http]") {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {"GET / HTTP/1.1\n"sv, "GET / HTTP/1.1\r\nHost: a\n"sv, "GET / HTTP/1.1\r\nHost: a\rb"sv,
          "GET / HTTP/1.1\r\nHost: a\r\r"sv, "GET / HTTP/1.1\r\nHost: a\0"sv, "GET /\0"sv,
          "GET / HTTP/1.1\r\nX: \x01"sv, "GET / HTTP/1.1\r\nX: \x7f"sv, "\n"sv, "\x16\x03\x01"sv}) {
        INFO(text);
        CHECK(status(text) == 400);
    }
    CHECK(request(with_field("X: \xc3\xa4\tb")).fields.list("x") == "\xc3\xa4\tb");
}

TEST_CASE("RequestHead: a field has a name that ends at its colon, and one line", "[http]") {
    for (const char* field : {"X : a", "X\t: a", ": a", "X", "X a: b", " X: a", "\tX: a", "X:a\r\n b",
                              "Content-Length : 5", "X(: a", "\xc3\xa4: a"}) {
        INFO(field);
        CHECK(status(with_field(field)) == 400);
    }
    CHECK(request(with_field("X:")).fields.all("X") == std::vector<std::string>{""});
}

TEST_CASE("RequestHead: HTTP/1.1 has one Host, and it may be one", "[http]") {
    const auto with_host = [](std::string_view host) {
        return "GET / HTTP/1.1\r\nHost: " + std::string{host} + "\r\n\r\n";
    };
    CHECK(status("GET / HTTP/1.1\r\n\r\n") == 400);
    CHECK(status("GET / HTTP/1.0\r\n\r\n") == 200);
    CHECK(status("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n") == 400);
    CHECK(status(with_field("Host: a")) == 400);
    for (const char* host :
         {"a/b", "a b", "a@b", "http://a", "a:b", "a:1:2", "[::1", "[::1]:x", "a?b"}) {
        INFO(host);
        CHECK(status(with_host(host)) == 400);
    }
    for (const char* host : {"", "a", "a.b-c:80", "a:", "127.0.0.1:9200", "[::1]", "[::1]:80"}) {
        INFO(host);
        CHECK(status(with_host(host)) == 200);
    }
}

TEST_CASE("RequestHead: a target is a path, or a URL whose host counts more than the field", "[http]") {
    HttpRequest absolute = request(with_target("HTTP://b:81/x?y=z"));
    CHECK(absolute.path == "/x");
    CHECK(absolute.query.at("y") == "z");
    CHECK(absolute.fields.all("Host") == std::vector<std::string>{"b:81"});
    CHECK(request(with_target("http://b")).path == "/");
    CHECK(request(with_target("http://b?y")).path == "/");
    CHECK(request(with_target("//b/c")).path == "//b/c");
    CHECK(request(with_target("/http://b")).fields.list("Host") == "a");
    for (const char* target :
         {"a", "*", "?a", "https://b/", "http:///x", "http://u@b/", "ftp://b/", "a:80"}) {
        INFO(target);
        CHECK(status(with_target(target)) == 400);
    }
    CHECK(request("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").path == "*");
}

TEST_CASE("RequestHead: a head as large as it may be is read, one byte more is refused", "[http]") {
    const std::string frame = with_field("X: ");
    const std::string fits = with_field("X: " + std::string(limit - frame.size(), 'a'));
    REQUIRE(fits.size() == limit);
    CHECK(status(fits) == 200);
    CHECK(status(with_field("X: " + std::string(limit - frame.size() + 1, 'a'))) == 431);
    CHECK(status(std::string(limit, '\xff')) == 0);
    CHECK(status(std::string(limit + 1, '\xff')) == 431);
    std::string empty_lines;
    for (int i = 0; i < 200; ++i) empty_lines += "\r\n";
    CHECK(status(empty_lines) == 431);
}

TEST_CASE("HttpRequest: the connection goes on as version and header say", "[http]") {
    const auto goes_on = [](const std::string& version, const std::string& fields) {
        return request("GET / HTTP/" + version + "\r\nHost: a\r\n" + fields + "\r\n").wants_to_go_on();
    };
    CHECK(goes_on("1.1", ""));
    CHECK_FALSE(goes_on("1.0", ""));
    CHECK(goes_on("1.0", "Connection: Keep-Alive\r\n"));
    CHECK(goes_on("1.1", "Connection: upgrade\r\n"));
    for (const char* field :
         {"Connection: close\r\n", "Connection: foo, CLOSE\r\n", "connection: keep-alive ,close\r\n",
          "Connection: a\r\nConnection: Close\r\n"}) {
        INFO(field);
        CHECK_FALSE(goes_on("1.1", field));
        CHECK_FALSE(goes_on("1.0", field));
    }
    CHECK(goes_on("1.1", "Connection: closed\r\n"));
}

} // namespace tests::examples_common_request_head
