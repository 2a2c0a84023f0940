// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_CONTEST_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_CONTEST_HPP

#include "load.hpp"
#include "sample.hpp"

#include "../common/service.hpp"
#include "../common/temporary_directory.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace relay_demo {

/// Several copies of CORE behind one hub, each with settings of its own, under the same load at the
/// same time: so that what differs between them is the settings alone, also on a busy machine.
class Contest {
  public:
    struct Entrant {
        std::string name;
        nlohmann::json settings; ///< for the hub
    };
    /// How one of them fared in a phase.
    struct Result {
        std::string name;
        Sample sample;           ///< what its callers were answered
        std::uint64_t calls = 0; ///< by its own count
        std::chrono::duration<double> length{};

        [[nodiscard]] double per_second(std::string_view code) const {
            return static_cast<double>(sample.count(code)) / length.count();
        }
        /// Calls that it got, for each request of its callers.
        [[nodiscard]] double load() const {
            return static_cast<double>(calls) / static_cast<double>(sample.count());
        }
    };

    explicit Contest(const std::vector<Entrant>& entrants);

    /// Tells all of them how to behave.
    void set_all(const nlohmann::json& behaviour);
    /// Callers for each; those before them leave.
    /// @param load  its port and its target do not matter
    void begin_load(const LoadOptions& load);
    void end_load() { loads_.clear(); }
    /// Lets it run for a while, unobserved.
    static void settle(std::chrono::milliseconds time);
    /// Observes a phase. @return in the order of the entrants
    [[nodiscard]] std::vector<Result> observe(std::chrono::milliseconds time);
    /// What the hub says of it.
    [[nodiscard]] nlohmann::json report(const std::string& name) const;

    /// Ends all programs. @return true: each with exit status 0
    [[nodiscard]] bool stop();

  private:
    [[nodiscard]] std::uint64_t calls_of(std::size_t entrant) const;

    example::TemporaryDirectory directory_; // first: it goes after the processes that write to it
    std::vector<std::string> names_;
    std::vector<std::unique_ptr<example::Service>> targets_;
    std::unique_ptr<example::Service> hub_;
    std::vector<std::unique_ptr<Load>> loads_;
};

} // namespace relay_demo

#endif
