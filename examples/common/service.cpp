// SPDX-License-Identifier: MIT
#include "service.hpp"

#include "text_file.hpp"

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string_view>

namespace example {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Instrumented programs on a loaded machine take their time.
constexpr auto patience_at_start = 30s;

} // namespace

Service::Service(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::filesystem::path& errors)
    : process_{program, arguments, {errors, {}}} {
    constexpr std::string_view ready = "listening on http://127.0.0.1:";
    const auto line = process_.read_line(steady_clock::now() + patience_at_start);
    if (!line || !line->starts_with(ready))
        throw std::runtime_error{program.filename().string() +
                                 " did not start: " + (line ? *line : read_text_file(errors))};
    port_ = std::stoi(line->substr(ready.size()));
}

std::string Service::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

std::optional<int> Service::stop(std::chrono::seconds patience) {
    process_.send_signal(SIGTERM);
    return process_.wait(steady_clock::now() + patience);
}

} // namespace example
