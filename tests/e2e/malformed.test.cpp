// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

namespace tests::e2e_malformed {

using namespace e2e;

namespace {

std::string post_head(const std::string& headers) {
    return "POST /tx HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
}

std::string with_body(const std::string& body, const std::string& headers = {}) {
    return post_head(headers + "Content-Length: " + std::to_string(body.size()) + "\r\n") + body;
}

const std::string good = R"({"target":"CORE"})";

} // namespace

TEST_CASE("RelayHub: a body that is no request is E400, and no target receives it") {
    Rig rig;
    rig.start_hub();
    const std::vector<std::string> bodies{
        "",
        "nonsense",
        "{\"target\":\"CORE\"",
        "{\"target\":\"CORE\"} and more",
        "{'target':'CORE'}",
        "[]",
        "\"CORE\"",
        "null",
        "42",
        "{}",
        "[{\"target\":\"CORE\"}]",
        "{\"target\":null}",
        "{\"target\":1}",
        "{\"target\":[\"CORE\"]}",
        "{\"target\":{\"target\":\"CORE\"}}",
        "{\"TARGET\":\"CORE\"}",
        "{\"target\":\"CORE\",\"target\":\"CLAIM\"}",
        "{\"target\":\"CORE\",\"note\":\"\xff\xfe\"}",
        "{\"target\":\"CO\xc3\"}",
        std::string{"{\"target\":\"CORE\"}\0", 18},
        std::string{"{\"target\":\"CORE\"}\0, and more", 28},
        "{\"target\":\"CORE\",\"deep\":" + std::string(100, '[') + std::string(100, ']') + "}",
        std::string(500'000, '['),
        std::string(1'000'000, 'x'),
    };
    for (const std::string& body : bodies) {
        INFO(body.substr(0, 80));
        const HttpAnswer answer = rig.post(body);
        CHECK(answer.status == 400);
        CHECK(answer.code() == "E400");
    }
    CHECK(rig.health().at("malformed") == bodies.size());
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(rig.stats("CLAIM").at("calls") == 0);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: a body may be large, but not too large") {
    Rig rig;
    rig.start_hub();
    const json fits{{"target", "CORE"}, {"note", std::string(1'000'000, 'x')}};
    CHECK(rig.post(fits.dump()).code() == "0000");
    const json too_large{{"target", "CORE"}, {"note", std::string(3'000'000, 'x')}};
    const HttpAnswer answer = rig.post(too_large.dump());
    CHECK(answer.status == 413);
    CHECK(answer.code() == "E400");
    CHECK(rig.stats("CORE").at("calls") == 1);
}

TEST_CASE("RelayHub: what is hardly HTTP is refused, and the connection ends") {
    Rig rig;
    rig.start_hub();
    const std::string megabytes(4'000'000, 'A');
    const std::vector<std::string> requests{
        "nonsense\r\n\r\n",
        "POST /tx\r\n\r\n",
        "POST /tx HTTP/9.9\r\n\r\n",
        post_head("Content-Length: nonsense\r\n") + good,
        post_head("Content-Length: 18446744073709551615\r\n") + good,
        post_head("Content-Length: 99999999999999999999999\r\n") + good,
        post_head("Content-Length: 17\r\nContent-Length: 17\r\n") + good,
        post_head("Content-Length: 17\r\nTransfer-Encoding: chunked\r\n") + good,
        post_head("Transfer-Encoding: chunked\r\n") + "zz\r\n",
        post_head("Transfer-Encoding: chunked\r\n") + "fffffffffffffffff\r\n",
        with_body("--x\r\n\r\n--x--", "Content-Type: multipart/form-data; boundary=x\r\n"),
        with_body("\x1f\x8b\x08", "Content-Encoding: gzip\r\n"),
        with_body(good, "Content-Encoding: br\r\n"),
        "GET /tx HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "PUT /tx HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nX-Long: " + std::string(20'000, 'a') + "\r\n\r\n",
        megabytes,
        "GET /" + megabytes,
        post_head("Transfer-Encoding: chunked\r\n") + "3d0900\r\n" + megabytes + "\r\n0\r\n\r\n",
    };
    for (const std::string& request : requests) {
        INFO(request.substr(0, 120));
        const RawConnection connection{rig.hub().port()};
        connection.send(request);
        const std::string answer = connection.receive();
        // Where there is nothing to answer, or nobody who listens, closing is all that can be done.
        CHECK((answer.empty() || answer.find("\r\nConnection: close\r\n") != std::string::npos));
        CHECK((answer.empty() || answer.starts_with("HTTP/1.1 4") ||
               answer.starts_with("HTTP/1.1 501 ") || answer.starts_with("HTTP/1.1 505 ")));
        REQUIRE(rig.health().at("status") == "ok");
    }
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: a request that was refused unread is not taken for the next one") {
    Rig rig;
    rig.start_hub();
    const RawConnection connection{rig.hub().port()};
    connection.send("POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n" +
                    with_body(good));
    const std::string answer = connection.receive();
    CHECK(answer.starts_with("HTTP/1.1 404"));
    CHECK(answer.find("HTTP/1.1", 1) == std::string::npos);
    CHECK(rig.stats("CORE").at("calls") == 0);
}

TEST_CASE("RelayHub: good requests may share a connection, and come in pieces") {
    Rig rig;
    rig.start_hub();
    const RawConnection connection{rig.hub().port()};
    for (int i = 0; i < 20; ++i) {
        connection.send(post_head("Content-Length: " + std::to_string(good.size()) + "\r\n"));
        connection.send(good.substr(0, 3));
        connection.send(good.substr(3));
        REQUIRE(connection.receive("0000\"}").starts_with("HTTP/1.1 200"));
    }
    connection.send(post_head("Transfer-Encoding: chunked\r\n") + "11\r\n" + good + "\r\n0\r\n\r\n");
    REQUIRE(connection.receive("0000\"}").starts_with("HTTP/1.1 200"));
    connection.send(post_head("Expect: 100-continue\r\nContent-Length: 17\r\n"));
    REQUIRE(connection.receive("\r\n\r\n").starts_with("HTTP/1.1 100"));
    connection.send(good);
    REQUIRE(connection.receive("0000\"}").starts_with("HTTP/1.1 200"));
    CHECK(rig.stats("CORE").at("calls") == 22);
    CHECK(rig.health().at("malformed") == 0);
}

TEST_CASE("RelayHub: a request that never ends is given up") {
    Rig rig;
    rig.start_hub();
    const RawConnection in_the_head{rig.hub().port()};
    const RawConnection in_the_body{rig.hub().port()};
    in_the_head.send("POST /tx HTTP/1.1\r\nX-Begun: ");
    in_the_body.send(post_head("Content-Length: 1000\r\n") + "{");
    CHECK(rig.call("CORE").code() == "0000");
    // It ends by itself, after the time for reading one request.
    CHECK(in_the_body.receive().find("E400") != std::string::npos);
    static_cast<void>(in_the_head.receive());
    CHECK(rig.stats("CORE").at("calls") == 1);
}

} // namespace tests::e2e_malformed
