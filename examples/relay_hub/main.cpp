// SPDX-License-Identifier: MIT
// A relay hub that one dead target cannot drag down. See README.md beside this file.
#include "command_line.hpp"
#include "hub.hpp"

#include "../common/open_files.hpp"
#include "../common/stop_signals.hpp"

#include <cstddef>
#include <exception>
#include <iostream>
#include <stdexcept>

namespace {

// Each thread may hold a client's connection and one to a target; then there are those that wait,
// and what a program has open anyway.
std::size_t files_needed(const relay_hub::Options& options) {
    return 2 * relay_hub::thread_count(options) + example::HttpServerOptions{}.max_waiting + 64;
}

int run(const relay_hub::Options& options) {
    example::block_stop_signals();
    example::block_hangup_signal();
    example::allow_open_files(files_needed(options));
    relay_hub::Hub hub{options};
    const std::string url = hub.open();
    const example::StopWaiter waiter{
        [&] {
            hub.prepare_to_stop();
            example::await_stop_signal(options.drain_time); // who asks twice does not want to wait
            hub.stop();
        },
        [&hub] { hub.reopen_logs(); }};
    std::cout << "listening on " << url << std::endl;
    return hub.serve() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    try {
        const relay_hub::CommandLine command_line = relay_hub::read_command_line(argc, argv);
        if (command_line.exit_status) return *command_line.exit_status;
        return run(command_line.options);
    } catch (const std::invalid_argument& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return relay_hub::bad_usage;
    } catch (const std::exception& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return 1;
    }
}
