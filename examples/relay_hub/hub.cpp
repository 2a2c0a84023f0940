// SPDX-License-Identifier: MIT
#include "hub.hpp"

#include "../common/utc_time.hpp"
#include "http/admin_routes.hpp"
#include "http/control_routes.hpp"
#include "http/http_reply.hpp"
#include "http/page_routes.hpp"
#include "http/patience.hpp"
#include "http/routes.hpp"
#include "report/hub_metrics.hpp"

#include "../common/open_files.hpp"
#include "../common/standard_streams.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace relay_hub {
namespace {

using example::HttpProblem;
using example::HttpRequest;
using example::HttpResponse;

constexpr std::size_t max_body = 1024 * 1024;

constexpr std::size_t spare_threads = 64;

// For files that may be on a mount that does not answer.
constexpr std::chrono::seconds log_patience{5};

} // namespace

std::size_t thread_count(const Options& options) {
    return std::accumulate(
        options.targets.begin(), options.targets.end(), spare_threads + EventFeed::max_streams,
        [](std::size_t sum, const TargetOptions& target) {
            return sum + target.settings.most_in_flight() + target.settings.most_waiting();
        });
}

std::string limits_in(const Options& options) {
    std::string keys = "max_inflight";
    const auto add = [&](const char* key, auto is_there) {
        if (std::ranges::any_of(options.targets, is_there, &TargetOptions::settings)) keys += key;
    };
    add(", queue.max_queued",
        [](const TargetSettings& settings) { return settings.queue.has_value(); });
    add(", adaptive.max",
        [](const TargetSettings& settings) { return settings.adaptive.is_limited(); });
    return keys;
}

std::size_t files_needed(const Options& options) {
    const std::size_t threads = thread_count(options);
    // With protection, idle connections and calls of a target are together at most as many as may be in
    // flight.
    const std::size_t idle = options.has_protection ? 0 : threads;
    std::size_t waiting = 0; // calls that have no connection to their target yet
    for (const TargetOptions& target : options.targets) waiting += target.settings.most_waiting();
    return 2 * threads - waiting + idle + example::HttpServerOptions{}.max_waiting + 64;
}

Hub::Hub(const Given& given, const Options& options)
    : listen_{options.listen}, listen_given_by_{options.listen_given_by},
      has_protection_{options.has_protection}, rule_{options.listen.host},
      logs_{std::make_shared<Logs>(options, given.config)}, relay_{registry_, options},
      feed_{[this] { return targets_report().dump(); }},
      log_subscription_{registry_.on_transition(
          [this](std::string_view target, const dashpot::Transition& transition) {
              note(target, transition);
          })},
      changes_subscription_{registry_.on_transition(std::ref(changes_))},
      drain_time_{options.drain_time}, server_{server_options(options)},
      config_{given, options, [this](const Options& changed) { apply(changed); }} {
    example::compare_clocks(); // the circuits' first states have begun
    if (dashpot::TrafficLog* const traffic = logs_->traffic()) relay_.log_traffic(*traffic);
    add_routes();
}

void Hub::note(std::string_view target, const dashpot::Transition& transition) {
    logs_->append(target, transition);
    example::compare_clocks();
    // Before the streams are told to look.
    relay_.note(target, transition);
    feed_.wake();
}

std::string Hub::open() {
    Endpoint bound = listen_;
    try {
        bound.port = server_.open(bound.host, bound.port);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error{listen_given_by_ + ": " + error.what()};
    }
    return to_url(bound);
}

example::HttpServerOptions Hub::server_options(const Options& options) {
    example::HttpServerOptions result;
    result.max_threads = thread_count(options);
    result.service.limits.max_body = max_body;
    result.service.refuse = [this](const HttpProblem& problem, HttpResponse& response) {
        Reply reply = problem.status == 403 ? relay_.forbid(problem.text) : relay_.reject(problem.text);
        reply.status = problem.status;
        answer(response, std::move(reply));
    };
    result.service.fail = [this](std::exception_ptr error, HttpResponse& response) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            example::say("relay_hub", exception.what());
        } catch (...) {
            example::say("relay_hub", "unknown exception");
        }
        answer(response, relay_.fail());
    };
    return result;
}

void Hub::add_routes() {
    Routes routes{server_, rule_};
    routes.post("/tx", Access::calling, [this](const HttpRequest& request, HttpResponse& response) {
        std::optional<std::chrono::milliseconds> patience;
        try {
            patience = patience_of(request);
        } catch (const std::invalid_argument& error) {
            return answer(response, relay_.reject(error.what()));
        }
        answer(response, relay_.handle(request.body, patience));
    });
    routes.get("/targets", Access::reading, [this](const HttpRequest&, HttpResponse& response) {
        response.set_body(targets_report().dump(2) + "\n", "application/json");
    });
    routes.get("/targets/*/history", Access::reading,
               [this](const HttpRequest& request, HttpResponse& response) {
                   answer(response, relay_.history(request.parts[0]));
               });
    routes.get("/metrics", Access::reading, [this](const HttpRequest& request, HttpResponse& response) {
        const auto format = dashpot::accepted_format(request.fields.list("Accept"));
        response.fields.set("Vary", "Accept");
        response.set_body(metrics_page(format), std::string{content_type(format)});
    });
    routes.get("/healthz", Access::reading, [this](const HttpRequest&, HttpResponse& response) {
        response.set_body(health_report(), "application/json");
    });
    routes.get("/readyz", Access::reading, [this](const HttpRequest&, HttpResponse& response) {
        answer(response, relay_.readiness(is_stopping_));
    });
    add_control_routes(routes, relay_);
    add_admin_routes(routes, relay_, config_);
    add_page_routes(routes, feed_);
}

void Hub::refresh() {
    try {
        if (!log_files_.run([logs = logs_] { logs->reopen(); }, log_patience) && !is_stopping_)
            example::say("relay_hub",
                         "the logs cannot be reopened: a path does not answer; lines go on "
                         "to the files as they were until it does");
    } catch (const std::system_error& error) {
        example::say("relay_hub", "the logs cannot be reopened: " + std::string{error.what()});
    }
    if (!config_.has_file()) return;
    try {
        config_.read_file();
    } catch (const CannotChange& error) {
        example::say("relay_hub", "--config: " + config_.file_name() + ": " + error.what() +
                                      "; nothing has changed");
    } catch (const std::exception& error) {
        example::say("relay_hub", "--config: " + std::string{error.what()} + "; nothing has changed");
    }
}

void Hub::apply(const Options& options) {
    try {
        example::allow_open_files(files_needed(options));
    } catch (const std::runtime_error& error) {
        throw CannotChange{limits_in(options) + ": " + error.what()};
    }
    relay_.reconfigure(options);
    // A moment late, where there are to be more: until then there are those to spare.
    server_.set_max_threads(thread_count(options));
    drain_time_ = options.drain_time;
}

nlohmann::json Hub::targets_report() const {
    return {{"now", example::to_utc(std::chrono::steady_clock::now())},
            {"protection", has_protection_},
            {"targets", relay_.report()}};
}

std::string Hub::metrics_page(dashpot::PrometheusFormat format) const {
    std::string page = [&] {
        const auto lock = relay_.hold_still();
        dashpot::GuardMetrics metrics{registry_, changes_};
        relay_.add_to(metrics);
        return to_prometheus_text(metrics, format);
    }();
    add_hub_metrics(page, format, config_.reloads(), *logs_);
    return page;
}

std::string Hub::health_report() const {
    nlohmann::ordered_json report;
    report["status"] = "ok";
    report["malformed"] = relay_.malformed();
    report["unknown_target"] = relay_.unknown_target();
    report["forbidden"] = relay_.forbidden();
    report["failed"] = relay_.failed();
    report["lost_log_lines"] = logs_->lost_lines();
    report["lost_event_lines"] = logs_->lost_events();
    report["threads_at_most"] = server_.max_threads();
    const LiveConfig::Reloads reloads = config_.reloads();
    auto& shown = report["config_reloads"];
    shown["accepted"] = reloads.accepted;
    shown["refused"] = reloads.refused;
    shown["last_accepted"] = example::to_utc(reloads.last_accepted);
    shown["last_refused"] =
        reloads.last_refused ? nlohmann::ordered_json(example::to_utc(*reloads.last_refused)) : nullptr;
    shown["is_last_refused"] = reloads.is_last_refused;
    return report.dump(2) + "\n";
}

} // namespace relay_hub
