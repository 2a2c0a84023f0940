// SPDX-License-Identifier: MIT
// Much of a bad thing: each is refused with an error that says why, and what the hub needs of memory
// for all of it stays within a bound. malformed.test.cpp has one of each kind.
#include "memory.hpp"
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <future>

namespace tests::e2e_bad_input {

using namespace e2e;

namespace {

const std::string tx_head = "POST /tx HTTP/1.1\r\nHost: localhost\r\n";

/// Sends the same to the hub from many connections at once. @return the answers
std::vector<std::string> send_from_many(int port, const std::string& request, std::size_t count) {
    std::vector<std::future<std::string>> answers;
    for (std::size_t i = 0; i < count; ++i)
        answers.push_back(std::async(std::launch::async, [port, &request] {
            const RawConnection connection{port};
            connection.send(request);
            return connection.receive();
        }));
    std::vector<std::string> result;
    for (auto& answer : answers) result.push_back(answer.get());
    return result;
}

void check_error(const std::string& answer, const std::string& status, const std::string& message) {
    CHECK(answer.starts_with("HTTP/1.1 " + status + " "));
    CHECK(answer.find(R"("code":"E400")") != std::string::npos);
    CHECK(answer.find(message) != std::string::npos);
}

std::string with_length(const std::string& body) {
    return tx_head + "Connection: close\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

} // namespace

TEST_CASE("RelayHub: bodies without end, from many at once, cost it little memory") {
    Rig rig;
    rig.start_hub();
    const MemoryWatch memory{rig.hub().process().id()};
    const std::string chunk = "100000\r\n" + std::string(mebibyte, ' ') + "\r\n";
    const std::string endless = tx_head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk;
    for (const std::string& answer : send_from_many(rig.hub().port(), endless, 32))
        check_error(answer, "413", "the body is too large");
    // A body, and the parts it came in: a few MiB for each at most.
    CHECK(memory.growth() < 128 * mebibyte);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: nesting costs it no memory and no stack") {
    Rig rig;
    rig.start_hub();
    const MemoryWatch memory{rig.hub().process().id()};
    std::string objects;
    while (objects.size() < 900'000) objects += R"({"target":)";
    for (const std::string& body : {std::string(900'000, '['), objects,
                                    R"({"target":"CORE","deep":)" + std::string(900'000, '[')}) {
        for (const std::string& answer : send_from_many(rig.hub().port(), with_length(body), 16))
            CHECK(answer.starts_with("HTTP/1.1 400 "));
    }
    CHECK(memory.growth() < 64 * mebibyte);
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: a head that is too large is refused as such, whichever part of it is") {
    Rig rig;
    rig.start_hub();
    const MemoryWatch memory{rig.hub().process().id()};
    std::string headers;
    for (int i = 0; i < 2'000; ++i) headers += "X-" + std::to_string(i) + ": 1\r\n";
    const std::vector<std::string> requests{
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n",
        "GET /healthz HTTP/1.1\r\nX-Long: " + std::string(9'000, 'a') + "\r\n\r\n",
        "GET /healthz HTTP/1.1\r\n" + std::string(4'000'000, 'a'),
        "GET /" + std::string(9'000, 'a') + " HTTP/1.1\r\n\r\n",
        "GET /" + std::string(4'000'000, 'a'),
        std::string(4'000'000, '\xff'),
    };
    for (const std::string& request : requests) {
        INFO(request.substr(0, 40));
        for (const std::string& answer : send_from_many(rig.hub().port(), request, 4))
            check_error(answer, "431", "the head of the request is too large");
    }
    CHECK(memory.growth() < 32 * mebibyte);
    // Hundreds of headers that fit are nothing to complain about.
    const std::string many =
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + headers.substr(0, headers.find("X-700:"));
    REQUIRE(many.size() < 8'192);
    const RawConnection connection{rig.hub().port()};
    connection.send(many + "\r\n");
    CHECK(connection.receive("}").starts_with("HTTP/1.1 200 "));
}

TEST_CASE("RelayHub: names of targets come from outside, and none of them stays") {
    Rig rig;
    rig.start_hub();
    const MemoryWatch memory{rig.hub().process().id()};
    example::JsonClient client{rig.hub().port(), example::JsonClient::KeepAlive::yes};
    for (int i = 0; i < 10'000; ++i) {
        const HttpAnswer answer = client.post("/tx", json{{"target", "T" + std::to_string(i)}});
        REQUIRE(answer.status == 404);
        REQUIRE(answer.code() == "E404");
        REQUIRE(answer.body.at("message") == "no such target");
    }
    CHECK(rig.health().at("unknown_target") == 10'000);
    CHECK(memory.growth() < 8 * mebibyte);
    const std::string long_name(900'000, 'x');
    const HttpAnswer answer = client.post("/tx", json{{"target", long_name}});
    CHECK(answer.code() == "E404");
    CHECK(answer.body.dump().size() < 200);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: fields that it does not know are the target's affair, its own are there once") {
    Rig rig;
    rig.start_hub();
    CHECK(rig.post(R"({"target":"CORE","no_such_field":{"target":1},"amount":1})").code() == "0000");
    for (const char* body : {
             R"({"target":"CORE","amount":1,"target":"CORE"})",
             R"({"\u0074arget":"CLAIM","target":"CORE"})",
             R"({"target":"CORE","target":null})",
         }) {
        INFO(body);
        const HttpAnswer answer = rig.post(body);
        CHECK(answer.status == 400);
        CHECK(answer.body.at("message") == R"(more than one "target")");
    }
    CHECK(rig.stats("CORE").at("calls") == 1);
    CHECK(rig.stats("CLAIM").at("calls") == 0);
}

} // namespace tests::e2e_bad_input
