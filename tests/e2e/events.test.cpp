// SPDX-License-Identifier: MIT
// GET /events, and the page that lives on it as far as no browser is needed.
#include "raw_connection.hpp"
#include "rig.hpp"

#include "catch.hpp"

#include <csignal>
#include <optional>
#include <string_view>

namespace tests::e2e_events {

using namespace e2e;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

/// A client of GET /events.
class Listener {
  public:
    explicit Listener(Rig& rig) : Listener{RawConnection{rig.hub().port()}} {}
    explicit Listener(RawConnection connection) : connection_{std::move(connection)} {
        REQUIRE(connection_.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    }

    /// The next event. @return null: the stream has ended
    json next() {
        for (;;) {
            const auto begin = received_.find("data: ");
            const auto end = begin == std::string::npos ? begin : received_.find("\n\n", begin);
            if (end != std::string::npos) {
                json event = json::parse(received_.substr(begin + 6, end - begin - 6));
                received_.erase(0, end + 2);
                return event;
            }
            const std::string more = connection_.receive("\n\n");
            if (more.empty()) return {};
            received_ += more;
        }
    }

    /// The first event in which CORE has that state.
    json next_with(const std::string& state) {
        for (;;) {
            json event = next();
            if (event.is_null() || event.at("targets").at("CORE").at("state") == state) return event;
        }
    }

    [[nodiscard]] const std::string& unread() const { return received_; }

  private:
    RawConnection connection_;
    std::string received_;
};

std::uint64_t sum(const json& counts) {
    std::uint64_t result = 0;
    for (const json& count : counts) result += count.get<std::uint64_t>();
    return result;
}

void open_and_close_core(Rig& rig) {
    rig.set("CORE", {{"mode", "fail"}});
    REQUIRE(rig.call("CORE").code() == "E500");
    rig.set("CORE", {{"mode", "normal"}});
    REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
}

} // namespace

TEST_CASE("RelayHub: a stream of events begins at once and goes on by itself") {
    Rig rig;
    rig.start_hub();
    Listener listener{rig};
    const json first = listener.next();
    const json second = listener.next();
    REQUIRE(second.is_object());
    CHECK(first.at("now") < second.at("now"));
    CHECK(first.at("protection") == true);
    // The same as GET /targets says.
    json seen = second.at("targets").at("CORE");
    json reported = rig.report("CORE");
    for (json* report : {&seen, &reported}) report->erase("recent");
    CHECK(seen == reported);
}

TEST_CASE("RelayHub: a stream of events shows a change of state at once") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.001"});
    Listener listener{rig};
    REQUIRE(listener.next().is_object());
    auto waited = 0ns;
    for (int i = 0; i < 5; ++i) {
        rig.set("CORE", {{"mode", "fail"}});
        REQUIRE(rig.call("CORE").code() == "E500");
        const auto begin = steady_clock::now();
        const json event = listener.next_with("OPEN");
        waited += steady_clock::now() - begin;
        const json& change = event.at("targets").at("CORE").at("transitions").at(0);
        CHECK(change.at("from") == "CLOSED");
        CHECK(change.at("to") == "OPEN");
        CHECK(change.at("reason") == "consecutive_failures");
        CHECK(change.at("failures") == 1);
        rig.set("CORE", {{"mode", "normal"}});
        REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
        REQUIRE(listener.next_with("CLOSED").is_object());
    }
    // Without being told, each would have come a second after the one before.
    CHECK(waited < 3s);
}

TEST_CASE("RelayHub: the last changes of state are kept, the newest first") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.001"});
    CHECK(rig.report("CORE").at("transitions").empty());
    open_and_close_core(rig);
    json changes = rig.report("CORE").at("transitions");
    REQUIRE(changes.size() == 3);
    CHECK(changes.at(0).at("reason") == "probes_succeeded");
    CHECK(changes.at(1).at("reason") == "reset_timeout");
    CHECK(changes.at(2).at("reason") == "consecutive_failures");
    CHECK(changes.at(2).at("at") <= changes.at(0).at("at"));
    CHECK(changes.at(0).at("generation") == rig.report("CORE").at("generation"));
    CHECK(changes.at(2).at("generation") == 2);
    for (int i = 0; i < 3; ++i) open_and_close_core(rig);
    changes = rig.report("CORE").at("transitions");
    CHECK(changes.size() == 10);
    CHECK(changes.at(0).at("to") == "CLOSED");
    CHECK(rig.report("CLAIM").at("transitions").empty());
}

TEST_CASE("RelayHub: the last events of a circuit are kept where the config asks for it") {
    Rig rig;
    rig.start_hub_with({{"fail_threshold", 2}, {"targets", {{"CLAIM", {{"history", 0}}}}}},
                       {"--history", "4"});
    CHECK(rig.report("CORE").at("history") == 4);
    CHECK(rig.report("CLAIM").at("history") == 0);
    const auto history = [&](const std::string& target) {
        return example::JsonClient{rig.hub().port()}.get("/targets/" + target + "/history");
    };
    CHECK(history("CORE").body == json{{"events", json::array()}});
    rig.set("CORE", {{"mode", "fail"}});
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CORE").code() == "E500");
    CHECK(rig.call("CLAIM").code() == "0000");
    const json events = history("CORE").body.at("events");
    REQUIRE(events.size() == 3);
    CHECK(events.at(0).at("kind") == "failure");
    CHECK(events.at(0).at("failures") == 1);
    CHECK_FALSE(events.at(0).contains("reason"));
    const json& opening = events.at(2);
    CHECK(opening.at("number") == 2);
    CHECK(opening.at("kind") == "transition");
    CHECK(opening.at("from") == "CLOSED");
    CHECK(opening.at("to") == "OPEN");
    CHECK(opening.at("reason") == "consecutive_failures");
    CHECK(opening.at("generation") == 2);
    CHECK(opening.at("failures") == 2);
    CHECK(opening.at("at") == rig.report("CORE").at("since"));
    // Room for four: the first is gone.
    REQUIRE(rig.command("CORE", "force-open").status == 200);
    REQUIRE(rig.command("CORE", "reset").status == 200);
    CHECK(history("CORE").body.at("events").at(0).at("number") == 1);
    CHECK(history("CLAIM").body == json{{"events", json::array()}});
    CHECK(history("NOBODY").code() == "E404");
    CHECK(history("CORE/x").status == 404);
}

TEST_CASE("RelayHub: what became of the last minutes' requests is counted in steps") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "2", "--reset-timeout", "600"});
    for (int i = 0; i < 3; ++i) REQUIRE(rig.call("CORE").code() == "0000");
    rig.set("CORE", {{"mode", "fail"}});
    for (int i = 0; i < 2; ++i) REQUIRE(rig.call("CORE").code() == "E500");
    for (int i = 0; i < 4; ++i) REQUIRE(rig.call("CORE").code() == "E904");
    const json recent = rig.report("CORE").at("recent");
    CHECK(recent.at("succeeded").size() == 90);
    CHECK(recent.at("step_seconds") == 2);
    CHECK(sum(recent.at("succeeded")) == 3);
    CHECK(sum(recent.at("failed")) == 2);
    CHECK(sum(recent.at("refused")) == 4);
    CHECK(sum(rig.report("CLAIM").at("recent").at("succeeded")) == 0);
}

TEST_CASE("RelayHub: there are as many streams of events as there may be, and no more") {
    Rig rig;
    rig.start_hub();
    std::vector<std::optional<Listener>> listeners(8);
    for (auto& listener : listeners) {
        listener.emplace(rig);
        REQUIRE(listener->next().is_object());
    }
    const RawConnection ninth{rig.hub().port()};
    REQUIRE(ninth.send("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    const std::string refusal = ninth.receive("}");
    CHECK(refusal.starts_with("HTTP/1.1 503 "));
    CHECK(refusal.find("\r\nRetry-After: 5\r\n") != std::string::npos);
    CHECK(refusal.find("GET /targets") != std::string::npos);
    // Who leaves makes room, and soon.
    const auto begin = steady_clock::now();
    listeners.front().reset();
    CHECK(eventually([&] {
        Listener another{rig};
        return another.next().is_object();
    }));
    CHECK(steady_clock::now() - begin < 20s);
}

TEST_CASE("RelayHub: streams of events take no thread that a call needs") {
    Rig rig;
    rig.start_hub({"--max-inflight", "1", "--call-timeout", "30"});
    const auto threads = rig.health().at("threads_at_most").get<std::size_t>();
    // All threads but those of the two compartments and the streams, by clients that are slow to ask.
    std::vector<Listener> listeners;
    for (int i = 0; i < 8; ++i) {
        listeners.emplace_back(rig);
        REQUIRE(listeners.back().next().is_object());
    }
    rig.set("CORE", {{"mode", "hang"}});
    auto held = rig.call_at_once("CORE", 1);
    REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 1; }));
    CHECK(threads == 2 + 64 + 8);
    std::vector<RawConnection> slow;
    for (std::size_t i = 0; i < threads - 8 - 2; ++i) {
        slow.emplace_back(rig.hub().port());
        REQUIRE(slow.back().send("POST /t"));
    }
    for (int i = 0; i < 5; ++i) {
        const HttpAnswer answer = rig.call("CLAIM");
        CHECK(answer.code() == "0000");
        CHECK(answer.took < 3s);
    }
    for (Listener& listener : listeners) CHECK(listener.next().is_object());
    rig.set("CORE", {{"mode", "normal"}});
    CHECK(held.front().get().code() == "E902");
}

TEST_CASE("RelayHub: a signal ends streams of events at once") {
    Rig rig;
    rig.start_hub();
    Listener listener{rig};
    REQUIRE(listener.next().is_object());
    CHECK(rig.hub().stop(3s) == 0);
    while (!listener.next().is_null()) {}
    // To its proper end, which a chunk of no length marks.
    CHECK(listener.unread().ends_with("\r\n0\r\n\r\n"));
}

TEST_CASE("RelayHub: a stream that is not read holds up neither another nor the end") {
    Rig rig;
    // Targets that make an event of more than the kernel keeps for the stalled client.
    json config{{"max_inflight", 1}};
    for (int i = 0; i < 300; ++i)
        config["targets"]["T" + std::to_string(i)]["url"] = rig.target("CORE").url();
    rig.start_hub_with(config);
    const Listener stalled{RawConnection::with_little_room(rig.hub().port())};
    httplib::Client client{"127.0.0.1", rig.hub().port()};
    client.set_read_timeout(60);
    int events = 0;
    client.Get("/events", [&](const char* text, std::size_t size) {
        events += std::string_view{text, size}.ends_with("\n\n") ? 1 : 0;
        return events < 2;
    });
    REQUIRE(events == 2);
    const auto begin = steady_clock::now();
    CHECK(rig.hub().stop(30s) == 0);
    // The stalled client's first event began a second ago, and would be given up 5 s after that.
    CHECK(steady_clock::now() - begin < 3s);
}

TEST_CASE("RelayHub: the page comes with a policy that lets nothing else in") {
    Rig rig;
    rig.start_hub();
    httplib::Client client{"127.0.0.1", rig.hub().port()};
    const httplib::Result result = client.Get("/");
    REQUIRE(result);
    CHECK(result->status == 200);
    CHECK(result->get_header_value("Content-Type") == "text/html; charset=utf-8");
    CHECK(result->get_header_value("X-Content-Type-Options") == "nosniff");
    CHECK(result->get_header_value("Referrer-Policy") == "no-referrer");
    const std::string policy = result->get_header_value("Content-Security-Policy");
    CHECK(policy.starts_with("default-src 'none'; script-src 'sha256-"));
    CHECK(policy.find("frame-ancestors 'none'") != std::string::npos);
    CHECK(policy.find("unsafe") == std::string::npos);
    CHECK(policy.find("http") == std::string::npos);
    // Nothing is loaded from anywhere: the page is whole.
    for (const char* part : {" src=", "@import", "url(", " style=", " onclick="}) {
        INFO(part);
        CHECK(result->body.find(part) == std::string::npos);
    }
    CHECK(result->body.starts_with("<!doctype html>"));
    CHECK(result->body.ends_with("</html>\n"));
}

} // namespace tests::e2e_events
