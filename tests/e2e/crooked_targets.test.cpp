// SPDX-License-Identifier: MIT
#include "crooked_target.hpp"
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <sstream>
#include <string>

namespace tests::e2e_crooked_targets {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

/// A hub that has a target BAD, and answers for CLAIM as ever.
class CrookedRig : public Rig {
  public:
    explicit CrookedRig(std::function<void(const Victim&)> answer, const char* call_timeout = "20")
        : bad_{std::move(answer)} {
        start_hub({"--target", "BAD=" + bad_.url(), "--call-timeout", call_timeout});
    }

  private:
    CrookedTarget bad_;
};

void check_broken(std::function<void(const Victim&)> how) {
    CrookedRig rig{std::move(how)};
    const HttpAnswer answer = rig.call("BAD");
    CHECK(answer.code() == "E902");
    CHECK(answer.status == 502);
    CHECK(rig.report("BAD").at("failures") == 1);
    CHECK(rig.report("BAD").at("in_flight") == 0);
    CHECK(rig.call("CLAIM").code() == "0000");
}

void check_too_late(std::function<void(const Victim&)> how) {
    CrookedRig rig{std::move(how), "0.5"};
    const HttpAnswer answer = rig.call("BAD");
    CHECK(answer.code() == "E901");
    CHECK(answer.took >= 500ms);
    CHECK(answer.took < 5s);
    CHECK(rig.report("BAD").at("failures") == 1);
    CHECK(rig.report("BAD").at("in_flight") == 0);
}

const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

} // namespace

TEST_CASE("RelayHub: no complete answer within the call timeout is E901, however it dribbles in") {
    SECTION("nothing at all") {
        check_too_late([](const Victim& victim) { victim.wait_for_end(); });
    }
    SECTION("a head that never ends") {
        check_too_late([](const Victim& victim) {
            victim.send(head);
            victim.send_for_ever("X-More: 1\r\n", 20ms);
        });
    }
    SECTION("a status line that never ends") {
        check_too_late([](const Victim& victim) {
            victim.send("HTTP/1.1 200 ");
            victim.send_for_ever("O", 20ms);
        });
    }
    SECTION("a body that never ends") {
        check_too_late([](const Victim& victim) {
            victim.send(head + "Content-Length: 1000000\r\n\r\n");
            victim.send_for_ever(" ", 20ms);
        });
    }
    SECTION("a body of chunks") {
        check_too_late([](const Victim& victim) {
            victim.send(head + "Transfer-Encoding: chunked\r\n\r\n");
            victim.send_for_ever("1\r\n \r\n", 20ms);
        });
    }
    SECTION("a body without a length, whole but for the end of the connection") {
        check_too_late([](const Victim& victim) {
            victim.send(head + "\r\n{\"code\":\"0000\"}");
            victim.wait_for_end();
        });
    }
    SECTION("announced answers without an answer") {
        check_too_late(
            [](const Victim& victim) { victim.send_for_ever("HTTP/1.1 100 Continue\r\n\r\n", 20ms); });
    }
}

TEST_CASE("RelayHub: an answer that is none is E902") {
    SECTION("the connection closed at once") {
        check_broken([](const Victim&) {});
    }
    SECTION("not HTTP") {
        check_broken([](const Victim& victim) { victim.send("SSH-2.0-OpenSSH_9.2\r\n"); });
    }
    SECTION("a body that ends too early") {
        check_broken(
            [](const Victim& victim) { victim.send(head + "Content-Length: 15\r\n\r\n{\"code\":"); });
    }
    SECTION("a chunk that ends too early") {
        check_broken([](const Victim& victim) {
            victim.send(head + "Transfer-Encoding: chunked\r\n\r\nF\r\n{\"code\":");
        });
    }
    SECTION("no JSON") {
        check_broken([](const Victim& victim) { victim.send(http_answer("<html>hello</html>")); });
    }
    SECTION("no code") {
        check_broken([](const Victim& victim) { victim.send(http_answer("{\"status\":\"ok\"}")); });
    }
    SECTION("a code that is no string") {
        check_broken([](const Victim& victim) { victim.send(http_answer("{\"code\":0}")); });
    }
    SECTION("nested too deep") {
        check_broken([](const Victim& victim) {
            victim.send(http_answer("{\"code\":\"0000\",\"deep\":" + std::string(64, '[') +
                                    std::string(64, ']') + "}"));
        });
    }
    SECTION("two codes") {
        check_broken([](const Victim& victim) {
            victim.send(http_answer("{\"code\":\"0000\",\"\\u0063ode\":\"E500\"}"));
        });
    }
    SECTION("not UTF-8") {
        check_broken([](const Victim& victim) { victim.send(http_answer("{\"code\":\"\xff\"}")); });
    }
    SECTION("a redirection") {
        check_broken([](const Victim& victim) {
            victim.send(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n");
        });
    }
    SECTION("no content") {
        check_broken([](const Victim& victim) { victim.send("HTTP/1.1 204 No Content\r\n\r\n"); });
    }
    SECTION("a status that does not exist") {
        check_broken([](const Victim& victim) {
            victim.send("HTTP/1.1 999 What\r\nContent-Length: 15\r\n\r\n{\"code\":\"0000\"}");
        });
    }
    SECTION("compressed, though nobody asked for that") {
        check_broken([](const Victim& victim) {
            victim.send(http_answer("\x1f\x8b\x08", "Content-Encoding: gzip\r\n"));
        });
    }
    SECTION("a length that is no number") {
        for (const char* length : {"-15", "+15", "0xf", "15, 16", "", "1 5"}) {
            INFO(length);
            check_broken([length](const Victim& victim) {
                victim.send(head + "Content-Length: " + length + "\r\n\r\n{\"code\":\"0000\"}");
            });
        }
    }
    SECTION("two lengths") {
        for (const char* lengths : {"Content-Length: 15\r\nContent-Length: 14",
                                    "Content-Length: 15\r\nTransfer-Encoding: chunked",
                                    "Transfer-Encoding: chunked\r\nContent-Length: 15"}) {
            INFO(lengths);
            check_broken([lengths](const Victim& victim) {
                victim.send(head + lengths + "\r\n\r\nf\r\n{\"code\":\"0000\"}\r\n0\r\n\r\n");
            });
        }
    }
    SECTION("a change of protocol") {
        check_broken([](const Victim& victim) {
            victim.send("HTTP/1.1 101 Switching Protocols\r\n\r\n" + http_answer(R"({"code":"0000"})"));
        });
    }
    SECTION("a body of many megabytes") {
        check_broken([](const Victim& victim) {
            victim.send(head + "\r\n");
            victim.send_for_ever(std::string(64 * 1024, ' '), 0ms);
        });
    }
    SECTION("a status line of many megabytes") {
        check_broken([](const Victim& victim) {
            victim.send("HTTP/1.1 200 ");
            victim.send_for_ever(std::string(64 * 1024, 'O'), 0ms);
        });
    }
    SECTION("a header of many megabytes") {
        check_broken([](const Victim& victim) {
            victim.send(head + "X-Long: ");
            victim.send_for_ever(std::string(64 * 1024, 'O'), 0ms);
        });
    }
}

TEST_CASE("RelayHub: an unusual but good answer is as good as any") {
    SECTION("in chunks") {
        CrookedRig rig{[](const Victim& victim) {
            victim.send(head + "Transfer-Encoding: chunked\r\n\r\n");
            victim.send("8\r\n{\"code\":\r\n7\r\n\"0000\"}\r\n0\r\n\r\n");
        }};
        CHECK(rig.call("BAD").body == json{{"code", "0000"}});
    }
    SECTION("after interim answers, and with a trailer") {
        CrookedRig rig{[](const Victim& victim) {
            victim.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n");
            victim.send("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n");
            victim.send(head + "Transfer-Encoding: chunked\r\nTrailer: Server-Timing\r\n\r\n");
            victim.send("f;x=y\r\n{\"code\":\"0000\"}\r\n0\r\nServer-Timing: db;dur=3\r\n\r\n");
        }};
        CHECK(rig.call("BAD").body == json{{"code", "0000"}});
        CHECK(rig.report("BAD").at("failures") == 0);
    }
    SECTION("with its length twice") {
        CrookedRig rig{[](const Victim& victim) {
            victim.send(http_answer(R"({"code":"0000"})", "Content-Length: 15\r\n"));
        }};
        CHECK(rig.call("BAD").code() == "0000");
    }
    SECTION("before the request was read") {
        CrookedRig rig{[](const Victim& victim) {
            victim.send("HTTP/1.1 413 Too Large\r\nContent-Length: 15\r\n\r\n{\"code\":\"B413\"}");
            victim.wait_for_end();
        }};
        const std::string body =
            R"({"target":"BAD","a":{},"more":")" + std::string(1'000'000, 'x') + "\"}";
        CHECK(rig.post(body).code() == "B413");
    }
    SECTION("ended by the end of the connection") {
        CrookedRig rig{[](const Victim& victim) { victim.send(head + "\r\n{\"code\":\"0000\"}"); }};
        CHECK(rig.call("BAD").code() == "0000");
    }
    SECTION("with a status of its own") {
        CrookedRig rig{[](const Victim& victim) {
            victim.send("HTTP/1.1 409 Conflict\r\nContent-Length: 15\r\n\r\n{\"code\":\"B409\"}");
        }};
        const HttpAnswer answer = rig.call("BAD");
        CHECK(answer.status == 409);
        CHECK(answer.code() == "B409");
        CHECK(rig.report("BAD").at("failures") == 0);
    }
    SECTION("with more in it than the code, as it came") {
        const std::string body = R"({ "nested":{"code":1},"code" : "0000","rate":1.50,"x":"ä" })";
        CrookedRig rig{[body](const Victim& victim) { victim.send(http_answer(body)); }};
        CHECK(rig.call("BAD").body == json::parse(body));
    }
}

TEST_CASE("RelayHub: values that no type can hold pass both ways, where they are not read") {
    const std::string more = R"(,"n":-1e400,"i":)" + std::string(400, '9') +
                             R"(,"half":"\udc00x\ud800","twice":1,"twice":2})";
    CrookedRig rig{[&](const Victim& victim) { victim.send(http_answer(R"({"code":"0000")" + more)); }};
    const RawConnection connection{rig.hub().port()};
    const std::string request = R"({"target":"BAD")" + more;
    connection.send("POST /tx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " +
                    std::to_string(request.size()) + "\r\n\r\n" + request);
    const std::string answer = connection.receive();
    CHECK(answer.starts_with("HTTP/1.1 200 "));
    CHECK(answer.ends_with(R"({"code":"0000")" + more));
    CHECK(rig.report("BAD").at("failures") == 0);
}

TEST_CASE("RelayHub: a target's headers stay with the hub") {
    CrookedRig rig{[](const Victim& victim) {
        victim.send(http_answer(R"({"code":"0000"})", "Content-Type: a/b%0d%0aX-Evil: yes\r\n"
                                                      "Set-Cookie: a=b\r\n"));
    }};
    const HttpAnswer answer = rig.call("BAD");
    CHECK(answer.code() == "0000");
    CHECK(answer.headers.count("X-Evil") == 0);
    CHECK(answer.headers.count("Set-Cookie") == 0);
    CHECK(answer.headers.find("Content-Type")->second == "application/json");
}

TEST_CASE("RelayHub: when a target wants to be called again is passed on") {
    const auto retry_after = [](const std::string& status, const std::string& value) {
        CrookedRig rig{[&](const Victim& victim) {
            victim.send("HTTP/1.1 " + status + "\r\nRetry-After: " + value +
                        "\r\nContent-Length: 15\r\n\r\n{\"code\":\"B429\"}");
        }};
        const HttpAnswer answer = rig.call("BAD");
        const auto found = answer.headers.find("Retry-After");
        return found == answer.headers.end() ? answer.code() + " none"
                                             : answer.code() + " " + found->second;
    };
    CHECK(retry_after("429 Too Many Requests", "30") == "B429 30");
    CHECK(retry_after("200 OK", "0") == "B429 0");
    CHECK(retry_after("409 Conflict", "Wed, 21 Oct 2037 07:28:00 GMT") ==
          "B429 Wed, 21 Oct 2037 07:28:00 GMT");
    // The answer stays with the hub, but not this.
    CHECK(retry_after("503 Service Unavailable", "120") == "E500 120");
    CHECK(retry_after("429 Too Many Requests", "soon") == "B429 none");
    CHECK(retry_after("429 Too Many Requests", "-1") == "B429 none");
    CHECK(retry_after("429 Too Many Requests", "30\r\nRetry-After: 60") == "B429 none");
}

TEST_CASE("RelayHub: nothing that a target says gets into a header") {
    const auto check_head = [](const std::string& said) {
        CrookedRig rig{[said](const Victim& victim) { victim.send(said); }};
        const RawConnection connection{rig.hub().port()};
        connection.send("POST /tx HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                        "Content-Length: 16\r\n\r\n{\"target\":\"BAD\"}");
        const std::string answer = connection.receive();
        const auto end = answer.find("\r\n\r\n");
        REQUIRE(end != std::string::npos);
        const std::string lines = answer.substr(0, end);
        INFO(lines);
        CHECK(lines.find("Evil") == std::string::npos);
        std::istringstream stream{lines};
        std::string line;
        std::getline(stream, line);
        CHECK(line.starts_with("HTTP/1.1 "));
        while (std::getline(stream, line)) {
            const std::string name = line.substr(0, line.find(':'));
            CHECK((name == "Content-Type" || name == "Content-Length" || name == "Connection" ||
                   name == "Date" || name == "Cache-Control" || name == "X-Content-Type-Options" ||
                   line == "Retry-After: 5\r"));
        }
        // One answer, and nothing that a reader could take for a second.
        CHECK(answer.find("HTTP/1.1", 1) == std::string::npos);
    };
    SECTION("in its code") { check_head(http_answer(R"({"code":"0000\r\nX-Evil: yes\r\n\r\nEvil"})")); }
    SECTION("in a message") {
        check_head(http_answer(R"({"code":"0000","message":"\r\nX-Evil: yes\nEvil: 1"})"));
    }
    SECTION("in the text of its status") {
        check_head("HTTP/1.1 200 OK\rX-Evil: yes\r\nContent-Length: 15\r\n\r\n{\"code\":\"0000\"}");
        check_head("HTTP/1.1 500 No\nX-Evil: yes\r\nContent-Length: 15\r\n\r\n{\"code\":\"0000\"}");
        check_head("HTTP/1.1 503 Evil\r\nRetry-After: 1\nX-Evil: 2\r\nContent-Length: 0\r\n\r\n");
    }
    SECTION("in its headers") {
        check_head(http_answer(R"({"code":"0000"})", "Content-Type: a/b%0d%0aX-Evil: yes\r\n"
                                                     "X-Evil: a\rX-Evil: b\r\n"
                                                     "Retry-After: 5\r\n"
                                                     "Access-Control-Allow-Origin: *\r\n"));
        check_head(http_answer(R"({"code":"0000"})", "X-Evil: a\r\nRetry-After: 5\r\n"));
        check_head(http_answer(R"({"code":"0000"})", "Retry-After: Evil\r\n"));
        check_head(http_answer(R"({"code":"0000"})", "Retry-After: 5\r\n Evil: 1\r\n"));
    }
    SECTION("with bare line ends in its body") {
        check_head(http_answer("\r\n\r\n{\"code\":\r\n\"0000\"\n}"));
    }
}

TEST_CASE("RelayHub: codes come from outside, and their number is bounded") {
    int next = 0;
    CrookedRig rig{[&next](const Victim& victim) {
        victim.send(http_answer(json{{"code", "B" + std::to_string(next++)}}.dump()));
    }};
    for (int i = 0; i < 80; ++i) REQUIRE(rig.call("BAD").code() == "B" + std::to_string(i));
    const json answers = rig.report("BAD").at("answers");
    CHECK(answers.size() == 65);
    CHECK(answers.at("other") == 16);
}

} // namespace tests::e2e_crooked_targets
