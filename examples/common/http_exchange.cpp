// SPDX-License-Identifier: MIT
#include "http_exchange.hpp"

#include "chunked_body.hpp"
#include "http_date.hpp"
#include "request_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

namespace example {
namespace {

// Up to here one send() with a copy is cheaper than two.
constexpr std::size_t small_body = 64 * 1024;

[[nodiscard]] std::string_view reason_phrase(int status) noexcept {
    constexpr std::array<std::pair<int, std::string_view>, 20> phrases{{
        {200, "OK"},
        {201, "Created"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
    }};
    // A target may answer with any status. The phrase may be left out, the blank before it may not.
    const auto* const found =
        std::ranges::find(phrases, status, &std::pair<int, std::string_view>::first);
    return found == phrases.end() ? std::string_view{} : found->second;
}

void append_field(std::string& head, std::string_view name, std::string_view value) {
    head.append(name).append(": ").append(value).append("\r\n");
}

/// Sends the pieces of a body whose length is not known: as chunks, to a client that knows them.
class StreamWriter final : public BodyWriter {
  public:
    StreamWriter(Connection& connection, bool in_chunks)
        : connection_{connection}, in_chunks_{in_chunks} {}

    bool write(std::string_view piece) override {
        if (!in_chunks_ || piece.empty()) return connection_.write(piece);
        std::array<char, 16> size;
        const auto [end, error] =
            std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16);
        std::string chunk{size.data(), end};
        chunk.append("\r\n").append(piece).append("\r\n");
        return connection_.write(chunk);
    }

    /// @return false: the client is gone
    [[nodiscard]] bool end() { return !in_chunks_ || connection_.write("0\r\n\r\n"); }

  private:
    Connection& connection_;
    const bool in_chunks_;
};

} // namespace

HttpExchange::HttpExchange(Connection& connection, const HttpService& service, const std::string& peer)
    : connection_{connection}, service_{service}, peer_{peer} {}

bool HttpExchange::run() {
    try {
        const Step step = read();
        if (step == Step::ended) return false;
        if (step == Step::done) route_->handle(request_, response_);
    } catch (...) {
        request_.body = std::string{}; // where there is no memory, this is some
        response_ = HttpResponse{};
        response_.status = 500;
        if (service_.fail) service_.fail(std::current_exception(), response_);
    }
    if (connection_.is_dropped()) return false;
    const bool goes_on = send();
    const bool has_more = !is_read_ || !connection_.unread().empty() || connection_.is_stopping();
    if (!goes_on && has_more) connection_.linger();
    return goes_on;
}

HttpExchange::Step HttpExchange::read() {
    Step step = read_head();
    if (step == Step::done) step = check();
    if (step == Step::done) step = read_body();
    return step;
}

HttpExchange::Step HttpExchange::read_head() {
    RequestHead head{service_.limits.max_head};
    while (!head.is_complete() && !head.problem()) {
        if (connection_.unread().empty()) {
            const Step step = receive(head.has_begun());
            if (step != Step::done) return step;
        }
        connection_.consume(head.feed(connection_.unread()));
    }
    request_ = std::move(head.request());
    request_.peer = peer_;
    return head.problem() ? refuse(*head.problem()) : Step::done;
}

HttpExchange::Step HttpExchange::receive(bool has_begun) {
    switch (connection_.receive()) {
    case Connection::Received::some: return Step::done;
    case Connection::Received::stop: return Step::ended;
    case Connection::Received::end:
        return has_begun ? refuse({400, "the request is incomplete"}) : Step::ended;
    case Connection::Received::late: break;
    }
    return has_begun ? refuse({408, "the request did not come in time"}) : Step::ended;
}

HttpExchange::Step HttpExchange::check() {
    framing_ = framing_of(request_);
    if (framing_.problem) return refuse(*framing_.problem);
    is_read_ = !framing_.has_body();
    if (service_.on_request) service_.on_request(request_);
    const std::optional<HttpProblem> problem = problem_of_head();
    return problem ? refuse(*problem) : Step::done;
}

std::optional<HttpProblem> HttpExchange::problem_of_head() {
    std::optional<HttpProblem> problem;
    route_ = service_.routes.find(request_, problem);
    if (route_ == nullptr) return problem;
    if (route_->check) problem = route_->check(request_);
    if (problem) return problem;
    if (route_->method == "GET" && framing_.has_body()) return HttpProblem{400, "a GET has no body"};
    if (framing_.length > service_.limits.max_body) return HttpProblem{413, "the body is too large"};
    for (const std::string& expected : request_.fields.elements("Expect"))
        if (expected != "100-continue" && request_.minor_version > 0)
            return HttpProblem{417, "nothing can be expected but 100-continue"};
    return std::nullopt;
}

HttpExchange::Step HttpExchange::read_body() {
    if (is_read_) return Step::done;
    const bool is_waiting = request_.minor_version > 0 && request_.fields.has("Expect");
    if (is_waiting && connection_.unread().empty() &&
        !connection_.write("HTTP/1.1 100 Continue\r\n\r\n"))
        return Step::ended;
    ChunkedBody chunks{service_.limits.max_body};
    std::string& body = request_.body;
    const auto is_complete = [&] {
        return framing_.is_chunked ? chunks.is_complete() : body.size() == framing_.length;
    };
    while (!is_complete()) {
        if (connection_.unread().empty()) {
            const Step step = receive(true);
            if (step != Step::done) return step;
        }
        const std::string_view unread = connection_.unread();
        if (framing_.is_chunked) {
            connection_.consume(chunks.feed(unread, body));
            if (chunks.problem()) return refuse(*chunks.problem());
        } else {
            const std::string_view piece = unread.substr(0, framing_.length - body.size());
            body.append(piece);
            connection_.consume(piece.size());
        }
    }
    is_read_ = true;
    return Step::done;
}

HttpExchange::Step HttpExchange::refuse(const HttpProblem& problem) {
    response_ = HttpResponse{};
    response_.status = problem.status;
    response_.body = problem.text + "\n";
    if (!problem.allow.empty()) response_.fields.set("Allow", problem.allow);
    if (service_.refuse) service_.refuse(problem, response_);
    return Step::refused;
}

/// @return false: the connection is to be closed
bool HttpExchange::send() {
    connection_.begin_part();
    const bool has_content = request_.method != "HEAD";
    const bool is_stream = response_.stream && has_content;
    const bool goes_on =
        is_read_ && request_.wants_to_go_on() && !is_stream && !connection_.is_stopping();
    std::string text = head(goes_on);
    if (is_stream) return connection_.write(text) && send_stream();
    if (!has_content) return connection_.write(text) && goes_on;
    if (response_.body.size() > small_body)
        return connection_.write(text) && connection_.write(response_.body) && goes_on;
    return connection_.write(text.append(response_.body)) && goes_on;
}

std::string HttpExchange::head(bool goes_on) const {
    std::string text = "HTTP/1.1 " + std::to_string(response_.status) + " ";
    text.append(reason_phrase(response_.status)).append("\r\n");
    append_field(text, "Date", http_date(std::chrono::system_clock::now()));
    append_field(text, "Content-Type", response_.content_type);
    if (!response_.stream)
        append_field(text, "Content-Length", std::to_string(response_.body.size()));
    else if (request_.minor_version > 0 && request_.method != "HEAD")
        append_field(text, "Transfer-Encoding", "chunked");
    // What a server says changes; a cache would show what was.
    if (!response_.fields.has("Cache-Control")) append_field(text, "Cache-Control", "no-store");
    // A browser takes an answer for what it says it is, and not for a page because it looks like one.
    append_field(text, "X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response_.fields) append_field(text, name, value);
    if (!goes_on) {
        append_field(text, "Connection", "close");
    } else {
        if (request_.minor_version == 0) append_field(text, "Connection", "keep-alive");
        const auto seconds = std::chrono::floor<std::chrono::seconds>(service_.limits.keep_alive);
        append_field(text, "Keep-Alive", "timeout=" + std::to_string(seconds.count()));
    }
    return text.append("\r\n");
}

/// @return false, always: the connection is to be closed
bool HttpExchange::send_stream() {
    StreamWriter writer{connection_, request_.minor_version > 0};
    const bool is_complete = response_.stream(writer);
    // Without the end, the client knows that it does not have all.
    if (is_complete) static_cast<void>(writer.end());
    return false;
}

} // namespace example
