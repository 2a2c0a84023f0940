// SPDX-License-Identifier: MIT
// The program as its users run it: files in, one JSON object out.
#include "../../../examples/common/temporary_directory.hpp"

#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <zlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace tests::whatif_program {

namespace {

using nlohmann::json;

struct Ran {
    int status;
    std::string out;
    std::string err;

    [[nodiscard]] json object() const { return json::parse(out); }
};

/// A directory with the files of a test, in which the program runs.
class Scene {
  public:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream{directory_.path() / name, std::ios::binary} << text;
    }
    void write_gzip(const std::string& name, const std::string& text) const {
        const gzFile file = ::gzopen((directory_.path() / name).c_str(), "ab"); // a member of its own
        REQUIRE(::gzwrite(file, text.data(), static_cast<unsigned>(text.size())) > 0);
        REQUIRE(::gzclose(file) == Z_OK);
    }
    [[nodiscard]] std::string read(const std::string& name) const {
        std::ifstream file{directory_.path() / name, std::ios::binary};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

    [[nodiscard]] Ran run(const std::string& arguments) const {
        const std::string command = "cd '" + directory_.path().string() + "' && '" + WHATIF_PROGRAM +
                                    "' " + arguments + " >out 2>err";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
    }

  private:
    example::TemporaryDirectory directory_;
};

std::string line(const std::string& time, const std::string& outcome, const std::string& elapsed = "10",
                 const std::string& target = "CORE") {
    return R"({"time":"2026-11-30T08:15:)" + time + R"(Z","target":")" + target + R"(","outcome":")" +
           outcome + R"(","elapsed_ms":)" + elapsed + ",\"in_flight\":1}\n";
}

const std::string outage = line("30", "success") + line("31", "failure") + line("31.1", "failure") +
                           line("31.2", "failure") + line("31.3", "success") + line("37.3", "success");
const std::string two = " --candidate 'consecutive_failures threshold=2 reset_timeout=5s' ";

json outage_row() {
    return {{"candidate", "consecutive_failures threshold=2 reset_timeout=5s"},
            {"openings", 1},
            {"reopenings", 0},
            {"open_seconds", 6.2},
            {"spared", 1},
            {"refused_good", 1}};
}

/// Compares what the format promises.
void check_outage(const json& target) {
    CHECK(target.at("calls") == 6);
    CHECK(target.at("failures") == 3);
    const json expected = outage_row();
    for (const auto& [key, value] : expected.items()) {
        CAPTURE(key);
        CHECK(target.at("candidates").at(0).at(key) == value);
    }
}

} // namespace

TEST_CASE("whatif: prints one JSON object about each target and candidate", "[whatif]") {
    const Scene scene;
    scene.write("log", outage + line("38", "success", "1", "PAY"));
    const Ran ran = scene.run("--json" + two + "--candidate time_window log");
    CHECK(ran.status == 0);
    CHECK(ran.err.empty());
    const json result = ran.object();
    CHECK(result.at("malformed") == 0);
    check_outage(result.at("targets").at("CORE"));
    CHECK(result.at("targets").at("CORE").at("refused") == 0);
    CHECK(result.at("targets").at("PAY").at("candidates").at(1).at("candidate") == "time_window");
    CHECK(result.at("targets").at("PAY").at("candidates").at(1).at("openings") == 0);
}

TEST_CASE("whatif: several files, gzip of several members and the standard input are one log",
          "[whatif]") {
    const Scene scene;
    const std::size_t middle = outage.size() / 2; // within a line
    scene.write("a", outage.substr(0, outage.find('\n') + 1));
    scene.write("b", outage.substr(outage.find('\n') + 1));
    check_outage(scene.run("--json" + two + "a b").object().at("targets").at("CORE"));
    scene.write_gzip("c", outage.substr(0, middle));
    scene.write_gzip("c", outage.substr(middle));
    check_outage(scene.run("--json" + two + "c").object().at("targets").at("CORE"));
    check_outage(scene.run("--json" + two + "a - < b").object().at("targets").at("CORE"));
    check_outage(scene.run("--json" + two + "- < c").object().at("targets").at("CORE"));
}

TEST_CASE("whatif: a file that cannot be read to its end is an error", "[whatif]") {
    const Scene scene;
    scene.write_gzip("whole", outage);
    scene.write("torn", scene.read("whole").substr(0, 60));
    std::string bytes = scene.read("whole");
    bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1); // of the checksum
    scene.write("damaged", bytes);
    for (const char* file : {"torn", "damaged", "absent", "."}) {
        CAPTURE(file);
        const Ran ran = scene.run("--json" + two + file);
        CHECK(ran.status == 1);
        CHECK(ran.out.empty());
        CHECK(ran.err.find(file) != std::string::npos);
    }
}

TEST_CASE("whatif: malformed lines are counted and shown, the first ten", "[whatif]") {
    const Scene scene;
    std::string text = outage;
    for (int i = 0; i != 12; ++i) text += "no line\n";
    scene.write("log", text);
    const Ran ran = scene.run("--json" + two + "log");
    CHECK(ran.status == 0);
    CHECK(ran.object().at("malformed") == 12);
    CHECK(ran.err.find("log:7: ") != std::string::npos);
    CHECK(ran.err.find("log:16: ") != std::string::npos);
    CHECK(ran.err.find("log:17: ") == std::string::npos);
    const Ran strict = scene.run("--json --strict" + two + "log");
    CHECK(strict.status == 1);
    CHECK(strict.out.empty());
    CHECK(strict.err.find("log:7: ") != std::string::npos);
}

TEST_CASE("whatif: each kind of malformed line is one", "[whatif]") {
    const Scene scene;
    scene.write("log", line("31", "success") + line("61", "success") + line("32", "odd") +
                           line("32", "success", "-1") + line("32", "success", "600000.001") +
                           line("32", "success", "\"5\"") + line("32", "success", "5", "") + "{}\n" +
                           "[]\n" + "{\"time\":\n" + line("33", "success", "600000"));
    const json result = scene.run("--json log").object();
    CHECK(result.at("malformed") == 9);
    CHECK(result.at("targets").at("CORE").at("calls") == 2);
    CHECK(scene.run("--json --max-elapsed 1s log").object().at("malformed") == 10);
}

TEST_CASE("whatif: refused lines are counted and not replayed, with a warning", "[whatif]") {
    const Scene scene;
    scene.write("log", outage + line("37.4", "refused", "0") + line("37.5", "ignored"));
    const Ran ran = scene.run("--json" + two + "log");
    const json target = ran.object().at("targets").at("CORE");
    CHECK(target.at("refused") == 1);
    CHECK(target.at("calls") == 7);
    CHECK(target.at("failures") == 3);
    CHECK(ran.err.find("METRICS_ONLY") != std::string::npos);
}

TEST_CASE("whatif: a line about dropped lines is not malformed", "[whatif]") {
    const Scene scene;
    scene.write("log", outage + R"({"time":"2026-11-30T08:15:38Z","target":"","outcome":"dropped",)"
                                "\"elapsed_ms\":0,\"in_flight\":0,\"dropped\":7}\n");
    const Ran ran = scene.run("--json --strict" + two + "log");
    CHECK(ran.status == 0);
    CHECK(ran.object().at("dropped") == 7);
    check_outage(ran.object().at("targets").at("CORE"));
}

TEST_CASE("whatif: disorder within the bound is sorted, beyond it is an error", "[whatif]") {
    const Scene scene;
    scene.write("log", line("35", "success") + line("30", "failure"));
    CHECK(scene.run("--json log").status == 0);
    scene.write("late", line("35.001", "success") + line("30", "failure"));
    const Ran late = scene.run("--json late");
    CHECK(late.status == 1);
    CHECK(late.err.starts_with("late:2: "));
    CHECK(scene.run("--json --max-disorder 6s late").status == 0);
}

TEST_CASE("whatif: CSV has a header, quotes and any order of columns", "[whatif]") {
    const Scene scene;
    scene.write("log", "elapsed_ms,more,target,time,outcome\r\n"
                       "1.5,,\"A \"\"quoted\"\", B\",1796026530.25,success\r\n"
                       "2,\"two\nlines\",PAY,2026-11-30T08:15:31Z,failure\n"
                       "2,x,PAY,2026-11-30T08:15:31Z\n"
                       "2,x,PAY,2026-11-30T08:15:32Z,ignored");
    const Ran ran = scene.run("--json log");
    CHECK(ran.status == 0);
    CHECK(ran.err.find("log:5: ") != std::string::npos);
    const json targets = ran.object().at("targets");
    CHECK(targets.at("A \"quoted\", B").at("calls") == 1);
    CHECK(targets.at("PAY").at("calls") == 2);
    CHECK(targets.at("PAY").at("failures") == 1);
    CHECK(ran.object().at("malformed") == 1);
}

TEST_CASE("whatif: a log may be empty, or begin with blank lines", "[whatif]") {
    const Scene scene;
    scene.write("empty", "");
    scene.write("blank", "\n\r\n");
    CHECK(scene.run("--json empty blank").object().at("targets").empty());
    scene.write("late", "\n\ntime,target,outcome,elapsed_ms\n1796026530,CORE,success,1\n");
    CHECK(scene.run("--json late").object().at("targets").at("CORE").at("calls") == 1);
}

TEST_CASE("whatif: --map names other columns and members", "[whatif]") {
    const Scene scene;
    scene.write("csv", "when,service,outcome,elapsed_ms\n1796026530.5,CORE,failure,1\n");
    const std::string map = "--json --map 'time=when target=service' ";
    CHECK(scene.run(map + "csv").object().at("targets").at("CORE").at("failures") == 1);
    scene.write("json", R"({"service":"CORE", "when": 1796026530.123456789, "elapsed_ms":1e2, )"
                        "\"outcome\":\"failure\",\"x\":[1]}\n");
    CHECK(scene.run(map + "json").object().at("targets").at("CORE").at("failures") == 1);
    CHECK(scene.run("--json csv").status == 1);
    const Ran typo = scene.run("--json --map time=wehn csv");
    CHECK(typo.status == 2);
    CHECK(typo.err.find("wehn") != std::string::npos);
}

TEST_CASE("whatif: access logs have upstreams, times and statuses", "[whatif]") {
    const Scene scene;
    const std::string begin = "1.2.3.4 - - [30/Nov/2026:08:15:30 +0000] \"GET / HTTP/1.1\" ";
    scene.write("access.log",
                begin + "200 5 \"-\" \"a \\\" b\" 0.120 10.0.0.1:80, 10.0.0.2:80 502, 200 0.1, 0.02\n" +
                    begin + "200 5 \"-\" \"-\" 0.120 10.0.0.2:80 503 0.1 1796026530.250\n" + begin +
                    "499 5 \"-\" \"-\" 0.120 10.0.0.2:80 - -\n" + begin + "429 5 \"-\" \"-\" 0.120\n" +
                    "no line\n");
    const Ran ran = scene.run("--json access.log");
    const json result = ran.object();
    CHECK(result.at("malformed") == 1);
    CHECK(result.at("targets").at("10.0.0.2:80").at("calls") == 3);
    CHECK(result.at("targets").at("10.0.0.2:80").at("failures") == 1);
    CHECK(result.at("targets").at("access").at("failures") == 0);
    const json mapped =
        scene.run("--json --target WEB --failure-status 5xx,429 access.log").object().at("targets");
    CHECK(mapped.at("WEB").at("calls") == 4);
    CHECK(mapped.at("WEB").at("failures") == 2);
}

TEST_CASE("whatif: whole seconds are reported, with the reset timeouts that are shorter", "[whatif]") {
    const Scene scene;
    scene.write("log",
                "1.2.3.4 - - [30/Nov/2026:08:15:30 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\" 0.1\n");
    const Ran ran =
        scene.run("--json --candidate 'count_window reset_timeout=500ms' --candidate count_window log");
    CHECK(ran.err.find("whole seconds") != std::string::npos);
    CHECK(ran.err.find("count_window reset_timeout=500ms") != std::string::npos);
}

TEST_CASE("whatif: a wish that makes no sense names the word", "[whatif]") {
    const Scene scene;
    scene.write("log", outage);
    const std::array<std::array<std::string, 2>, 16> wishes{
        {{"--candidate 'no_window length=1s'", "no_window"},
         {"--candidate 'time_window lenght=1s'", "lenght"},
         {"--candidate 'time_window length=10'", "length=10"},
         {"--candidate 'time_window failure_rate=50'", "failure_rate"},
         {"--candidate 'count_window size'", "size"},
         {"--candidate 'count_window size=1 size=2'", "size=2"},
         {"--candidate 'consecutive_failures reset_timeout=0s'", "reset_timeout"},
         {"--candidate 'count_window half_open.probes=0'", "probes"},
         {"--candidate 'count_window slow_calls.rate=0.5'", "slow_calls.rate"},
         {"--map timer=x", "timer"},
         {"--max-elapsed 5", "'5'"},
         {"--max-disorder soon", "soon"},
         {"--failure-status 5x", "5x"},
         {"--incident today", "today"},
         {"--write-config x.json", "x.json"},
         {"--nonsense", "--nonsense"}}};
    for (const auto& [wish, word] : wishes) {
        CAPTURE(wish);
        const Ran ran = scene.run("--json " + wish + " log");
        CHECK(ran.status == 2);
        CHECK(ran.out.empty());
        CHECK(ran.err.find(word) != std::string::npos);
    }
}

TEST_CASE("whatif: each option of a candidate has an effect", "[whatif]") {
    const Scene scene;
    scene.write("log", outage);
    const auto row = [&](const std::string& candidate) {
        const json result = scene.run("--json --candidate '" + candidate + "' log").object();
        return result.at("targets").at("CORE").at("candidates").at(0);
    };
    CHECK(row("count_window size=4 minimum_calls=3 failure_rate=0.6").at("openings") == 1);
    CHECK(row("count_window size=4 minimum_calls=3 failure_rate=0.8").at("openings") == 0);
    CHECK(row("count_window minimum_calls=2 slow_calls.longer_than=9ms").at("openings") == 1);
    CHECK(
        row("count_window minimum_calls=2 failure_rate=1 slow_calls.longer_than=10ms").at("openings") ==
        0);
    CHECK(row("time_window length=1s minimum_calls=3 buckets=1").at("openings") == 1);
    CHECK(row("consecutive_failures threshold=1 reset_timeout=50ms half_open.probes=2")
              .at("reopenings") == 2);
    CHECK(row("consecutive_failures threshold=1 reset_timeout.initial=50ms reset_timeout.factor=10")
              .at("reopenings") == 1);
}

TEST_CASE("whatif: suggestions are candidates that keep their order, and become a config", "[whatif]") {
    const Scene scene;
    std::string text = "time,target,outcome,elapsed_ms\n";
    for (int i = 0; i != 24'000; ++i) { // 20 calls a second for 20 minutes, an outage in each half
        const int now = i / 20;
        const bool is_bad = (now >= 200 && now < 260) || (now >= 900 && now < 960) || i % 50 == 0;
        text += std::to_string(1'796'026'530 + now) + "." + std::to_string(100 + i % 20 * 45) +
                ",CORE," + (is_bad ? "failure" : "success") + ",5\n";
    }
    scene.write("log", text);
    const Ran ran = scene.run("--json --suggest --write-config hub.json log");
    REQUIRE(ran.status == 0);
    const json suggestions = ran.object().at("targets").at("CORE").at("suggestions");
    REQUIRE(suggestions.size() == 3);
    CHECK(suggestions.at(0).at("name") == "careful");
    CHECK(suggestions.at(1).at("name") == "balanced");
    CHECK(suggestions.at(2).at("name") == "quick");
    std::string arguments = "--json log";
    for (const json& each : suggestions)
        arguments += " --candidate '" + each.at("candidate").get<std::string>() + "'";
    const json rows = scene.run(arguments).object().at("targets").at("CORE").at("candidates");
    const auto number = [&](std::size_t row, const char* key) {
        return rows.at(row).at(key).get<int>();
    };
    CHECK(number(2, "spared") >= number(0, "spared"));
    CHECK(number(0, "refused_good") <= number(2, "refused_good"));
    CHECK(number(1, "spared") > 2'000);
    const json config = json::parse(scene.read("hub.json"));
    CHECK(config.contains("policy"));
    CHECK(config.at("half_open").contains("probes"));
    CHECK(config.at("reset_timeout").is_number());
}

TEST_CASE("whatif: the table has each candidate", "[whatif]") {
    const Scene scene;
    scene.write("log", outage);
    const Ran ran = scene.run(two + "log");
    CHECK(ran.status == 0);
    CHECK(ran.out.find("CORE: 6 calls, 3 failures") != std::string::npos);
    CHECK(ran.out.find("6.200 s") != std::string::npos);
    CHECK(scene.run("--help").status == 0);
    CHECK(scene.run("--version").out.starts_with("whatif "));
}

} // namespace tests::whatif_program
