// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_RELAY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_RELAY_HPP

#include "../settings/settings.hpp"
#include "compartment.hpp"
#include "reply.hpp"

#include <dashpot/adapter/traffic_log.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace relay_hub {

/// Finds the compartment of a request. Knows nothing of HTTP servers.
///
/// **Threads.** Every member may be called from any thread at any time.
class Relay {
  public:
    /// @throws std::invalid_argument  a target has no address; names the target
    /// @throws std::system_error      there is no thread for what is to be done now and then
    Relay(Registry& registry, const Options& options);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Writes each call from now on to a log, which outlives this. To be called before the first call.
    void log_traffic(dashpot::TrafficLog& log) noexcept;

    /// Answers one request, `{"target":"CORE", …}`.
    /// @param patience  how long the caller waits; none: as long as it takes
    [[nodiscard]] Reply handle(const std::string& body,
                               std::optional<std::chrono::milliseconds> patience);

    /// Answers what is no request at all.
    [[nodiscard]] Reply reject(std::string_view problem);

    /// Answers for a target that there is not.
    [[nodiscard]] Reply unknown();

    /// Answers what is not for this client to ask.
    [[nodiscard]] Reply forbid(std::string_view problem);

    /// Answers where the hub itself failed, whatever was asked.
    [[nodiscard]] Reply fail();

    /// Commands the target's circuit. @return what GET /targets shows of it then; null: no such target
    [[nodiscard]] nlohmann::json command(std::string_view target, Command command);

    /// To be told of every change of a target's state.
    void note(std::string_view target, const dashpot::Transition& transition);

    /// Puts the settings into force, those of all targets or of none. The targets are those that there
    /// are.
    /// @throws std::bad_alloc  then nothing has changed
    void reconfigure(const Options& options);
    /// As long as it is held, reconfigure() waits: what is read meanwhile is all of one config.
    [[nodiscard]] std::unique_lock<std::mutex> hold_still() const {
        return std::unique_lock{settings_mutex_};
    }

    /// The targets by name, for GET /targets.
    [[nodiscard]] nlohmann::json report() const;

    /// Adds the guards of all targets that are in no registry. To be called while they hold_still().
    void add_to(dashpot::GuardMetrics& metrics) const;

    /// Answers GET /targets/NAME/history.
    [[nodiscard]] Reply history(std::string_view target);

    /// Answers GET /readyz: ready if at least one target would let the next call in, and the hub is not
    /// about to stop.
    [[nodiscard]] Reply readiness(bool is_stopping) const;

    [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }
    [[nodiscard]] std::uint64_t unknown_target() const noexcept { return unknown_target_; }
    [[nodiscard]] std::uint64_t forbidden() const noexcept { return forbidden_; }
    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }

  private:
    [[nodiscard]] Compartment* find(std::string_view target) noexcept;
    void keep_tidy();

    // Held while settings change or are read. Not a shared_mutex: readers without end would keep the
    // writer out.
    mutable std::mutex settings_mutex_;
    std::map<std::string, std::unique_ptr<Compartment>, std::less<>> compartments_;
    std::atomic<std::uint64_t> malformed_{0};
    std::atomic<std::uint64_t> unknown_target_{0};
    std::atomic<std::uint64_t> forbidden_{0};
    std::atomic<std::uint64_t> failed_{0};

    std::mutex end_mutex_;
    std::condition_variable end_;
    bool is_ending_ = false;  // guarded by end_mutex_
    std::thread housekeeper_; // after all that it uses
};

} // namespace relay_hub

#endif
