// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_AUDIT_HPP
#define DASHPOT_TESTS_SOAK_AUDIT_HPP

#include "claims.hpp"
#include "hub_process.hpp"
#include "ledger.hpp"

#include <cstddef>
#include <filesystem>
#include <string>

namespace soak {

/// Compares the books while nobody calls. Made anew for each hub: it takes the numbers from 0.
class Audit {
  public:
    /// @param claim_port  CLAIM's own, whose counters it resets
    Audit(Claims& claims, const HubProcess& hub, const Ledger& ledger, int claim_port);

    /// @param when         for the messages
    /// @param log_is_read  false: it is on a disk that is full
    void run(const std::string& when, bool log_is_read = true);
    /// What can be said of a hub that was killed: its numbers are gone, its log is not.
    void judge_killed(const std::filesystem::path& log);

    /// How many files the hub had open before anybody called.
    [[nodiscard]] std::size_t open_files() const noexcept { return open_files_; }

  private:
    void expect_closed(const std::string& when, const std::string& target, const Account& account);
    void compare_answers(const std::string& when, const nlohmann::json& targets,
                         const nlohmann::json& health);
    void compare_metrics(const std::string& when, const nlohmann::json& targets,
                         const Metrics& metrics);
    void compare_claim(const std::string& when, const nlohmann::json& report);
    void compare_log(const std::string& when, const Metrics& metrics);
    void compare_descriptors(const std::string& when);

    Claims& claims_;
    const HubProcess& hub_;
    const Ledger& ledger_;
    const int claim_port_;
    const std::size_t open_files_;
};

/// How many changes of state it has: of one target or all, to one state or any.
[[nodiscard]] double count_changes(const Metrics& metrics, const std::string& target = {},
                                   const std::string& to = {});

} // namespace soak

#endif
