// SPDX-License-Identifier: MIT
#include "hub.hpp"

#include "admin_routes.hpp"
#include "control_routes.hpp"
#include "http_reply.hpp"
#include "page_routes.hpp"
#include "request_check.hpp"
#include "utc_time.hpp"

#include "../common/open_files.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace relay_hub {
namespace {

using httplib::Request;
using httplib::Response;
using httplib::Server;

constexpr std::size_t spare_threads = 64;

} // namespace

std::size_t thread_count(const Options& options) {
    return std::accumulate(options.targets.begin(), options.targets.end(),
                           spare_threads + EventFeed::max_streams,
                           [](std::size_t sum, const TargetOptions& target) {
                               return sum + target.settings.max_inflight;
                           });
}

std::size_t files_needed(const Options& options) {
    return 2 * thread_count(options) + example::HttpServerOptions{}.max_waiting + 64;
}

Hub::Hub(const Given& given, const Options& options)
    : listen_{options.listen}, has_protection_{options.has_protection}, rule_{options.listen.host},
      logs_{options}, relay_{registry_, options}, feed_{[this] { return targets_report().dump(); }},
      log_subscription_{registry_.on_transition(
          [this](std::string_view target, const dashpot::Transition& transition) {
              note(target, transition);
          })},
      changes_subscription_{registry_.on_transition(std::ref(changes_))},
      drain_time_{options.drain_time}, server_{server_options(options)},
      config_{given, options, [this](const Options& changed) { apply(changed); }} {
    compare_clocks(); // the circuits' first states have begun
    add_routes();
}

void Hub::note(std::string_view target, const dashpot::Transition& transition) {
    logs_.append(target, transition);
    compare_clocks();
    // Before the streams are told to look.
    relay_.note(target, transition);
    feed_.wake();
}

std::string Hub::open() {
    Endpoint bound = listen_;
    bound.port = server_.open(bound.host, bound.port);
    return to_url(bound);
}

example::HttpServerOptions Hub::server_options(const Options& options) {
    example::HttpServerOptions result;
    result.max_threads = thread_count(options);
    result.connection.max_body = max_body;
    result.answer_unread = [this] {
        Reply reply = unreadable_head(relay_, 400);
        return std::pair{reply.status, std::move(reply.body)};
    };
    return result;
}

void Hub::add_routes() {
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
        const Problem problem = problem_of(request, rule_);
        if (problem.text.empty()) return Server::HandlerResponse::Unhandled;
        Reply reply = problem.status == 403 ? relay_.forbid(problem.text) : relay_.reject(problem.text);
        reply.status = problem.status;
        if (!problem.allow.empty()) response.set_header("Allow", problem.allow);
        answer(response, reply);
        example::Connection::current().close_after_answer();
        return Server::HandlerResponse::Handled;
    });
    server_.Post("/tx",
                 [this](const Request&, Response& response, const httplib::ContentReader& content) {
                     if (const auto body = read_body(content, response, relay_))
                         answer(response, relay_.handle(*body));
                 });
    server_.Get("/targets", [this](const Request&, Response& response) {
        response.set_content(targets_report().dump(2) + "\n", "application/json");
    });
    server_.Get("/targets/([^/]+)/history", [this](const Request& request, Response& response) {
        answer(response, relay_.history(request.matches[1].str()));
    });
    server_.Get("/metrics", [this](const Request& request, Response& response) {
        const auto format = dashpot::accepted_format(request.get_header_value("Accept"));
        response.set_header("Vary", "Accept");
        response.set_content(metrics_page(format), std::string{content_type(format)});
    });
    server_.Get("/healthz", [this](const Request&, Response& response) {
        response.set_content(health_report(), "application/json");
    });
    server_.Get("/readyz", [this](const Request&, Response& response) {
        answer(response, relay_.readiness(is_stopping_));
    });
    add_control_routes(server_, relay_);
    add_admin_routes(server_, relay_, config_);
    add_page_routes(server_, feed_);
    // What httplib refuses by itself, a broken head for one, is malformed like any other.
    server_.set_error_handler([this](const Request&, Response& response) {
        if (!response.body.empty()) return;
        answer(response, unreadable_head(relay_, response.status));
    });
    server_.set_exception_handler([this](const Request&, Response& response, std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            std::cerr << "relay_hub: " << exception.what() << std::endl;
        } catch (...) {
            std::cerr << "relay_hub: unknown exception" << std::endl;
        }
        // Its body may not have been read to the end: what follows is not the next request.
        example::Connection::current().close_after_answer();
        answer(response, relay_.fail());
    });
}

void Hub::refresh() {
    logs_.reopen();
    if (!config_.has_file()) return;
    try {
        config_.read_file();
    } catch (const std::exception& error) {
        std::cerr << "relay_hub: " + std::string{error.what()} + "; nothing has changed\n"
                  << std::flush;
    }
}

void Hub::apply(const Options& options) {
    try {
        example::allow_open_files(files_needed(options));
    } catch (const std::runtime_error& error) {
        throw CannotChange{"max_inflight: " + std::string{error.what()}};
    }
    relay_.reconfigure(options);
    // A moment late, where there are to be more: until then there are those to spare.
    server_.set_max_threads(thread_count(options));
    drain_time_ = options.drain_time;
}

nlohmann::json Hub::targets_report() const {
    return {{"now", to_utc(std::chrono::steady_clock::now())},
            {"protection", has_protection_},
            {"targets", relay_.report()}};
}

std::string Hub::metrics_page(dashpot::PrometheusFormat format) const {
    const auto lock = relay_.hold_still();
    return to_prometheus_text(dashpot::GuardMetrics{registry_, changes_}, format);
}

std::string Hub::health_report() const {
    nlohmann::ordered_json report;
    report["status"] = "ok";
    report["malformed"] = relay_.malformed();
    report["unknown_target"] = relay_.unknown_target();
    report["forbidden"] = relay_.forbidden();
    report["failed"] = relay_.failed();
    report["lost_log_lines"] = logs_.lost_lines();
    report["lost_event_lines"] = logs_.lost_events();
    report["threads_at_most"] = server_.max_threads();
    return report.dump(2) + "\n";
}

} // namespace relay_hub
