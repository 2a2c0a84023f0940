// SPDX-License-Identifier: MIT
// Commands over HTTP, and all the ways in which nobody else may give them.
#include "raw_connection.hpp"
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

namespace tests::e2e_control {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

const std::string json_type = "Content-Type: application/json\r\n";
const std::string control = "X-Relay-Hub-Control: 1\r\n";

/// Sends a command with exactly these headers. @return the answer
std::string send_reset(int port, const std::string& headers, const std::string& from = {}) {
    const RawConnection connection{port, from};
    connection.send("POST /targets/CORE/reset HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n" +
                    headers + "\r\n{}");
    return connection.receive();
}

std::string send_head(int port, const std::string& first_line, const std::string& headers = {},
                      const std::string& from = {}) {
    const RawConnection connection{port, from};
    connection.send(first_line + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
    return connection.receive();
}

std::string host(int port) { return "Host: localhost:" + std::to_string(port) + "\r\n"; }

void check_refused(const std::string& answer, const std::string& status, const std::string& reason) {
    CHECK(answer.starts_with("HTTP/1.1 " + status + " "));
    CHECK(answer.find(reason) != std::string::npos);
    CHECK(answer.find("Access-Control") == std::string::npos);
}

} // namespace

TEST_CASE("RelayHub: an operator commands a circuit, and sees what GET /targets then shows") {
    Rig rig;
    rig.start_hub();
    const auto check_state = [&](const std::string& command, const std::string& state) {
        INFO(command);
        const HttpAnswer answer = rig.command("CORE", command);
        CHECK(answer.status == 200);
        CHECK(answer.body.at("state") == state);
        json answered = answer.body;
        json shown = rig.report("CORE");
        for (json* report : {&answered, &shown}) report->erase("recent"); // time goes on between them
        CHECK(answered == shown);
        CHECK(rig.report("CLAIM").at("state") == "CLOSED");
    };
    check_state("force-open", "FORCED_OPEN");
    const HttpAnswer refusal = rig.call("CORE");
    CHECK(refusal.code() == "E904");
    CHECK(refusal.body.at("retry_after_ms").is_null()); // until a reset: it cannot be known when
    CHECK(refusal.headers.count("Retry-After") == 0);
    CHECK(rig.call("CLAIM").code() == "0000");
    check_state("reset", "CLOSED");
    CHECK(rig.call("CORE").code() == "0000");

    rig.set("CORE", {{"mode", "fail"}});
    check_state("disable", "DISABLED");
    for (int i = 0; i < 10; ++i) CHECK(rig.call("CORE").code() == "E500");
    check_state("metrics-only", "METRICS_ONLY");
    for (int i = 0; i < 10; ++i) CHECK(rig.call("CORE").code() == "E500");
    check_state("reset", "CLOSED");
    for (int i = 0; i < 5; ++i) CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CORE").code() == "E904");

    const std::string log = example::read_text_file(rig.log());
    std::string changes;
    for (std::size_t at = log.find("|CORE|"); at != std::string::npos; at = log.find("|CORE|", at + 1))
        changes += log.substr(at + 6, log.find('\n', at) - at - 6) + " ";
    CHECK(changes == "CLOSED->FORCED_OPEN FORCED_OPEN->CLOSED CLOSED->DISABLED "
                     "DISABLED->METRICS_ONLY METRICS_ONLY->CLOSED CLOSED->OPEN ");
}

TEST_CASE("RelayHub: a command for an unknown target, or an unknown command, changes nothing") {
    Rig rig;
    rig.start_hub();
    const HttpAnswer no_target = rig.command("NOBODY", "force-open");
    CHECK(no_target.status == 404);
    CHECK(no_target.code() == "E404");
    for (const char* command : {"trip", "RESET", "force_open", "reset%20", "url"}) {
        INFO(command);
        const HttpAnswer answer = rig.command("CORE", command);
        CHECK(answer.status == 404);
        CHECK(answer.code() == "E400");
    }
    for (const char* path :
         {"/targets/CORE", "/targets/CORE/", "/targets//reset", "/targets/CORE/reset/",
          "/targets/CORE%2Freset/x", "/targets/CORE/reset/now", "//targets/CORE/reset"}) {
        INFO(path);
        CHECK(example::JsonClient{rig.hub().port()}.post(path, "{}", Rig::control()).status == 404);
    }
    for (const char* body : {R"({"for":"10s"})", "[]", "null", "reset", "{}{}"}) {
        INFO(body);
        const HttpAnswer answer = example::JsonClient{rig.hub().port()}.post("/targets/CORE/force-open",
                                                                             body, Rig::control());
        CHECK(answer.status == 400);
        CHECK(answer.code() == "E400");
    }
    CHECK(rig.report("CORE").at("generation") == 1);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: the answer to another method than the route's names the right one") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    for (const char* method : {"GET", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
        INFO(method);
        const std::string answer =
            send_head(port, std::string{method} + " /targets/CORE/force-open", host(port));
        check_refused(answer, "405", "\r\nAllow: POST\r\n");
    }
    check_refused(send_head(port, "POST /targets", host(port)), "405", "\r\nAllow: GET, HEAD\r\n");
    check_refused(send_head(port, "GET /tx", host(port)), "405", "\r\nAllow: POST\r\n");
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: a command is refused unless it is meant, and comes from nowhere else") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    REQUIRE(rig.command("CORE", "force-open").status == 200);
    const std::string good = host(port) + json_type + control;
    const std::string own_origin = "Origin: http://localhost:" + std::to_string(port) + "\r\n";

    const std::string missing = "the header X-Relay-Hub-Control: 1 is missing";
    check_refused(send_reset(port, host(port) + json_type), "403", missing);
    check_refused(send_reset(port, host(port) + json_type + "X-Relay-Hub-Control: 0\r\n"), "403",
                  missing);

    const std::string no_json = "the Content-Type is not application/json";
    check_refused(send_reset(port, host(port) + control), "415", no_json);
    for (const char* type : {"text/plain", "application/x-www-form-urlencoded"})
        check_refused(send_reset(port, host(port) + control + "Content-Type: " + type + "\r\n"), "415",
                      no_json);
    // What a form sends is refused before anybody reads it.
    CHECK(send_reset(port, host(port) + control + "Content-Type: multipart/form-data; boundary=x\r\n")
              .starts_with("HTTP/1.1 415 "));

    const std::string no_name = "the header Host is not a name of this hub";
    check_refused(send_reset(port, json_type + control), "400", "the header Host is missing");
    check_refused(send_reset(port, "Host: evil.example\r\n" + json_type + control), "403", no_name);
    check_refused(send_reset(port, "Host: evil.example\r\n" + good), "400", "more than one Host");

    const std::string foreign = "the request comes from a page of another origin";
    check_refused(send_reset(port, good + "Origin: http://evil.example\r\n"), "403", foreign);
    check_refused(send_reset(port, good + "Origin: null\r\n"), "403", foreign);
    check_refused(send_reset(port, good + "Origin: http://localhost:1\r\n"), "403", foreign);
    check_refused(send_reset(port, good + "Sec-Fetch-Site: cross-site\r\n"), "403", foreign);
    check_refused(send_reset(port, good + own_origin + "Sec-Fetch-Site: same-site\r\n"), "403",
                  foreign);

    CHECK(rig.report("CORE").at("state") == "FORCED_OPEN");
    CHECK(rig.health().at("forbidden") == 8);
    CHECK(send_reset(port, good + own_origin + "Sec-Fetch-Site: same-origin\r\n")
              .starts_with("HTTP/1.1 200 "));
    CHECK(rig.report("CORE").at("state") == "CLOSED");
}

TEST_CASE("RelayHub: a browser that asks first if it may command never gets a yes") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    const std::string answer =
        send_head(port, "OPTIONS /targets/CORE/force-open",
                  host(port) + "Origin: http://evil.example\r\n"
                               "Access-Control-Request-Method: POST\r\n"
                               "Access-Control-Request-Headers: content-type\r\n");
    check_refused(answer, "405", "E400");
}

TEST_CASE("RelayHub: a command from another machine is refused, whatever the hub listens on") {
    const std::string outside = outer_address();
    if (outside.empty()) {
        WARN("this machine has no address but loopback: nothing was tested");
        SUCCEED();
        return;
    }
    Rig rig;
    rig.start_hub(); // the kernel delivers to 127.0.0.1 from any address of this machine
    const int port = rig.hub().port();
    const std::string good = host(port) + json_type + control;
    check_refused(send_reset(port, good, outside), "403",
                  "control is for clients on the hub's own machine");
    // What a client says of itself is not believed.
    for (const char* header : {"X-Forwarded-For: 127.0.0.1\r\n", "X-Real-IP: 127.0.0.1\r\n",
                               "REMOTE_ADDR: 127.0.0.1\r\n", "Forwarded: for=127.0.0.1\r\n"})
        CHECK(send_reset(port, good + header, outside).starts_with("HTTP/1.1 403 "));
    CHECK(send_head(port, "GET /targets", host(port), outside).starts_with("HTTP/1.1 200 "));
    CHECK(send_reset(port, good).starts_with("HTTP/1.1 200 "));
}

TEST_CASE("RelayHub: on loopback, a name that was made to mean it reads nothing and sends nothing") {
    Rig rig;
    rig.start_hub();
    const int port = rig.hub().port();
    const std::string rebound = "Host: evil.example:" + std::to_string(port) + "\r\n";
    for (const char* path : {"/targets", "/metrics", "/healthz", "/readyz"}) {
        INFO(path);
        check_refused(send_head(port, std::string{"GET "} + path, rebound), "403", "E403");
        CHECK(send_head(port, std::string{"GET "} + path, host(port)).starts_with("HTTP/1.1 200 "));
    }
    const RawConnection connection{port};
    connection.send("POST /tx HTTP/1.1\r\n" + rebound +
                    "Content-Length: 17\r\n\r\n{\"target\":\"CORE\"}");
    check_refused(connection.receive(), "403", "E403");
    CHECK(rig.stats("CORE").at("calls") == 0);
}

TEST_CASE("RelayHub: a page of another origin makes no calls, and cannot read what it may not") {
    Rig rig;
    rig.start_hub();
    example::JsonClient client{rig.hub().port()};
    const httplib::Headers foreign{{"Origin", "http://evil.example"}};
    const HttpAnswer call = client.post("/tx", R"({"target":"CORE"})", foreign);
    CHECK(call.status == 403);
    CHECK(call.code() == "E403");
    CHECK(rig.stats("CORE").at("calls") == 0);
    CHECK(client.get("/events", foreign).status == 403); // a stream is one of few
    // It gets an answer that its browser does not show it.
    const HttpAnswer read = client.get("/targets", foreign);
    CHECK(read.status == 200);
    CHECK(read.headers.count("Access-Control-Allow-Origin") == 0);
    CHECK(read.headers.find("X-Content-Type-Options")->second == "nosniff");
}

TEST_CASE("RelayHub: no request makes a target, or leads a call elsewhere") {
    Rig rig;
    rig.start_hub();
    example::JsonClient client{rig.hub().port()};
    const std::string elsewhere = rig.target("CLAIM").url();
    for (const std::string& body :
         {json{{"target", "NEW"}, {"url", elsewhere}}.dump(), json{{"target", elsewhere}}.dump(),
          json{{"target", "CORE@" + elsewhere}}.dump(), json{{"target", "../CLAIM"}}.dump()})
        CHECK(client.post("/tx", body).code() == "E404");
    CHECK(client.post("/tx", json{{"target", "CORE"}, {"url", elsewhere}}.dump()).code() == "0000");
    CHECK(client.post("/targets/NEW/reset", "{}", Rig::control()).status == 404);
    CHECK(client.post("/targets", json{{"NEW", {{"url", elsewhere}}}}.dump(), Rig::control()).status ==
          405);
    CHECK(client.get("/targets").body.at("targets").size() == 2);
    CHECK(rig.stats("CLAIM").at("calls") == 0);
    CHECK(rig.stats("CORE").at("calls") == 1);
}

} // namespace tests::e2e_control
