// SPDX-License-Identifier: MIT
// A relay hub that one dead target cannot drag down. See README.md beside this file.
#include "command_line.hpp"
#include "hub.hpp"

#include "../common/open_files.hpp"
#include "../common/stop_signals.hpp"

#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

/// @throws std::invalid_argument  the system does not allow as many as the options need
/// @throws std::runtime_error     nor as many as any hub needs
void allow_open_files(const relay_hub::Options& options) {
    try {
        example::allow_open_files(relay_hub::files_needed(options));
    } catch (const std::runtime_error& error) {
        example::allow_open_files(relay_hub::files_needed({}));
        throw std::invalid_argument{"--max-inflight, max_inflight: for all targets together " +
                                    std::string{error.what()}};
    }
}

int run(const relay_hub::CommandLine& told) {
    example::block_stop_signals();
    example::block_hangup_signal();
    allow_open_files(told.options);
    relay_hub::Hub hub{told.given, told.options};
    const std::string url = hub.open();
    const auto stop = [&hub] {
        hub.prepare_to_stop();
        // Who asks a second time does not want to wait.
        example::await_stop_signal(hub.drain_time());
        hub.stop();
    };
    const example::StopWaiter waiter{stop, [&hub] { hub.refresh(); }};
    std::cout << "listening on " << url << std::endl;
    return hub.serve() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const relay_hub::CommandLine command_line = relay_hub::read_command_line(argc, argv);
        if (command_line.exit_status) return *command_line.exit_status;
        return run(command_line);
    } catch (const std::invalid_argument& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return relay_hub::bad_usage;
    } catch (const std::exception& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return 1;
    }
}
