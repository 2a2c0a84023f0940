// SPDX-License-Identifier: MIT
#include "rig.hpp"

#include "../../examples/common/log_line.hpp"
#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <sstream>
#include <thread>

namespace tests::e2e_breaker_drill {

using namespace e2e;
using namespace std::chrono_literals;
using example::JsonClient;

namespace {

/// A run of the drill and what it leaves behind.
struct DrillRun {
    explicit DrillRun(const Words& options) { again(options); }

    void again(const Words& options) {
        Words all{"--out", out().string()};
        all.insert(all.end(), options.begin(), options.end());
        run = run_program("breaker_drill", all);
    }

    [[nodiscard]] std::filesystem::path out() const { return directory.path() / "deep" / "out"; }
    [[nodiscard]] std::string text(const std::string& name) const {
        return example::read_text_file(out() / name);
    }
    [[nodiscard]] json read(const std::string& name) const { return json::parse(text(name)); }
    /// The steps in state.json: their names, or where the breaker stood after them.
    [[nodiscard]] Words column(const std::string& field) const {
        const json state = read("state.json");
        Words result;
        for (const json& step : state.at("steps")) result.push_back(step.at(field));
        return result;
    }
    [[nodiscard]] bool says(const std::string& text) const {
        return (run.output + run.errors).find(text) != std::string::npos;
    }

    example::TemporaryDirectory directory;
    ShortRun run{};
};

json row(const char* step, const char* state, int failures, const json& rate, int generation) {
    return {{"step", step},
            {"state", state},
            {"failures", failures},
            {"window_size", 10},
            {"minimum_calls", 5},
            {"failure_rate", rate},
            {"failure_rate_threshold", 0.5},
            {"permitted_in_half_open", 3},
            {"generation", generation}};
}

void check_transitions(const DrillRun& drill) {
    std::istringstream log{drill.text("transitions.log")};
    std::string line;
    for (const char* change : {"CLOSED->OPEN", "OPEN->HALF_OPEN", "HALF_OPEN->CLOSED"}) {
        REQUIRE(std::getline(log, line));
        INFO(line);
        CHECK(example::is_log_line(line, "flaky_service", change));
    }
    CHECK_FALSE(std::getline(log, line));
}

void check_four_files(const DrillRun& drill) {
    INFO(drill.run.output << drill.run.errors);
    CHECK(drill.run.status == 0);
    const json steps{row("healthy", "CLOSED", 0, nullptr, 1),  row("trip", "OPEN", 3, 0.5, 2),
                     row("fastfail", "OPEN", 3, 0.5, 2),       row("wait", "OPEN", 3, 0.5, 2),
                     row("probe", "HALF_OPEN", 0, nullptr, 3), row("recover", "CLOSED", 0, nullptr, 4),
                     row("ignore4xx", "CLOSED", 0, 0.0, 1)};
    json state = steps.back();
    state["steps"] = steps;
    CHECK(drill.read("state.json") == state);

    json fresh = row("", "CLOSED", 0, 0.0, 1);
    fresh.erase("step");
    CHECK(drill.read("ignore4xx.json") == fresh);

    long before = -1;
    long after = -1;
    int blocked = -1;
    double max_ms = -1;
    const std::string line = drill.text("fastfail.txt");
    REQUIRE(std::sscanf(line.c_str(), "before=%ld after=%ld blocked=%d max_ms=%lf", &before, &after,
                        &blocked, &max_ms) == 4);
    CHECK(std::count(line.begin(), line.end(), '\n') == 1);
    CHECK(before == after);
    CHECK(before == 6);
    CHECK(blocked == 10);
    CHECK(max_ms >= 0);
    CHECK(max_ms < 1000); // some microseconds; the rest is for a machine that is busy elsewhere

    check_transitions(drill);
}

/// A row of the table of the flicker.
struct Flicker {
    int chance, probes, closes, half_opens;
    double rate, expected;
    int flips, failed, refused, served;
};

std::vector<Flicker> flicker_table(const std::string& output) {
    std::vector<Flicker> rows;
    std::istringstream lines{output};
    for (std::string line; std::getline(lines, line);) {
        Flicker row{};
        if (std::sscanf(line.c_str(), " %d %% %d %d / %d = %lf %lf %d %d %d %d", &row.chance,
                        &row.probes, &row.closes, &row.half_opens, &row.rate, &row.expected, &row.flips,
                        &row.failed, &row.refused, &row.served) == 10)
            rows.push_back(row);
    }
    return rows;
}

/// Something that can be taken for a flaky_service: it says 200 to everything.
class WellService {
  public:
    WellService() {
        server_.Get("/count", [this](const httplib::Request&, httplib::Response& response) {
            response.set_content(R"({"total":)" + std::to_string(total_) + "}", "application/json");
        });
        server_.Get("/.*", [this](const httplib::Request&, httplib::Response& response) {
            ++total_;
            response.set_content("{}", "application/json");
        });
        port_ = server_.bind_to_any_port("127.0.0.1");
        thread_ = std::thread{[this] { server_.listen_after_bind(); }};
        while (!server_.is_running()) std::this_thread::sleep_for(1ms);
    }
    ~WellService() {
        server_.stop();
        thread_.join();
    }
    WellService(const WellService&) = delete;
    WellService& operator=(const WellService&) = delete;

    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  private:
    httplib::Server server_;
    std::atomic<int> total_ = 0;
    int port_ = 0;
    std::thread thread_;
};

} // namespace

TEST_CASE("BreakerDrill: plays a whole life against a service of its own, and shows the flicker") {
    const DrillRun drill{{"--open-wait", "1"}};
    check_four_files(drill);

    const std::vector<Flicker> rows = flicker_table(drill.run.output);
    REQUIRE(rows.size() == 8);
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        const Flicker& one = rows[i];
        const Flicker& three = rows[i + 1];
        CHECK(one.chance == three.chance);
        CHECK(one.probes == 1);
        CHECK(three.probes == 3);
        for (const Flicker& row : {one, three}) {
            CHECK(row.failed + row.refused + row.served == 800);
            // Each half-open period ends in one way or the other; only the last may not have ended.
            CHECK(row.flips - row.half_opens + row.closes <= row.half_opens);
            CHECK(row.flips - row.half_opens + row.closes >= row.half_opens - 1);
        }
        if (one.chance >= 70) CHECK(one.closes > three.closes);
    }
}

TEST_CASE("BreakerDrill: plays a whole life against a service that is there already") {
    const example::TemporaryDirectory directory;
    Service service{program("flaky_service"), {"--listen", "127.0.0.1:0"}, directory.path() / "errors"};
    const DrillRun drill{{"--url", service.url(), "--open-wait", "1"}};
    check_four_files(drill);
    const json counted = JsonClient{service.port()}.get("/count").body.at("per_path");
    CHECK(counted.at("/fast") == 6);
    CHECK(counted.at("/always500") == 3);
    CHECK(counted.at("/bad") == 10);
    CHECK(counted.at("/flaky") > 0);
    CHECK(counted.at("other") == 0);
}

TEST_CASE("BreakerDrill: one step is played after those that it needs, by name or number") {
    const Words life{"healthy", "trip", "fastfail", "wait", "probe", "recover"};
    DrillRun drill{{"--steps", "recover", "--open-wait", "0.2"}};
    CHECK(drill.run.status == 0);
    CHECK(drill.column("step") == life);
    CHECK(drill.read("state.json").at("state") == "CLOSED");
    CHECK(drill.read("state.json").at("step") == "recover");
    check_transitions(drill);

    // What an earlier run left behind is gone, what another program put there is not.
    std::filesystem::copy_file(drill.out() / "fastfail.txt", drill.out() / "keep.txt");
    drill.again({"--steps", "2"});
    CHECK(drill.run.status == 0);
    CHECK(drill.column("step") == Words{"healthy", "trip"});
    CHECK(drill.column("state") == Words{"CLOSED", "OPEN"});
    CHECK(drill.read("state.json").at("state") == "OPEN");
    CHECK(drill.read("state.json").at("failures") == 3);
    CHECK_FALSE(std::filesystem::exists(drill.out() / "fastfail.txt"));
    CHECK(std::filesystem::exists(drill.out() / "keep.txt"));
    CHECK(drill.text("transitions.log").find("->OPEN\n") != std::string::npos);
    CHECK(drill.text("transitions.log").find("HALF_OPEN") == std::string::npos);

    drill.again({"--steps", "ignore4xx"});
    CHECK(drill.run.status == 0);
    CHECK(drill.column("step") == Words{"ignore4xx"});
    CHECK(drill.read("ignore4xx.json").at("state") == "CLOSED");
    CHECK(drill.text("transitions.log").empty());
}

TEST_CASE("BreakerDrill: a service that does not fail as it should is noticed") {
    const WellService well;
    const DrillRun drill{{"--url", well.url(), "--steps", "trip"}};
    CHECK(drill.run.status == 1);
    CHECK(drill.says("FAIL  trip"));
    CHECK(drill.says("answers: 5 x 200, expected 3 x 500"));
    CHECK(drill.says("state: CLOSED, expected OPEN"));
    CHECK(drill.says("ok    healthy"));
    CHECK(drill.column("state") == Words{"CLOSED", "CLOSED"});

    const DrillRun flicker{{"--url", well.url(), "--steps", "flicker"}};
    CHECK(flicker.run.status == 1);
    CHECK(flicker.says("FAIL  callers that failed there"));
}

TEST_CASE("BreakerDrill: a URL where no flaky_service answers is an error that says so") {
    Rig rig;
    REQUIRE(rig.target("CLAIM").stop(20s) == 0);
    const std::string nobody = rig.target("CLAIM").url();
    for (const char* step : {"all", "flicker"}) {
        const DrillRun drill{{"--url", nobody, "--steps", step}};
        CHECK(drill.run.status == 1);
        CHECK(drill.says("no service answers at " + nobody));
    }
    const DrillRun drill{{"--url", rig.target("CORE").url()}};
    CHECK(drill.run.status == 1);
    CHECK(drill.says("is no flaky_service"));
}

TEST_CASE("BreakerDrill: a directory that cannot be is an error that says so") {
    const ShortRun run = run_program("breaker_drill", {"--out", "/dev/null/out"});
    CHECK(run.status == 1);
    CHECK(run.errors.find("--out: cannot write to /dev/null/out") != std::string::npos);
}

TEST_CASE("BreakerDrill: a bad option is refused with its name and exit status 2") {
    for (const Words& options : std::vector<Words>{{"--url", "127.0.0.1:8110"},
                                                   {"--url", "https://127.0.0.1:8110"},
                                                   {"--url", "http://127.0.0.1:0"},
                                                   {"--url", "http://127.0.0.1:8110/path"},
                                                   {"--url", ""},
                                                   {"--out", ""},
                                                   {"--open-wait", "0"},
                                                   {"--open-wait", "0.09"},
                                                   {"--open-wait", "-1"},
                                                   {"--open-wait", "3601"},
                                                   {"--open-wait", "nan"},
                                                   {"--open-wait", "3s"},
                                                   {"--open-wait", ""},
                                                   {"--steps", "0"},
                                                   {"--steps", "9"},
                                                   {"--steps", "nothing"},
                                                   {"--steps", ""},
                                                   {"--seed", "-1"},
                                                   {"--seed", "1", "--url", "http://127.0.0.1:8110"},
                                                   {"--no-such-option"}}) {
        INFO(options.front() << " '" << options.back() << "'");
        const ShortRun run = run_program("breaker_drill", options);
        CHECK(run.status == 2);
        CHECK(run.errors.find(options.front()) != std::string::npos);
        CHECK(run.output.empty());
    }
}

TEST_CASE("BreakerDrill: prints its options, its steps and its version") {
    const ShortRun help = run_program("breaker_drill", {"--help"});
    CHECK(help.status == 0);
    for (const char* text :
         {"--url", "--out", "--open-wait", "--steps", "--seed", "healthy", "trip", "fastfail", "wait",
          "probe", "recover", "ignore4xx", "flicker", "Exit status"})
        CHECK(help.output.find(text) != std::string::npos);
    CHECK(run_program("breaker_drill", {"--version"}).output.find("breaker_drill 0.") == 0);
}

} // namespace tests::e2e_breaker_drill
