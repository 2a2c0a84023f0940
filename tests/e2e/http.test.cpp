// SPDX-License-Identifier: MIT
// The hub as a server of HTTP: what it promises of a connection is so, and each request ends in one
// place. The readers of heads and bodies have tests of their own, tests/examples/common.
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <algorithm>
#include <csignal>

namespace tests::e2e_http {

using namespace e2e;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

const std::string host = "Host: localhost\r\n";
const std::string close_please = "Connection: close\r\n";
const std::string good = R"({"target":"CORE"})";
const std::string command_fields =
    host + "X-Relay-Hub-Control: 1\r\nContent-Type: application/json\r\n";

std::string get(const std::string& path, const std::string& fields = {}) {
    return "GET " + path + " HTTP/1.1\r\n" + host + fields + "\r\n";
}

std::string post(const std::string& fields, const std::string& body = {}) {
    return "POST /tx HTTP/1.1\r\n" + host + fields + "\r\n" + body;
}

std::string post_good(const std::string& fields = {}) {
    return post(fields + "Content-Length: " + std::to_string(good.size()) + "\r\n", good);
}

bool has(const std::string& answer, const std::string& line) {
    return answer.find("\r\n" + line + "\r\n") != std::string::npos;
}

/// Sends it and receives what comes until the hub closes.
std::string answer_to(int port, const std::string& text) {
    const RawConnection connection{port};
    connection.send(text);
    return connection.receive();
}

/// The head of the answer to a request that leaves the connection open.
std::string head_of(const RawConnection& connection, const std::string& request) {
    connection.send(request);
    const std::string received = connection.receive("\r\n\r\n");
    return received.substr(0, received.find("\r\n\r\n") + 4);
}

std::string status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? answer.substr(9, 3) : "none: " + answer;
}

} // namespace

TEST_CASE("RelayHub: an answer after which the connection ends says so and promises nothing") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    const std::string some = "Content-Length: 2\r\n\r\n{}";
    const std::vector<std::pair<std::string, std::string>> refused{
        {"400", post("Content-Length: x\r\n")},
        {"403", "POST /targets/CORE/reset HTTP/1.1\r\n" + host + some},
        {"404", "POST /nowhere HTTP/1.1\r\n" + host + some},
        {"405", "PUT /tx HTTP/1.1\r\n" + host + some},
        {"408", post("Content-Length: 1000\r\n", "{")},
        {"413", post("Content-Length: 9999999\r\n")},
        {"415", "POST /targets/CORE/reset HTTP/1.1\r\n" + host + "X-Relay-Hub-Control: 1\r\n" + some},
        {"417", post_good("Expect: a miracle\r\n")},
        {"431", get("/" + std::string(9'000, 'a'))},
        {"501", post("Transfer-Encoding: gzip, chunked\r\n")},
        {"505", "GET / HTTP/2.0\r\n"},
        {"200", post_good(close_please)},
        {"200", post_good("Connection: foo, Close\r\n")},
        {"200", "GET /healthz HTTP/1.0\r\n\r\n"},
        {"200", "GET /healthz HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"},
    };
    for (const auto& [status, request] : refused) {
        INFO(request.substr(0, 60));
        const std::string answer = answer_to(port, request + get("/healthz"));
        CHECK(status_of(answer) == status);
        CHECK(has(answer, "Connection: close"));
        CHECK(answer.find("Keep-Alive") == std::string::npos);
        // What follows it is not answered.
        CHECK(answer.find("HTTP/1.1 ", 1) == std::string::npos);
    }
}

TEST_CASE("RelayHub: an answer that does not say so is followed by the next, refusals too") {
    Rig rig;
    rig.start_hub();
    const RawConnection connection{rig.hub().port()};
    const std::vector<std::pair<std::string, std::string>> requests{
        {"200", post_good()},
        {"404", get("/favicon.ico")},
        {"405", "DELETE /targets HTTP/1.1\r\n" + host + "\r\n"},
        {"403", "POST /targets/CORE/reset HTTP/1.1\r\n" + host + "\r\n"},
        {"501", "get /targets HTTP/1.1\r\n" + host + "\r\n"},
        {"400", post("")},
        {"200", "\r\n" + get("/healthz")},
        {"200", "GET /healthz HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"},
    };
    for (const auto& [status, request] : requests) {
        INFO(request.substr(0, 60));
        REQUIRE(connection.send(request));
        const std::string answer = connection.receive("}");
        CHECK(status_of(answer) == status);
        CHECK_FALSE(has(answer, "Connection: close"));
        CHECK(has(answer, "Keep-Alive: timeout=5"));
        CHECK(has(answer, "Connection: keep-alive") == (request.find("HTTP/1.0") != std::string::npos));
    }
}

TEST_CASE(
    "RelayHub: a body ends in one place, or the request is refused at once and carried out never") {
    Rig rig;
    rig.start_hub();
    const std::string chunks = "11\r\n" + good + "\r\n0\r\n\r\n";
    const std::vector<std::pair<std::string, std::string>> requests{
        {"400", post("Transfer-Encoding: identity\r\n", good)},
        {"400", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunks)},
        {"501", post("Transfer-Encoding: gzip, chunked\r\n", chunks)},
        {"400", post("Transfer-Encoding: chunked\r\nContent-Length: 17\r\n", chunks)},
        {"400", post("Content-Length: 17\r\nContent-Length: 18\r\n", good + " ")},
        {"400", post("Content-Length : 17\r\n", good)},
        {"400", post("X: a\r\n b\r\nContent-Length: 17\r\n", good)},
        {"400", post("Content-Length: 17\n", good)},
        {"400", post(std::string{"X: a\0b\r\nContent-Length: 17\r\n", 28}, good)},
        {"400", post(host + "Content-Length: 17\r\n", good)},
        {"400", "POST /tx HTTP/1.1\r\nContent-Length: 17\r\n\r\n" + good},
        {"400", "POST /tx HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks},
        {"400", post("Transfer-Encoding: chunked\r\n", "11 x\r\n" + good + "\r\n0\r\n\r\n")},
        {"400", post("Transfer-Encoding: chunked\r\n", "11\r\n" + good + "0\r\n\r\n")},
        {"400", post("Transfer-Encoding: chunked\r\n", "11\r\n" + good + "\r\n0\r\nno name\r\n\r\n")},
        {"505", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
    };
    for (const auto& [status, request] : requests) {
        INFO(request.substr(0, 100));
        const auto begin = steady_clock::now();
        const std::string answer = answer_to(rig.hub().port(), request + post_good());
        CHECK(status_of(answer) == status);
        CHECK(answer.find("HTTP/1.1 ", 1) == std::string::npos);
        CHECK(steady_clock::now() - begin < 3s); // a time-out would be 5 s
    }
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(rig.health().at("malformed") == requests.size());
}

TEST_CASE("RelayHub: trailers, extensions, a URL as target and empty lines before it are no fault") {
    Rig rig;
    rig.start_hub();
    const std::string port = std::to_string(rig.hub().port());
    const std::string chunked = "Transfer-Encoding: Chunked\r\n";
    const RawConnection connection{rig.hub().port()};
    for (const std::string& request :
         {post(chunked, "11;a=\"b\"\r\n" + good + "\r\n0\r\nX-Sum: 1\r\n\r\n"), "\r\n" + post_good(),
          "POST http://localhost:" + port +
              "/tx?x=y HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 17" + "\r\n\r\n" + good,
          post(chunked, "1\r\n{\r\n10\r\n" + good.substr(1) + "\r\n0\r\n\r\n")}) {
        INFO(request);
        REQUIRE(connection.send(request));
        CHECK(status_of(connection.receive("0000\"}")) == "200");
    }
    // The host in a URL is the one that counts.
    CHECK(status_of(answer_to(rig.hub().port(), get("http://evil.example/healthz", close_please))) ==
          "403");
    CHECK(rig.stats("CORE").at("calls") == 4);
}

TEST_CASE("RelayHub: a client that expects 100 gets it, or the refusal in its place") {
    Rig rig;
    rig.start_hub();
    const std::string expects = "Expect: 100-Continue\r\n";
    const RawConnection connection{rig.hub().port()};
    CHECK(head_of(connection, post(expects + "Content-Length: 17\r\n")) ==
          "HTTP/1.1 100 Continue\r\n\r\n");
    connection.send(good);
    CHECK(status_of(connection.receive("0000\"}")) == "200");
    // With the body there, or none to come, there is nothing to wait for.
    connection.send(post_good(expects));
    CHECK(status_of(connection.receive("0000\"}")) == "200");
    CHECK(status_of(head_of(connection, post(expects))) == "400");
    for (const auto& [status, request] : std::vector<std::pair<std::string, std::string>>{
             {"413", post(expects + "Content-Length: 2000000\r\n")},
             {"404", "POST /nowhere HTTP/1.1\r\n" + host + expects + "Content-Length: 17\r\n\r\n"}}) {
        const std::string answer = answer_to(rig.hub().port(), request);
        CHECK(status_of(answer) == status);
        CHECK(has(answer, "Connection: close"));
    }
}

TEST_CASE("RelayHub: HEAD answers what GET does, without the body, and the connection goes on") {
    Rig rig;
    rig.start_hub();
    const auto fields = [](std::string head) {
        // Times and hop-by-hop fields aside. The length of what counts changes.
        for (const char* name :
             {"Date: ", "Content-Length: ", "Connection: ", "Keep-Alive: ", "Transfer-Encoding: "}) {
            const auto begin = head.find(name);
            if (begin != std::string::npos) head.erase(begin, head.find("\r\n", begin) + 2 - begin);
        }
        return head;
    };
    const RawConnection connection{rig.hub().port()};
    for (const char* path : {"/", "/targets", "/targets/CORE/history", "/metrics", "/healthz",
                             "/readyz", "/events", "/targets/NONE/history"}) {
        INFO(path);
        const std::string head =
            head_of(connection, "HEAD " + std::string{path} + " HTTP/1.1\r\n" + host + "\r\n");
        const RawConnection other{rig.hub().port()};
        CHECK(fields(head) == fields(head_of(other, get(path))));
        CHECK_FALSE(has(head, "Connection: close"));
        CHECK(status_of(head_of(connection, "HEAD /tx HTTP/1.1\r\n" + host + "\r\n")) == "405");
    }
    connection.send(get("/healthz"));
    CHECK(connection.receive("}").starts_with("HTTP/1.1 200 "));
}

TEST_CASE("RelayHub: the answer to another method names those there are, of a path and of the hub") {
    Rig rig;
    rig.start_hub();
    const RawConnection connection{rig.hub().port()};
    const auto check_allowed = [&](const std::string& line, const std::string& methods) {
        INFO(line);
        connection.send(line + " HTTP/1.1\r\n" + host + "\r\n");
        const std::string answer = connection.receive("}");
        CHECK(status_of(answer) == "405");
        CHECK(has(answer, "Allow: " + methods));
    };
    check_allowed("OPTIONS /targets", "GET, HEAD");
    check_allowed("TRACE /tx", "POST");
    check_allowed("OPTIONS /targets/CORE/history", "GET, HEAD, POST"); // which would be a command
    check_allowed("OPTIONS *", "POST, GET, HEAD");
}

TEST_CASE("RelayHub: nothing that changes is kept by a cache, and no answer is compressed") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    for (const std::string& request :
         {get("/targets", close_please), get("/targets/CORE/history", close_please),
          get("/metrics", close_please), get("/healthz", close_please), get("/readyz", close_please),
          get("/nowhere", close_please), get("/targets", close_please + host), post_good(close_please),
          post("Content-Length: x\r\n"), "PUT /tx HTTP/1.1\r\n" + host + close_please + "\r\n",
          "POST /targets/CORE/reset HTTP/1.1\r\n" + command_fields + close_please + "\r\n",
          "POST /targets/CORE/nonsense HTTP/1.1\r\n" + command_fields + close_please + "\r\n"}) {
        INFO(request);
        const std::string answer = answer_to(port, request);
        CHECK(has(answer, "Cache-Control: no-store"));
        CHECK(has(answer, "X-Content-Type-Options: nosniff"));
        CHECK(answer.find("\r\nDate: ") != std::string::npos);
    }
    const RawConnection events{port};
    CHECK(has(head_of(events, get("/events")), "Cache-Control: no-store"));
    CHECK(has(answer_to(port, get("/", close_please)), "Cache-Control: no-cache"));
    for (const char* coding : {"gzip", "gzip;q=0", "identity", "br, gzip;q=0.5, *;q=0", "*;q=0"})
        CHECK(answer_to(port, get("/", close_please + "Accept-Encoding: " + coding + "\r\n"))
                  .ends_with("</html>\n"));
}

TEST_CASE("RelayHub: a command needs no body and no length, nor does any other POST of the programs") {
    Rig rig;
    rig.start_hub();
    for (const char* command : {"force-open", "reset", "disable", "metrics-only"})
        CHECK(status_of(answer_to(rig.hub().port(), "POST /targets/CORE/" + std::string{command} +
                                                        " HTTP/1.1\r\n" + command_fields +
                                                        close_please + "\r\n")) == "200");
    const auto post_to = [](const RawConnection& there, const std::string& path) {
        there.send("POST " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        return status_of(
            there.receive("\n")); // an answer ends in a line or a brace; the status is enough
    };
    for (const auto& [path, status] : std::vector<std::pair<std::string, std::string>>{
             {"/_reset", "200"}, {"/tx", "200"}, {"/_ctl", "400"}, {"/_stats", "405"}}) {
        INFO(path);
        const RawConnection fresh{rig.target("CORE").port()};
        CHECK(post_to(fresh, path) == status);
    }
    const Service flaky{
        program("flaky_service"), {"--listen", "127.0.0.1:0"}, rig.directory() / "f.err"};
    const RawConnection to_flaky{flaky.port()};
    CHECK(post_to(to_flaky, "/fast") == "405");
}

TEST_CASE("RelayHub: a signal waits for no request that is half sent, and the last answer says close") {
    Rig rig;
    rig.start_hub({"--call-timeout", "30"});
    rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 600}});
    const int port = rig.hub().port();
    const RawConnection in_the_head{port};
    const RawConnection in_the_body{port};
    const RawConnection in_a_chunk{port};
    const RawConnection refused{port};
    const RawConnection whole{port};
    in_the_head.send("POST /tx HTTP/1.1\r\nHost: lo");
    in_the_body.send(post("Content-Length: 100\r\n", "{"));
    in_a_chunk.send(post("Transfer-Encoding: chunked\r\n", "11\r\n{"));
    refused.send("POST /nowhere HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n{");
    whole.send(post_good());
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    REQUIRE(refused.receive("}").starts_with("HTTP/1.1 404 "));
    const auto begin = steady_clock::now();
    rig.hub().process().send_signal(SIGTERM);
    for (const RawConnection* half : {&in_the_head, &in_the_body, &in_a_chunk, &refused})
        CHECK(half->receive().empty());
    const std::string answer = whole.receive();
    CHECK(status_of(answer) == "200");
    CHECK(has(answer, "Connection: close"));
    CHECK(rig.hub().process().wait(steady_clock::now() + 30s) == 0);
    CHECK(steady_clock::now() - begin < 3s); // a request has 5 s to come
}

TEST_CASE("RelayHub: what was sent before a signal is answered, however many wait for a thread") {
    Rig rig;
    rig.start_hub();
    rig.hub().process().send_signal(SIGSTOP);
    // The kernel accepts and keeps what they send.
    std::vector<RawConnection> clients;
    for (int i = 0; i < 50; ++i) {
        clients.emplace_back(rig.hub().port());
        REQUIRE(clients.back().send(post_good()));
    }
    rig.hub().process().send_signal(SIGTERM);
    rig.hub().process().send_signal(SIGCONT);
    // Without Connection: close where the hub has read the request before it sees the signal.
    const auto is_answered = [](const RawConnection& client) {
        return client.receive().starts_with("HTTP/1.1 ");
    };
    CHECK(std::ranges::all_of(clients, is_answered));
    CHECK(rig.hub().process().wait(steady_clock::now() + 30s) == 0);
}

} // namespace tests::e2e_http
