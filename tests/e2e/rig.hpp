// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_RIG_HPP
#define DASHPOT_TESTS_E2E_RIG_HPP

#include "../../examples/common/json_client.hpp"
#include "../../examples/common/service.hpp"
#include "../../examples/common/temporary_directory.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace e2e {

using example::HttpAnswer;
using example::Service;
using nlohmann::json;
using Words = std::vector<std::string>;

/// The program of that name.
[[nodiscard]] std::filesystem::path program(const std::string& name);

/// Polls until `condition` holds. @return false: it did not within half a minute
template <class Condition>
[[nodiscard]] bool eventually(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

/// Two simulated targets and, once it is started, a hub before them. All end with it.
class Rig {
  public:
    Rig();

    /// Starts a hub for the two targets, on a free port, that writes to log() or another file.
    void start_hub(const Words& options = {}, const std::filesystem::path& log_file = {});
    /// The same with a config file.
    void start_hub_with(const json& config, Words options = {});
    [[nodiscard]] Service& hub() { return *hub_; }
    [[nodiscard]] Service& target(const std::string& name) { return name == "CORE" ? core_ : claim_; }

    /// Sends a request for the target to the hub.
    [[nodiscard]] HttpAnswer call(const std::string& target);
    [[nodiscard]] HttpAnswer post(const std::string& body);
    /// Sends `count` of them at the same time; the answers come later.
    [[nodiscard]] std::vector<std::future<HttpAnswer>> call_at_once(const std::string& target,
                                                                    std::size_t count);

    /// Commands the target's circuit, as an operator does.
    [[nodiscard]] HttpAnswer command(const std::string& target, const std::string& command);
    /// Writes the config file of start_hub_with() anew.
    void write_config(const std::string& text);
    /// Sends a new config; `{}`: the file is to be read again.
    [[nodiscard]] HttpAnswer configure(const std::string& body);
    /// The headers that a command has, beside its content type.
    [[nodiscard]] static httplib::Headers control() { return {{"X-Relay-Hub-Control", "1"}}; }

    void set(const std::string& target, const json& behaviour);
    /// The target's own counters.
    [[nodiscard]] json stats(const std::string& target);
    /// What the hub says of the target.
    [[nodiscard]] json report(const std::string& target);
    [[nodiscard]] json health();
    [[nodiscard]] HttpAnswer readiness();

    [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }
    [[nodiscard]] std::filesystem::path log() const { return directory() / "breaker.log"; }
    [[nodiscard]] std::string hub_errors() const;

  private:
    example::TemporaryDirectory directory_;
    Service core_;
    Service claim_;
    std::unique_ptr<Service> hub_;
};

/// A program that came to its end, in a directory of its own.
struct ShortRun {
    int status;
    std::string output;
    std::string errors;
};
[[nodiscard]] ShortRun run_program(const std::string& name, const Words& options);

/// Runs the hub with options that it is to refuse, or that end it at once.
[[nodiscard]] inline ShortRun run_hub(const Words& options) {
    return run_program("relay_hub", options);
}

/// The same where the system allows a process so many open files.
[[nodiscard]] ShortRun run_hub_with_open_files(int limit, Words options);

} // namespace e2e

#endif
