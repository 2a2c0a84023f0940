// SPDX-License-Identifier: MIT
#include "service.hpp"

#include "../common/number.hpp"

#include <chrono>
#include <optional>

namespace flaky_service {
namespace {

using Request = example::HttpRequest;
using Response = example::HttpResponse;

constexpr const char* json_type = "application/json";

// Longer than the drill's slow call takes.
constexpr int default_delay_ms = 4000;
constexpr int longest_delay_ms = 60'000;
constexpr double default_chance = 0.3;

void answer(Response& response, int status, const char* body) {
    response.status = status;
    response.set_body(body, json_type);
}

/// The number that the request gives for `name`, or the default.
/// @return nothing: it is no number, or out of range
template <class Number>
std::optional<Number> parameter(const Request& request, const char* name, Number fallback,
                                Number highest) {
    const auto found = request.query.find(name);
    if (found == request.query.end()) return fallback;
    return example::to_number(found->second, Number{0}, highest);
}

} // namespace

Service::Service(std::uint64_t seed) : chance_{seed}, server_{server_options()} { add_routes(); }

void Service::stop() {
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    stopping_.notify_all();
    server_.stop_serving();
}

example::HttpServerOptions Service::server_options() {
    example::HttpServerOptions result;
    result.service.on_request = [this](const Request& request) {
        if (request.path != "/count") tally_.add(request.path);
    };
    result.service.refuse = [](const example::HttpProblem& problem, Response& response) {
        if (problem.status == 404)
            answer(response, 404,
                   R"({"error":"try GET /fast, /slow, /always500, /bad, /flaky or /count"})");
    };
    return result;
}

void Service::add_routes() {
    const auto get = [this](const char* path, auto handle) { server_.add({"GET", path, handle, {}}); };
    get("/fast",
        [](const Request&, Response& response) { answer(response, 200, R"({"result":"ok"})"); });
    get("/slow",
        [this](const Request& request, Response& response) { answer_slowly(request, response); });
    get("/always500", [](const Request&, Response& response) {
        answer(response, 500, R"({"error":"always fails"})");
    });
    get("/bad", [](const Request&, Response& response) {
        answer(response, 400, R"({"error":"the caller is at fault"})");
    });
    get("/flaky",
        [this](const Request& request, Response& response) { answer_by_chance(request, response); });
    get("/count",
        [this](const Request&, Response& response) { response.set_body(tally_.to_json(), json_type); });
}

void Service::answer_slowly(const Request& request, Response& response) {
    const auto delay = parameter(request, "delay_ms", default_delay_ms, longest_delay_ms);
    if (!delay)
        return answer(response, 400, R"({"error":"delay_ms: not a whole number from 0 to 60000"})");
    std::unique_lock lock{mutex_};
    const bool is_stopped =
        stopping_.wait_for(lock, std::chrono::milliseconds{*delay}, [this] { return is_stopping_; });
    if (is_stopped) return example::Connection::current().drop();
    answer(response, 200, R"({"result":"ok"})");
}

void Service::answer_by_chance(const Request& request, Response& response) {
    const auto chance = parameter(request, "p", default_chance, 1.0);
    if (!chance) return answer(response, 400, R"({"error":"p: not a number from 0 to 1"})");
    if (chance_.strikes(*chance)) return answer(response, 500, R"({"error":"bad luck"})");
    answer(response, 200, R"({"result":"ok"})");
}

} // namespace flaky_service
