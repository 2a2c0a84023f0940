// SPDX-License-Identifier: MIT
#include "hub.hpp"

#include "codes.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <charconv>
#include <exception>
#include <functional>
#include <iostream>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

namespace relay_hub {
namespace {

using httplib::Request;
using httplib::Response;
using httplib::Server;

constexpr std::size_t spare_threads = 64;
constexpr std::size_t max_body = 1024 * 1024;
constexpr const char* too_slow = "the request did not come in time";

struct Route {
    std::string_view method;
    std::string_view path;
};
constexpr std::array routes{Route{"POST", "/tx"}, Route{"GET", "/targets"}, Route{"GET", "/metrics"},
                            Route{"GET", "/healthz"}};

bool is_route(const Request& request) {
    for (const Route& route : routes)
        if (request.method == route.method && request.path == route.path) return true;
    return false;
}

/// Why a request is refused before its body is read.
struct Problem {
    int status = 400;
    std::string_view text; ///< empty: there is none
};

/// A body must say how long it is, once and in one way: what two readers understand differently is
/// a way to smuggle a request.
Problem problem_of_length(const Request& request) {
    const auto lengths = request.get_header_value_count("Content-Length");
    const bool is_chunked = request.has_header("Transfer-Encoding");
    if (lengths + (is_chunked ? 1 : 0) != 1) return {400, "the body must have one length"};
    if (is_chunked) return {};
    const std::string text = request.get_header_value("Content-Length");
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    if (error == std::errc::result_out_of_range || length > max_body)
        return {413, "the body is too large"};
    if (error != std::errc{} || end != text.data() + text.size())
        return {400, "the length of the body is no number"};
    return {};
}

Problem problem_of(const Request& request) {
    if (!is_route(request))
        return {404, "no such endpoint: try POST /tx, GET /targets, GET /metrics or GET /healthz"};
    if (request.method == "GET") {
        const bool has_body =
            request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
        return {400, has_body ? "a GET has no body" : ""};
    }
    // Forms take other ways through httplib, and compressed bodies grow after they were measured.
    if (request.is_multipart_form_data()) return {400, "the body is a form, not JSON"};
    if (request.has_header("Content-Encoding")) return {400, "the body is encoded"};
    return problem_of_length(request);
}

void answer(Response& response, const Reply& reply) {
    response.status = reply.status;
    if (reply.retry_after)
        response.set_header("Retry-After", std::to_string(reply.retry_after->count()));
    response.set_content(reply.body, "application/json");
}

} // namespace

std::size_t thread_count(const Options& options) {
    return std::accumulate(options.targets.begin(), options.targets.end(), spare_threads,
                           [](std::size_t sum, const TargetOptions& target) {
                               return sum + target.settings.max_inflight;
                           });
}

Hub::Hub(const Options& options)
    : options_{options}, log_{options.breaker_log}, relay_{registry_, options_},
      log_subscription_{registry_.on_transition(
          [this](std::string_view target, const dashpot::Transition& transition) {
              log_.append(target, transition);
          })},
      changes_subscription_{registry_.on_transition(std::ref(changes_))}, server_{server_options()} {
    add_routes();
}

std::string Hub::open() {
    Endpoint bound = options_.listen;
    bound.port = server_.open(bound.host, bound.port);
    return to_url(bound);
}

example::HttpServerOptions Hub::server_options() {
    example::HttpServerOptions result;
    result.max_threads = thread_count(options_);
    result.connection.max_body = max_body;
    result.answer_unread = [this] {
        Reply reply = reject_head(400);
        return std::pair{reply.status, std::move(reply.body)};
    };
    return result;
}

/// @param status  what httplib found wrong, if the connection did not stop it
Reply Hub::reject_head(int status) {
    const example::Connection& connection = example::Connection::current();
    const bool is_too_large = connection.over_budget();
    const bool is_too_slow = connection.timed_out();
    Reply reply = relay_.reject(is_too_large  ? "the head of the request is too large"
                                : is_too_slow ? too_slow
                                              : "not an HTTP request that can be served");
    reply.status = is_too_large ? 431 : is_too_slow ? 408 : status;
    return reply;
}

void Hub::add_routes() {
    server_.set_pre_routing_handler([this](const Request& request, Response& response) {
        const Problem problem = problem_of(request);
        if (problem.text.empty()) return Server::HandlerResponse::Unhandled;
        Reply reply = relay_.reject(problem.text);
        reply.status = problem.status;
        answer(response, reply);
        example::Connection::current().close_after_answer();
        return Server::HandlerResponse::Handled;
    });
    server_.Post("/tx",
                 [this](const Request&, Response& response, const httplib::ContentReader& content) {
                     std::string body;
                     bool is_too_large = false;
                     const bool is_complete = content([&](const char* data, std::size_t size) {
                         is_too_large = size > max_body - body.size();
                         if (!is_too_large) body.append(data, size);
                         return !is_too_large;
                     });
                     if (is_complete) return answer(response, relay_.handle(body));
                     example::Connection& connection = example::Connection::current();
                     is_too_large = is_too_large || connection.over_budget();
                     const bool is_too_slow = connection.timed_out();
                     Reply reply = relay_.reject(is_too_large  ? "the body is too large"
                                                 : is_too_slow ? too_slow
                                                               : "the body is incomplete");
                     if (is_too_large) reply.status = 413;
                     if (is_too_slow) reply.status = 408;
                     answer(response, reply);
                     connection.close_after_answer();
                 });
    server_.Get("/targets", [this](const Request&, Response& response) {
        response.set_content(targets_report(), "application/json");
    });
    server_.Get("/metrics", [this](const Request& request, Response& response) {
        const auto format = dashpot::accepted_format(request.get_header_value("Accept"));
        response.set_header("Vary", "Accept");
        response.set_content(metrics_page(format), std::string{content_type(format)});
    });
    server_.Get("/healthz", [this](const Request&, Response& response) {
        response.set_content(health_report(), "application/json");
    });
    // What httplib refuses by itself, a broken head for one, is malformed like any other.
    server_.set_error_handler([this](const Request&, Response& response) {
        if (!response.body.empty()) return;
        answer(response, reject_head(response.status));
    });
    server_.set_exception_handler([](const Request&, Response& response, std::exception_ptr error) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& exception) {
            std::cerr << "relay_hub: " << exception.what() << std::endl;
        } catch (...) {
            std::cerr << "relay_hub: unknown exception" << std::endl;
        }
        response.status = 500;
        response.set_content(R"({"code":"E902","message":"the hub failed"})", "application/json");
    });
}

std::string Hub::targets_report() const {
    nlohmann::ordered_json report;
    report["protection"] = options_.has_protection;
    report["targets"] = relay_.report();
    return report.dump(2) + "\n";
}

std::string Hub::metrics_page(dashpot::PrometheusFormat format) const {
    return to_prometheus_text(dashpot::GuardMetrics{registry_, changes_}, format);
}

std::string Hub::health_report() const {
    nlohmann::ordered_json report;
    report["status"] = "ok";
    report["malformed"] = relay_.malformed();
    report["unknown_target"] = relay_.unknown_target();
    report["lost_log_lines"] = log_.lost_lines();
    report["threads_at_most"] = thread_count(options_);
    return report.dump(2) + "\n";
}

} // namespace relay_hub
