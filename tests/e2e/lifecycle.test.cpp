// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"
#include "rig.hpp"

#include "../../examples/common/file_descriptor.hpp"
#include "../../examples/common/temporary_directory.hpp"
#include "../../examples/common/text_file.hpp"

#include "catch.hpp"

#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tests::e2e_lifecycle {

using namespace e2e;
using namespace std::chrono_literals;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// For a hub whose first line cannot be read.
int free_port() {
    const example::FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket.get(), any, size) == 0);
    REQUIRE(::getsockname(socket.get(), any, &size) == 0);
    return ntohs(address.sin_port);
}

} // namespace

TEST_CASE("RelayHub: a signal ends it, and calls in flight are answered") {
    for (const int signal : {SIGTERM, SIGINT}) {
        Rig rig;
        rig.start_hub({"--call-timeout", "30"});
        const RawConnection idle{rig.hub().port()};
        rig.set("CORE", {{"mode", "slow"}, {"delay_ms", 1500}});
        auto answers = rig.call_at_once("CORE", 3);
        REQUIRE(eventually([&] { return rig.stats("CORE").at("in_flight") == 3; }));
        rig.hub().process().send_signal(signal);
        // Idle connections are closed while the calls go on.
        CHECK(idle.receive().empty());
        CHECK(rig.stats("CORE").at("in_flight") == 3);
        CHECK(eventually([&] { return rig.call("CLAIM").status == 0; }));
        for (auto& answer : answers) CHECK(answer.get().code() == "0000");
        CHECK(rig.hub().process().wait(std::chrono::steady_clock::now() + 30s) == 0);
        CHECK(rig.hub_errors().empty());
    }
}

TEST_CASE("RelayHub: a signal that comes at once ends it too") {
    for (int i = 0; i < 10; ++i) {
        Rig rig;
        rig.start_hub();
        CHECK(rig.hub().stop(30s) == 0);
    }
}

TEST_CASE("RelayHub: a signal ends it while it starts, too, and a SIGHUP then does not") {
    for (const int signal : {SIGTERM, SIGINT}) {
        const example::TemporaryDirectory directory;
        const auto config = directory.path() / "config";
        REQUIRE(::mkfifo(config.c_str(), 0600) == 0);
        example::ChildProcess hub{program("relay_hub"),
                                  {"--listen", "127.0.0.1:0", "--config", config.string()},
                                  {directory.path() / "errors", directory.path()}};
        // It starts: it waits for its config.
        example::FileDescriptor writer;
        REQUIRE(eventually([&] {
            writer = example::FileDescriptor{::open(config.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)};
            return static_cast<bool>(writer);
        }));
        hub.send_signal(SIGHUP);
        SECTION("ended while it starts") { CHECK(writer); }
        SECTION("ended when it has started") {
            REQUIRE(::write(writer.get(), "{}", 2) == 2);
            writer.close();
            const auto line = hub.read_line(std::chrono::steady_clock::now() + 30s);
            REQUIRE(line);
            CHECK(line->starts_with("listening on "));
        }
        hub.send_signal(signal);
        hub.send_signal(signal);
        CHECK(hub.wait(std::chrono::steady_clock::now() + 4s) == 0);
    }
}

TEST_CASE("RelayHub: a config that never comes is said, and is exit status 2") {
    const example::TemporaryDirectory directory;
    const auto config = directory.path() / "config";
    REQUIRE(::mkfifo(config.c_str(), 0600) == 0);
    const ShortRun run = run_hub({"--config", config.string()});
    CHECK(run.status == 2);
    CHECK(run.errors == "relay_hub: --config: " + config.string() +
                            ": cannot be read: nothing came within 5 s: it is a FIFO or a device that "
                            "no process writes to\n");
}

TEST_CASE("RelayHub: started without standard streams, it writes its logs and nothing else into them") {
    const example::TemporaryDirectory directory;
    const std::string log = (directory.path() / "breaker.log").string();
    for (const char* closed : {"<&- >&- 2>&-", ">&-", "2>&-", "<&- 2>&-"}) {
        INFO(closed);
        // Of the two targets that it has by default, neither need be there.
        const int port = free_port();
        example::ChildProcess hub{"/bin/sh",
                                  {"-c", "exec \"$0\" \"$@\" " + std::string{closed},
                                   program("relay_hub").string(), "--listen",
                                   "127.0.0.1:" + std::to_string(port), "--breaker-log", log},
                                  {directory.path() / "errors", directory.path()}};
        example::JsonClient client{port};
        REQUIRE(eventually([&] { return client.get("/healthz").status == 200; }));
        for (const char* descriptor : {"0", "1", "2"}) {
            const auto file = std::filesystem::read_symlink("/proc/" + std::to_string(hub.id()) +
                                                            "/fd/" + descriptor);
            CHECK(file != log);
            CHECK(file.string().find("socket") == std::string::npos);
        }
        // What it would say on standard error, a config that it does not have for one.
        hub.send_signal(SIGHUP);
        CHECK(client.post("/targets/CORE/disable", "{}", Rig::control()).status == 200);
        hub.send_signal(SIGTERM);
        CHECK(hub.wait(std::chrono::steady_clock::now() + 30s) == 0);
    }
    const std::string text = example::read_text_file(log);
    CHECK(count(text, "\n") == 4);
    CHECK(count(text, "|CORE|CLOSED->DISABLED\n") == 4);
}

TEST_CASE("RelayHub: a reader of its output that leaves or does not read is no end of it") {
    Rig rig;
    const auto fifo = rig.directory() / "output";
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    example::FileDescriptor reader{::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    REQUIRE(::fcntl(reader.get(), F_SETPIPE_SZ, 4096) == 4096);
    rig.write_config(R"({"max_inflight": 1})");
    const auto config = rig.directory() / "hub.json";
    const int port = free_port();
    example::ChildProcess hub{"/bin/sh",
                              {"-c", "exec \"$0\" \"$@\" >" + fifo.string() + " 2>&1",
                               program("relay_hub").string(), "--listen",
                               "127.0.0.1:" + std::to_string(port), "--breaker-log", rig.log().string(),
                               "--config", config.string()},
                              {{}, rig.directory()}};
    example::JsonClient client{port};
    REQUIRE(eventually([&] { return client.get("/healthz").status == 200; }));
    const auto change = [&](int i) {
        return client.post("/admin/config", json{{"max_inflight", i % 2 + 2}}.dump(), Rig::control());
    };
    // Each change is two lines on standard error: more than the pipe holds.
    for (int i = 0; i < 100; ++i) REQUIRE(change(i).status == 200);
    reader.close();
    for (int i = 0; i < 4; ++i) REQUIRE(change(i).status == 200);
    hub.send_signal(SIGTERM);
    CHECK(hub.wait(std::chrono::steady_clock::now() + 30s) == 0);
}

TEST_CASE("RelayHub: an address in use is an error at the start") {
    Rig rig;
    rig.start_hub();
    const ShortRun second = run_hub({"--listen", "127.0.0.1:" + std::to_string(rig.hub().port())});
    CHECK(second.status == 1);
    CHECK(second.errors.find("127.0.0.1:" + std::to_string(rig.hub().port())) != std::string::npos);
    CHECK(rig.call("CORE").code() == "0000");
}

TEST_CASE("RelayHub: an address that is not ours is an error at the start") {
    // 192.0.2.0/24 is for documentation: no machine has it.
    const ShortRun run = run_hub({"--listen", "192.0.2.1:0"});
    CHECK(run.status == 1);
    CHECK(run.errors.starts_with("relay_hub: --listen: cannot listen on 192.0.2.1:0"));
}

TEST_CASE("RelayHub: a log that cannot be opened is an error at the start") {
    for (const char* path : {"/no/such/directory/breaker.log", "/"}) {
        const ShortRun run = run_hub({"--listen", "127.0.0.1:0", "--breaker-log", path});
        CHECK(run.status == 1);
        CHECK(run.errors.find(path) != std::string::npos);
        CHECK(run.errors.starts_with("relay_hub: --breaker-log: "));
        CHECK(run.output.empty());
    }
}

TEST_CASE("RelayHub: a log that fails later is said once, and lost lines are counted") {
    Rig rig;
    rig.start_hub({"--fail-threshold", "1", "--reset-timeout", "0.1"}, "/dev/full");
    CHECK(rig.health().at("lost_log_lines") == 0);
    CHECK(rig.hub_errors().empty());
    for (int i = 0; i < 2; ++i) {
        rig.set("CORE", {{"mode", "fail"}});
        REQUIRE(rig.call("CORE").code() == "E500");
        rig.set("CORE", {{"mode", "normal"}});
        REQUIRE(eventually([&] { return rig.call("CORE").code() == "0000"; }));
        REQUIRE(rig.call("CLAIM").code() == "0000");
    }
    CHECK(rig.health().at("lost_log_lines") == 6);
    CHECK(count(rig.hub_errors(), "/dev/full") == 1);
    CHECK(rig.hub().stop(30s) == 0);
}

} // namespace tests::e2e_lifecycle
