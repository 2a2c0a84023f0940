// SPDX-License-Identifier: MIT
// A service that fails in known ways and counts what it is asked. See README.md beside this file.
#include "seed.hpp"
#include "service.hpp"

#include "../common/endpoint.hpp"
#include "../common/option_check.hpp"
#include "../common/standard_streams.hpp"
#include "../common/stop_signals.hpp"
#include "../common/version_text.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>

namespace {

int run(example::Endpoint listen, std::uint64_t seed) {
    flaky_service::Service service{seed};
    {
        // The name of a host may take long to look up.
        const example::EndWhileStarting end_at_signal;
        listen.port = service.open(listen.host, listen.port);
    }
    const example::StopWaiter waiter{[&service] { service.stop(); }};
    std::cout << "listening on " << to_url(listen) << std::endl;
    return service.serve() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    example::block_stop_signals();
    CLI::App app{"Fails in known ways and counts what it is asked.", "flaky_service"};
    app.set_version_flag("--version", example::version_text("flaky_service"));
    std::string listen = "127.0.0.1:8110";
    std::string seed = "1";
    app.add_option("--listen", listen, "Where to serve; port 0 takes a free one")
        ->type_name("HOST:PORT")
        ->check(example::accepted_by(example::parse_host_port))
        ->capture_default_str();
    app.add_option("--seed", seed, "Decides which of the calls of /flaky fail")
        ->type_name("N")
        ->check(example::accepted_by(flaky_service::parse_seed))
        ->capture_default_str();
    try {
        example::parse(app, argc, argv);
        return run(example::parse_host_port(listen), flaky_service::parse_seed(seed));
    } catch (const CLI::ParseError& error) {
        // Zero is --help and --version; CLI11's other numbers would be news to any caller.
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::cerr << "flaky_service: " << error.what() << '\n';
        return 1;
    }
}
