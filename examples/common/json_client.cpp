// SPDX-License-Identifier: MIT
#include "json_client.hpp"

#include <utility>

namespace example {
namespace {

using std::chrono::steady_clock;

HttpAnswer to_answer(httplib::Result result, steady_clock::time_point begin) {
    HttpAnswer answer;
    answer.took = steady_clock::now() - begin;
    if (!result) return answer;
    answer.status = result->status;
    answer.headers = result->headers;
    answer.body = nlohmann::json::parse(result->body, nullptr, false);
    if (answer.body.is_discarded()) answer.body = nullptr;
    return answer;
}

} // namespace

std::string HttpAnswer::code() const {
    if (!body.is_object()) return {};
    return body.value("code", std::string{});
}

JsonClient::JsonClient(int port, KeepAlive keep_alive) : client_{"127.0.0.1", port} {
    client_.set_tcp_nodelay(true);
    client_.set_keep_alive(keep_alive == KeepAlive::yes);
    // Longer than any answer takes on a loaded machine, shorter than a test's own limit.
    client_.set_connection_timeout(30);
    client_.set_read_timeout(60);
    client_.set_write_timeout(30);
}

HttpAnswer JsonClient::get(const std::string& path, const httplib::Headers& headers) {
    const auto begin = steady_clock::now();
    return to_answer(client_.Get(path, headers), begin);
}

HttpAnswer JsonClient::post(const std::string& path, const std::string& body,
                            const httplib::Headers& headers) {
    const auto begin = steady_clock::now();
    return to_answer(client_.Post(path, headers, body, "application/json"), begin);
}

} // namespace example
