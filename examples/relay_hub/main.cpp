// SPDX-License-Identifier: MIT
// A relay hub that one dead target cannot drag down. See README.md beside this file.
#include "hub.hpp"
#include "settings/command_line.hpp"

#include "../common/open_files.hpp"
#include "../common/standard_streams.hpp"
#include "../common/stop_signals.hpp"

#include <exception>
#include <iostream>
#include <memory>
#include <optional>
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
        throw std::invalid_argument{"--max-inflight, " + relay_hub::limits_in(options) +
                                    ": for all targets together " + std::string{error.what()}};
    }
}

int serve(relay_hub::Hub& hub, const std::string& url) {
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

/// @return the exit status where the command line wants no hub
std::optional<int> start(int argc, char** argv, std::unique_ptr<relay_hub::Hub>& hub,
                         std::string& url) {
    // Files, and the names of targets, may take for ever.
    const example::EndWhileStarting end_at_signal;
    const relay_hub::CommandLine told = relay_hub::read_command_line(argc, argv);
    if (told.exit_status) return told.exit_status;
    allow_open_files(told.options);
    hub = std::make_unique<relay_hub::Hub>(told.given, told.options);
    url = hub->open();
    return std::nullopt;
}

} // namespace

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    example::block_stop_signals();
    example::block_hangup_signal();
    try {
        std::unique_ptr<relay_hub::Hub> hub;
        std::string url;
        if (const auto exit_status = start(argc, argv, hub, url)) return *exit_status;
        return serve(*hub, url);
    } catch (const std::invalid_argument& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return relay_hub::bad_usage;
    } catch (const std::exception& error) {
        std::cerr << "relay_hub: " << error.what() << '\n';
        return 1;
    }
}
