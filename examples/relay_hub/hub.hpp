// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HUB_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HUB_HPP

#include "http/access_rule.hpp"
#include "http/event_feed.hpp"
#include "relay/relay.hpp"
#include "report/logs.hpp"
#include "settings/live_config.hpp"
#include "settings/settings.hpp"

#include "../common/http_server.hpp"
#include "../common/unattended.hpp"

#include <dashpot/adapter/prometheus_text.hpp>
#include <dashpot/adapter/transition_counter.hpp>
#include <dashpot/guard/subscription.hpp>

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace relay_hub {

/// How many files the hub may have open: each thread a client's connection and one to a target, or an
/// idle one in its place, but only the former for calls that wait; then there are connections that
/// wait, and what a program has open anyway.
[[nodiscard]] std::size_t files_needed(const Options& options);

/// How many connections the hub serves at the same time.
///
/// Every call in flight holds a thread, and so does one that waits in a queue. The limits bound those:
/// at most the sum of all. The rest is for what makes no call: reading requests, refusing them, GET,
/// and idle connections, which leave as soon as somebody needs their thread. Streams of events, which
/// leave when their clients do, come on top. So there is always a thread for a call that a compartment
/// would let in, whatever state the other compartments are in.
[[nodiscard]] std::size_t thread_count(const Options& options);

/// The keys of a config that both follow from, for messages: of those that the options use.
[[nodiscard]] std::string limits_in(const Options& options);

/// The relay hub: its targets, its log and its HTTP server.
class Hub {
  public:
    /// @throws std::invalid_argument  an option turns out impossible; names it
    /// @throws std::runtime_error     a log cannot be opened; names it, too
    Hub(const Given& given, const Options& options);

    /// Binds to the address it is to listen on.
    /// @return the URL
    /// @throws std::runtime_error
    std::string open();

    /// Serves until stop(). @return false: the server broke
    bool serve() { return server_.serve(); }
    /// Goes on in new log files where the old ones were renamed, and reads the config file again. From
    /// any thread. What goes wrong is said on standard error; then all stays as it was. Files that do
    /// not answer are waited for some seconds, and not after stop().
    void refresh();
    /// How long to wait between prepare_to_stop() and stop().
    [[nodiscard]] std::chrono::nanoseconds drain_time() const noexcept { return drain_time_; }
    /// From now on GET /readyz says that it is not ready. From any thread.
    void prepare_to_stop() { is_stopping_ = true; }
    /// Ends streams of events, and lets requests under way finish. From any thread.
    void stop() {
        log_files_.stop();
        config_.stop();
        feed_.stop();
        server_.stop_serving();
    }

  private:
    [[nodiscard]] example::HttpServerOptions server_options(const Options& options);
    void add_routes();
    void apply(const Options& options);
    void note(std::string_view target, const dashpot::Transition& transition);
    [[nodiscard]] nlohmann::json targets_report() const;
    [[nodiscard]] std::string health_report() const;
    [[nodiscard]] std::string metrics_page(dashpot::PrometheusFormat format) const;

    const Endpoint listen_;
    const std::string listen_given_by_;
    const bool has_protection_;
    const AccessRule rule_;
    Registry registry_;
    const std::shared_ptr<Logs> logs_; // shared with a reopening that hangs
    dashpot::TransitionCounter changes_;
    Relay relay_;
    EventFeed feed_;
    // After the relay: what --no-protection does to the breakers is no news.
    dashpot::Subscription log_subscription_;
    dashpot::Subscription changes_subscription_;
    std::atomic<bool> is_stopping_ = false;
    std::atomic<std::chrono::nanoseconds> drain_time_;
    example::HttpServer server_;
    LiveConfig config_; // after all that it changes
    example::Unattended log_files_;
};

} // namespace relay_hub

#endif
