// SPDX-License-Identifier: MIT
// A target that behaves as it is told: well, badly, slowly, or not at all.
#include "control.hpp"
#include "simulator.hpp"

#include "../common/http_server.hpp"
#include "../common/number.hpp"
#include "../common/open_files.hpp"
#include "../common/option_check.hpp"
#include "../common/printable.hpp"
#include "../common/standard_streams.hpp"
#include "../common/stop_signals.hpp"
#include "../common/version_text.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

using example::Connection;
using example::HttpRequest;
using example::HttpResponse;

// Far more than any hub here sends at once: what limits the calls in flight must be the hub.
constexpr std::size_t max_threads = 512;

constexpr const char* json_type = "application/json";

void add_routes(example::HttpServer& server, target_simulator::Simulator& simulator,
                const std::string& name) {
    const auto post = [&server](const char* path, auto handle) {
        server.add({"POST", path, handle, {}});
    };
    post("/tx", [&simulator](const HttpRequest&, HttpResponse& response) {
        Connection& connection = Connection::current();
        const auto answer = simulator.handle([&] { return connection.peer_is_gone(); });
        if (!answer) return connection.drop();
        response.status = answer->status;
        response.set_body(answer->body, json_type);
    });
    post("/_ctl", [&simulator, name](const HttpRequest& request, HttpResponse& response) {
        try {
            simulator.set(target_simulator::parse_control(request.body));
            response.set_body(to_json(simulator.behaviour(), name), json_type);
        } catch (const std::invalid_argument& error) {
            response.status = 400;
            response.set_body(std::string{error.what()} + "\n", "text/plain");
        }
    });
    post("/_reset", [&simulator](const HttpRequest&, HttpResponse& response) {
        simulator.reset();
        response.set_body(to_json(simulator.stats()), json_type);
    });
    const auto show_stats = [&simulator](const HttpRequest&, HttpResponse& response) {
        response.set_body(to_json(simulator.stats()), json_type);
    };
    server.add({"GET", "/_stats", show_stats, {}});
}

int parse_port(const std::string& text) {
    if (const auto port = example::to_number(text, 0, 65535)) return *port;
    throw std::invalid_argument{"'" + example::printable(text, 80) +
                                "' is not a whole number from 0 to 65535"};
}

int run(const std::string& name, int port) {
    example::HttpServerOptions options;
    options.max_threads = max_threads;
    example::allow_open_files(options.max_threads + options.max_waiting + 64);
    target_simulator::Simulator simulator;
    example::HttpServer server{options};
    add_routes(server, simulator, name);
    const int bound = server.open("127.0.0.1", port);
    const example::StopWaiter waiter{[&] {
        simulator.stop();
        server.stop_serving();
    }};
    std::cout << "listening on http://127.0.0.1:" << bound << std::endl;
    return server.serve() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    example::block_stop_signals();
    CLI::App app{"A target that behaves as it is told through POST /_ctl.", "target_simulator"};
    app.set_version_flag("--version", example::version_text("target_simulator"));
    std::string port = "9201";
    std::string name = "CORE";
    app.add_option("--port", port, "Where to serve, on 127.0.0.1; 0 takes a free port")
        ->type_name("N")
        ->check(example::accepted_by(parse_port))
        ->capture_default_str();
    app.add_option("--name", name, "What POST /_ctl calls this target")->capture_default_str();
    try {
        example::parse(app, argc, argv);
        return run(name, parse_port(port));
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::cerr << "target_simulator: " << error.what() << '\n';
        return 1;
    }
}
