// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "catch.hpp"

#include <algorithm>
#include <csignal>

namespace tests::e2e_flaky_service {

using namespace e2e;
using namespace std::chrono_literals;
using example::JsonClient;

namespace {

/// A flaky_service process with one client.
struct Flaky {
    explicit Flaky(const Words& options = {}) : service{start(options)}, client{service.port()} {}

    [[nodiscard]] int status(const std::string& path) { return client.get(path).status; }
    [[nodiscard]] json count() { return client.get("/count").body; }
    /// The next answers of /flaky, a character each.
    [[nodiscard]] std::string draw(int answers, const std::string& path = "/flaky") {
        std::string drawn;
        for (int i = 0; i < answers; ++i) drawn += status(path) == 500 ? 'x' : '.';
        return drawn;
    }

    example::TemporaryDirectory directory;
    Service service;
    JsonClient client;

  private:
    [[nodiscard]] Service start(const Words& options) const {
        Words all{"--listen", "127.0.0.1:0"};
        all.insert(all.end(), options.begin(), options.end());
        return Service{program("flaky_service"), all, directory.path() / "errors"};
    }
};

} // namespace

TEST_CASE("FlakyService: each path answers in its way") {
    Flaky flaky;
    CHECK(flaky.status("/fast") == 200);
    CHECK(flaky.status("/always500") == 500);
    CHECK(flaky.status("/bad") == 400);
    CHECK(flaky.status("/nowhere") == 404);
    const HttpAnswer slow = flaky.client.get("/slow?delay_ms=200");
    CHECK(slow.status == 200);
    CHECK(slow.took >= 200ms);
    CHECK(flaky.draw(20, "/flaky?p=0") == std::string(20, '.'));
    CHECK(flaky.draw(20, "/flaky?p=1") == std::string(20, 'x'));
}

TEST_CASE("FlakyService: counts requests per path and in total, its own questions left out") {
    Flaky flaky;
    CHECK(flaky.count() == json{{"total", 0},
                                {"per_path",
                                 {{"/fast", 0},
                                  {"/slow", 0},
                                  {"/always500", 0},
                                  {"/bad", 0},
                                  {"/flaky", 0},
                                  {"other", 0}}}});
    for (const char* path : {"/fast", "/fast", "/fast", "/slow?delay_ms=0", "/always500", "/always500",
                             "/bad", "/flaky?p=0.5", "/nowhere", "/fast/"})
        static_cast<void>(flaky.status(path));
    static_cast<void>(flaky.count());
    CHECK(flaky.count() == json{{"total", 10},
                                {"per_path",
                                 {{"/fast", 3},
                                  {"/slow", 1},
                                  {"/always500", 2},
                                  {"/bad", 1},
                                  {"/flaky", 1},
                                  {"other", 2}}}});
}

TEST_CASE("FlakyService: counts a request when it is received, not when it is answered") {
    Flaky flaky;
    auto slow = std::async(std::launch::async, [port = flaky.service.port()] {
        return JsonClient{port}.get("/slow?delay_ms=60000");
    });
    CHECK(eventually([&] { return flaky.count().at("per_path").at("/slow") == 1; }));
    CHECK(flaky.service.stop(20s) == 0); // and the signal does not wait for it
    CHECK(slow.get().status == 0);
}

TEST_CASE("FlakyService: the seed decides which calls fail") {
    Flaky first{{"--seed", "7"}};
    Flaky same{{"--seed", "7"}};
    Flaky other{{"--seed", "8"}};
    const std::string drawn = first.draw(100);
    CHECK(drawn == same.draw(100));
    CHECK(drawn != other.draw(100));
    // 30 are to be expected; these bounds are wrong once in some million seeds, and the seed is fixed.
    const auto failures = std::count(drawn.begin(), drawn.end(), 'x');
    CHECK(failures > 8);
    CHECK(failures < 55);
}

TEST_CASE("FlakyService: a parameter that makes no sense is the caller's fault") {
    Flaky flaky;
    for (const char* path :
         {"/flaky?p=", "/flaky?p=often", "/flaky?p=1.01", "/flaky?p=-0.1", "/flaky?p=nan",
          "/flaky?p=0.5x", "/slow?delay_ms=", "/slow?delay_ms=-1", "/slow?delay_ms=60001",
          "/slow?delay_ms=1.5", "/slow?delay_ms=99999999999999999999"}) {
        INFO(path);
        CHECK(flaky.status(path) == 400);
    }
}

TEST_CASE("FlakyService: a signal ends it") {
    for (const int signal : {SIGTERM, SIGINT}) {
        Flaky flaky;
        flaky.service.process().send_signal(signal);
        CHECK(flaky.service.process().wait(std::chrono::steady_clock::now() + 20s) == 0);
    }
}

TEST_CASE("FlakyService: a bad option is refused with its name and exit status 2") {
    for (const Words& options : std::vector<Words>{{"--listen", "nonsense"},
                                                   {"--listen", ""},
                                                   {"--listen", "127.0.0.1:65536"},
                                                   {"--seed", "-1"},
                                                   {"--seed", "1.5"},
                                                   {"--seed", ""},
                                                   {"--seed", "18446744073709551616"},
                                                   {"--no-such-option"}}) {
        INFO(options.front() << " '" << options.back() << "'");
        const ShortRun run = run_program("flaky_service", options);
        CHECK(run.status == 2);
        CHECK(run.errors.find(options.front()) != std::string::npos);
        CHECK(run.output.empty());
    }
}

TEST_CASE("FlakyService: prints its options and its version") {
    const ShortRun help = run_program("flaky_service", {"--help"});
    CHECK(help.status == 0);
    for (const char* text : {"--listen", "127.0.0.1:8110", "--seed"})
        CHECK(help.output.find(text) != std::string::npos);
    CHECK(run_program("flaky_service", {"--version"}).output.find("flaky_service 0.") == 0);
}

TEST_CASE("FlakyService: an address in use is an error at the start") {
    Flaky flaky;
    const std::string address = "127.0.0.1:" + std::to_string(flaky.service.port());
    const ShortRun second = run_program("flaky_service", {"--listen", address});
    CHECK(second.status == 1);
    CHECK(second.errors.find(address) != std::string::npos);
}

} // namespace tests::e2e_flaky_service
