// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/http/access_rule.hpp"

#include "catch.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tests::examples_relay_hub_access_rule {

using relay_hub::Access;
using relay_hub::AccessRule;
using relay_hub::RequestFacts;

namespace {

/// A command as a program on the hub's machine sends it.
RequestFacts command() {
    return {.peer = "127.0.0.1",
            .host = {"127.0.0.1:9200"},
            .origin = {},
            .fetch_site = {},
            .content_type = {"application/json"},
            .control = {"1"}};
}

int status(Access access, const RequestFacts& request, std::string_view listening = "127.0.0.1") {
    const AccessRule::Refusal refusal = AccessRule{listening}.refusal(access, request);
    return refusal.text.empty() ? 200 : refusal.status;
}

int status_with(const std::function<void(RequestFacts&)>& change) {
    RequestFacts request = command();
    change(request);
    return status(Access::control, request);
}

} // namespace

TEST_CASE("AccessRule: a program on the hub's machine may command", "[relay_hub]") {
    CHECK(status(Access::control, command()) == 200);
}

TEST_CASE("AccessRule: commands come from a loopback address only", "[relay_hub]") {
    const auto from = [](const char* peer) {
        return status_with([&](RequestFacts& request) { request.peer = peer; });
    };
    for (const char* peer : {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"}) {
        INFO(peer);
        CHECK(from(peer) == 200);
    }
    for (const char* peer : {"", "192.168.1.7", "126.255.255.255", "128.0.0.1", "::2",
                             "::ffff:10.0.0.1", "127.evil.example", "fe80::1", "1127.0.0.1"}) {
        INFO(peer);
        CHECK(from(peer) == 403);
        // Whatever the hub listens on, and whatever else the client says.
        RequestFacts request = command();
        request.peer = peer;
        request.host = {"0.0.0.0"};
        CHECK(status(Access::control, request, "0.0.0.0") == 403);
        CHECK(status(Access::reading, request, "0.0.0.0") == 200);
    }
}

TEST_CASE("AccessRule: a command names the hub as its Host", "[relay_hub]") {
    const auto to = [](std::vector<std::string> hosts) {
        return status_with([&](RequestFacts& request) { request.host = std::move(hosts); });
    };
    for (const char* host : {"localhost", "localhost:9200", "LocalHost:9200", "127.0.0.1",
                             "127.0.0.1:8080", "[::1]", "[::1]:9200"}) {
        INFO(host);
        CHECK(to({host}) == 200);
    }
    for (const char* host :
         {"", "evil.example", "evil.example:9200", "localhost.evil.example", "127.0.0.1.evil.example",
          "localhost:", "localhost:92x", "localhost:9200:9200", "localhost@evil.example", "[::1",
          "[::1]x", "[::1]:", "::1", "[]", "[localhost", "127.0.0.2", "localhost.", " localhost"}) {
        INFO(host);
        CHECK(to({host}) == 403);
    }
    CHECK(to({}) == 403);
    CHECK(to({"localhost", "localhost"}) == 403);
    RequestFacts request = command();
    request.host = {"evil.example"};
    CHECK(status(Access::control, request, "0.0.0.0") == 403);
    CHECK(status(Access::control, request, "hub.example") == 403);
}

TEST_CASE("AccessRule: the address that the hub listens on is a name of it", "[relay_hub]") {
    RequestFacts request = command();
    for (const auto& [listening, host] :
         std::vector<std::pair<const char*, const char*>>{{"127.0.0.2", "127.0.0.2:9200"},
                                                          {"hub.example", "HUB.example"},
                                                          {"Hub.example", "hub.example:9200"},
                                                          {"fd00::1", "[fd00::1]:9200"},
                                                          {"0.0.0.0", "0.0.0.0:9200"}}) {
        request.host = {host};
        INFO(host);
        CHECK(status(Access::control, request, listening) == 200);
        CHECK(status(Access::control, request, "127.0.0.1") == 403);
    }
}

TEST_CASE("AccessRule: a command comes from no page but the hub's own", "[relay_hub]") {
    const auto from = [](std::vector<std::string> origins) {
        return status_with([&](RequestFacts& request) { request.origin = std::move(origins); });
    };
    CHECK(from({"http://127.0.0.1:9200"}) == 200);
    CHECK(from({"HTTP://127.0.0.1:9200"}) == 200);
    for (const char* origin :
         {"", "null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:9201",
          "https://127.0.0.1:9200", "http://localhost:9200", "http://127.0.0.1:9200/",
          "http://127.0.0.1:9200.evil.example", "127.0.0.1:9200"}) {
        INFO(origin);
        CHECK(from({origin}) == 403);
    }
    CHECK(from({"http://127.0.0.1:9200", "http://127.0.0.1:9200"}) == 403);
}

TEST_CASE("AccessRule: what a browser says of the page counts without an Origin too", "[relay_hub]") {
    const auto site = [](std::vector<std::string> sites) {
        return status_with([&](RequestFacts& request) { request.fetch_site = std::move(sites); });
    };
    CHECK(site({"same-origin"}) == 200);
    CHECK(site({"none"}) == 200);
    CHECK(site({"same-site"}) == 403);
    CHECK(site({"cross-site"}) == 403);
    CHECK(site({""}) == 403);
    CHECK(site({"none", "none"}) == 403);
}

TEST_CASE("AccessRule: a command has a header that no form can send", "[relay_hub]") {
    const auto with = [](std::vector<std::string> values) {
        return status_with([&](RequestFacts& request) { request.control = std::move(values); });
    };
    CHECK(with({}) == 403);
    CHECK(with({"0"}) == 403);
    CHECK(with({""}) == 403);
    CHECK(with({"1", "1"}) == 403);
}

TEST_CASE("AccessRule: a command has a content type that no form can have", "[relay_hub]") {
    const auto with = [](std::vector<std::string> types) {
        return status_with([&](RequestFacts& request) { request.content_type = std::move(types); });
    };
    CHECK(with({"application/json"}) == 200);
    CHECK(with({"Application/JSON ; charset=utf-8"}) == 200);
    CHECK(with({}) == 415);
    CHECK(with({"text/plain"}) == 415);
    CHECK(with({"text/plain; application/json"}) == 415);
    CHECK(with({"application/jsonp"}) == 415);
    CHECK(with({"application/json", "text/plain"}) == 415);
}

TEST_CASE("AccessRule: a call needs no header, but comes from no other origin", "[relay_hub]") {
    RequestFacts request{.peer = "192.168.1.7",
                         .host = {"127.0.0.1:9200"},
                         .origin = {},
                         .fetch_site = {},
                         .content_type = {},
                         .control = {}};
    CHECK(status(Access::calling, request) == 200);
    request.origin = {"http://evil.example"};
    CHECK(status(Access::calling, request) == 403);
    CHECK(status(Access::reading, request) == 200);
    request.origin = {"http://127.0.0.1:9200"};
    CHECK(status(Access::calling, request) == 200);
    request.fetch_site = {"cross-site"};
    CHECK(status(Access::calling, request) == 403);
    CHECK(status(Access::reading, request) == 200);
}

TEST_CASE("AccessRule: who listens on loopback is read by its own names, elsewhere by any",
          "[relay_hub]") {
    RequestFacts request;
    request.host = {"evil.example:9200"};
    for (const Access access : {Access::reading, Access::calling}) {
        for (const char* listening : {"127.0.0.1", "localhost", "::1", "127.0.0.2"}) {
            INFO(listening);
            CHECK(status(access, request, listening) == 403);
        }
        for (const char* listening : {"0.0.0.0", "::", "192.168.1.7", "hub.example"}) {
            INFO(listening);
            CHECK(status(access, request, listening) == 200);
        }
    }
    // A request without Host is of no browser.
    request.host = {};
    CHECK(status(Access::reading, request) == 200);
    CHECK(status(Access::calling, request) == 200);
}

} // namespace tests::examples_relay_hub_access_rule
