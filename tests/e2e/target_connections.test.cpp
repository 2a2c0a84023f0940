// SPDX-License-Identifier: MIT
// The hub's connections to its targets: kept and used again, and lacking what the hub's own system has
// not got.
#include "crooked_target.hpp"
#include "process_limit.hpp"
#include "rig.hpp"

#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tests::e2e_target_connections {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

const std::string good = http_answer(R"({"code":"0000"})");

/// A hub with one more target, BAD, that serves several connections at a time and counts.
class ConnectionRig : public Rig {
  public:
    explicit ConnectionRig(std::function<void(const Victim&)> answer, const Words& options = {})
        : bad_{[this, answer = std::move(answer)](const Victim& victim) {
                   ++connections;
                   answer(victim);
               },
               0, 4} {
        Words all{"--target", "BAD=" + bad_.url()};
        all.insert(all.end(), options.begin(), options.end());
        start_hub(all);
    }

    std::atomic<int> connections = 0;

  private:
    CrookedTarget bad_;
};

/// A hub that meets a network as tests/e2e/scarce_network.cpp makes it.
class ScarceRig : public Rig {
  public:
    explicit ScarceRig(const std::string& network, const Words& options = {}) {
        set_network(network);
        ::setenv("E2E_NETWORK", file().c_str(), 1);
        ::setenv("LD_PRELOAD", E2E_SCARCE_NETWORK, 1);
        try {
            start_hub(options);
        } catch (...) {
            unset();
            throw;
        }
        unset();
    }

    void set_network(const std::string& text) {
        const std::filesystem::path next = directory() / "network.next";
        example::write_text_file(next, text);
        std::filesystem::rename(next, file());
    }

  private:
    static void unset() {
        ::unsetenv("LD_PRELOAD");
        ::unsetenv("E2E_NETWORK");
    }
    [[nodiscard]] std::filesystem::path file() const { return directory() / "network"; }
};

void check_own_failure(Rig& rig) {
    const HttpAnswer answer = rig.call("CORE");
    CHECK(answer.status == 500);
    CHECK(answer.code() == "E999");
    CHECK(answer.body.at("target") == "CORE");
    const json report = rig.report("CORE");
    CHECK(report.at("state") == "CLOSED");
    CHECK(report.at("failures") == 0);
    CHECK(report.at("in_flight") == 0);
}

} // namespace

TEST_CASE("RelayHub: calls one after the other use one connection") {
    ConnectionRig rig{[](const Victim& victim) {
        do victim.send(good);
        while (victim.next_request());
    }};
    for (int i = 0; i < 20; ++i) REQUIRE(rig.call("BAD").code() == "0000");
    CHECK(rig.connections == 1);
}

TEST_CASE("RelayHub: a connection that the target wants closed is not used again") {
    ConnectionRig rig{[](const Victim& victim) {
        do victim.send(http_answer(R"({"code":"0000"})", "Connection: close\r\n"));
        while (victim.next_request());
    }};
    for (int i = 0; i < 5; ++i) REQUIRE(rig.call("BAD").code() == "0000");
    CHECK(rig.connections == 5);
}

TEST_CASE("RelayHub: an idle connection is closed after a while") {
    std::atomic<bool> has_ended = false;
    ConnectionRig rig{[&](const Victim& victim) {
        victim.send(http_answer(R"({"code":"0000"})", "Keep-Alive: timeout=2\r\n"));
        victim.wait_for_end();
        has_ended = true;
    }};
    CHECK(rig.call("BAD").code() == "0000");
    CHECK(eventually([&] { return has_ended.load(); }));
}

TEST_CASE("RelayHub: a target that closes each connection after its answer fails no call") {
    SECTION("at once") {
        ConnectionRig rig{[](const Victim& victim) { victim.send(good); }};
        for (int i = 0; i < 20; ++i) REQUIRE(rig.call("BAD").code() == "0000");
        CHECK(rig.report("BAD").at("failures") == 0);
    }
    SECTION("a moment later, whatever came meanwhile") {
        ConnectionRig rig{[](const Victim& victim) {
            victim.send(good);
            std::this_thread::sleep_for(30ms);
        }};
        for (int i = 0; i < 10; ++i) REQUIRE(rig.call("BAD").code() == "0000");
        CHECK(rig.report("BAD").at("failures") == 0);
    }
    SECTION("with a reset") {
        ConnectionRig rig{[](const Victim& victim) {
            victim.send(good);
            victim.reset_at_end();
        }};
        for (int i = 0; i < 20; ++i) REQUIRE(rig.call("BAD").code() == "0000");
        CHECK(rig.report("BAD").at("failures") == 0);
    }
}

TEST_CASE("RelayHub: a request that the target has read is not sent again") {
    std::atomic<int> requests = 0;
    ConnectionRig rig{[&](const Victim& victim) {
        ++requests;
        victim.send(http_answer(R"({"code":"0000"})", "Connection: keep-alive\r\n"));
        if (victim.next_request()) ++requests; // and no answer
    }};
    CHECK(rig.call("BAD").code() == "0000");
    CHECK(rig.call("BAD").code() == "E902");
    CHECK(requests == 2);
    CHECK(rig.report("BAD").at("failures") == 1);
    CHECK(rig.call("BAD").code() == "0000");
    CHECK(requests == 3);
}

TEST_CASE("RelayHub: a target that was started again is reached at the next call") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1"});
    const std::string port = std::to_string(rig.target("CORE").port());
    for (int i = 0; i < 3; ++i) REQUIRE(rig.call("CORE").code() == "0000");
    REQUIRE(rig.target("CORE").stop(30s) == 0);
    const Service again{program("target_simulator"), {"--port", port}, rig.directory() / "again.err"};
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("failures") == 0);
}

TEST_CASE("RelayHub: an answer that came while the hub was stopped is in time, and not slow") {
    // More than the kernel takes at once, and less.
    const std::size_t size = GENERATE(std::size_t{0}, std::size_t{900'000});
    std::atomic<int> requests = 0;
    std::atomic<bool> is_stopped = false;
    const CrookedTarget target{[&](const Victim& victim) {
        do {
            ++requests;
            while (!is_stopped) std::this_thread::sleep_for(1ms);
            if (!victim.send(http_answer(R"({"code":"0000"})" + std::string(size, ' ')))) return;
        } while (victim.next_request());
    }};
    Rig rig;
    const json policy{{"type", "count_window"},
                      {"minimum_calls", 1},
                      {"failure_rate", 1},
                      {"slow_calls", {{"longer_than", 0.5}, {"rate", 1}}}};
    rig.start_hub_with({{"targets", {{"BAD", {{"url", target.url()}, {"policy", policy}}}}}},
                       {"--call-timeout", "1"});
    for (const auto stop : {700ms, 2500ms}) {
        is_stopped = false;
        const int before = requests;
        auto answer = rig.call_at_once("BAD", 1);
        REQUIRE(eventually([&] { return requests == before + 1; }));
        rig.hub().process().send_signal(SIGSTOP);
        is_stopped = true;
        std::this_thread::sleep_for(stop);
        rig.hub().process().send_signal(SIGCONT);
        CHECK(answer.front().get().code() == "0000");
        const json report = rig.report("BAD");
        CHECK(report.at("state") == "CLOSED");
        CHECK(report.at("failures") == 0);
        CHECK(report.at("judged").at("slow") == 0);
    }
}

TEST_CASE("RelayHub: without a descriptor for a connection it fails itself, and no target does") {
    if (is_instrumented) {
        SUCCEED("a sanitizer takes descriptors of its own to check an object");
        return;
    }
    Rig rig;
    rig.start_hub({"--fail-threshold", "1"});
    const pid_t hub = rig.hub().process().id();
    // The lowest number that is free goes to the client's connection, and the limit is at the next one.
    const auto next_free = [hub](rlim_t from) {
        const std::filesystem::path all = "/proc/" + std::to_string(hub) + "/fd";
        while (std::filesystem::is_symlink(all / std::to_string(from))) ++from;
        return from;
    };
    const rlimit before = limit_of(hub, RLIMIT_NOFILE);
    set_limit(hub, RLIMIT_NOFILE, {next_free(next_free(0) + 1), before.rlim_max});
    for (int i = 0; i < 3; ++i) check_own_failure(rig);
    set_limit(hub, RLIMIT_NOFILE, before);
    CHECK(rig.call("CORE").code() == "0000");
    CHECK(rig.report("CORE").at("answers") == json{{"0000", 1}, {"E999", 3}});
}

TEST_CASE("RelayHub: what its own system lacks is no failure of a target, also while it probes") {
    if (is_instrumented) {
        SUCCEED("a sanitizer suffers no library before its own");
        return;
    }
    for (const auto& [call, error] : {std::pair{"socket", EMFILE},
                                      {"socket", ENFILE},
                                      {"socket", ENOBUFS},
                                      {"socket", ENOMEM},
                                      {"connect", EADDRNOTAVAIL},
                                      {"connect", ENOBUFS},
                                      {"connect", ENOMEM},
                                      {"connect", EAGAIN}}) {
        INFO(call << ' ' << error);
        ScarceRig rig{"", {"--fail-threshold", "1", "--reset-timeout", "0.05"}};
        const std::string shortage = std::string{call} + " " + std::to_string(error);
        rig.set_network(shortage);
        for (int i = 0; i < 2; ++i) check_own_failure(rig);
        // A connection that is refused is the target's.
        rig.set_network("connect " + std::to_string(ECONNREFUSED));
        CHECK(rig.call("CORE").code() == "E902");
        CHECK(rig.report("CORE").at("state") == "OPEN");
        rig.set_network(shortage);
        CHECK(eventually([&] { return rig.call("CORE").code() == "E999"; }));
        CHECK(rig.report("CORE").at("state") == "HALF_OPEN");
        rig.set_network("");
        CHECK(rig.call("CORE").code() == "0000");
        CHECK(rig.report("CORE").at("state") == "CLOSED");
    }
}

TEST_CASE("RelayHub: every address of a host is tried, and a host that moves is found") {
    if (is_instrumented) {
        SUCCEED("the same");
        return;
    }
    const CrookedTarget target{[](const Victim& victim) {
        do victim.send(good);
        while (victim.next_request());
    }};
    const std::string port = target.url().substr(target.url().rfind(':'));
    ScarceRig rig{"addresses 127.0.0.2 127.0.0.3 127.0.0.1",
                  {"--target", "FAR=http://elsewhere.test" + port, "--fail-threshold", "1000"}};
    CHECK(rig.call("FAR").code() == "0000");
    CHECK(rig.report("FAR").at("failures") == 0);

    ScarceRig moving{"addresses 127.0.0.2",
                     {"--target", "FAR=http://elsewhere.test" + port, "--fail-threshold", "1000"}};
    CHECK(moving.call("FAR").code() == "E902");
    moving.set_network("addresses 127.0.0.1");
    CHECK(eventually([&] { return moving.call("FAR").code() == "0000"; }));
    // A lookup that fails changes nothing.
    moving.set_network("");
    CHECK(moving.call("FAR").code() == "0000");
}

} // namespace tests::e2e_target_connections
