// SPDX-License-Identifier: MIT
// Clients that are slow, on purpose or not: however many there are, they hold up nobody else.
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <atomic>
#include <thread>

namespace tests::e2e_slow_clients {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

/// More of them than the hub has threads, each with a request that has begun.
std::vector<RawConnection> slow_clients(Rig& rig, const std::string& beginning) {
    const auto threads = rig.health().at("threads_at_most").get<std::size_t>();
    std::vector<RawConnection> clients;
    for (std::size_t i = 0; i < 2 * threads; ++i) {
        clients.emplace_back(rig.hub().port());
        REQUIRE(clients.back().send(beginning));
    }
    return clients;
}

/// A request has 5 s to come: who waits for that is slower.
void check_others_are_quick(Rig& rig) {
    for (int i = 0; i < 5; ++i) {
        const HttpAnswer answer = rig.call("CLAIM");
        CHECK(answer.code() == "0000");
        CHECK(answer.took < 3s);
    }
}

const std::string post = "POST /tx HTTP/1.1\r\nHost: localhost\r\n";

} // namespace

TEST_CASE("RelayHub: requests that come slowly give way to those that are there") {
    Rig rig;
    rig.start_hub({"--max-inflight", "2"});
    SECTION("in their first line") {
        const auto clients = slow_clients(rig, "POST /t");
        check_others_are_quick(rig);
        CHECK(clients.front().receive().starts_with("HTTP/1.1 408 "));
    }
    SECTION("in their headers") {
        const auto clients = slow_clients(rig, post + "X-Begun: ");
        check_others_are_quick(rig);
        CHECK(clients.front().receive().starts_with("HTTP/1.1 408 "));
    }
    SECTION("in their bodies") {
        const auto clients = slow_clients(rig, post + "Content-Length: 100\r\n\r\n{");
        check_others_are_quick(rig);
        const std::string answer = clients.front().receive();
        CHECK(answer.starts_with("HTTP/1.1 408 "));
        CHECK(answer.find(R"("code":"E400")") != std::string::npos);
        CHECK(answer.find("the request did not come in time") != std::string::npos);
    }
    SECTION("after they were refused, in what nobody reads") {
        const auto clients = slow_clients(
            rig, "POST /other HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
        check_others_are_quick(rig);
        CHECK(clients.front().receive().starts_with("HTTP/1.1 404 "));
    }
    CHECK(rig.stats("CORE").at("calls") == 0);
}

TEST_CASE("RelayHub: a client that dribbles is slow, however steady it is") {
    Rig rig;
    rig.start_hub({"--max-inflight", "1"});
    const auto clients = slow_clients(rig, post + "X-Begun: ");
    std::atomic<bool> is_over = false;
    std::thread dribble{[&] {
        while (!is_over) {
            for (const RawConnection& client : clients) static_cast<void>(client.send("x"));
            std::this_thread::sleep_for(10ms);
        }
    }};
    check_others_are_quick(rig);
    is_over = true;
    dribble.join();
}

TEST_CASE("RelayHub: a slow request has its time while its thread is not needed") {
    Rig rig;
    rig.start_hub();
    const RawConnection client{rig.hub().port()};
    client.send(post + "Content-Length: 17\r\n\r\n");
    for (const char c : std::string{R"({"target":"CORE"})"}) {
        client.send(std::string(1, c));
        std::this_thread::sleep_for(30ms); // half a second in all
    }
    CHECK(client.receive("0000\"}").starts_with("HTTP/1.1 200 "));
}

} // namespace tests::e2e_slow_clients
