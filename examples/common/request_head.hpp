// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_REQUEST_HEAD_HPP
#define DASHPOT_EXAMPLES_COMMON_REQUEST_HEAD_HPP

#include "http_message.hpp"
#include "url_escapes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace example {

/// Reads the head of a request, its first line and its fields, while its bytes come.
///
/// **Contract.** What two readers could understand in two ways is refused, as RFC 9112 demands or
/// allows: lines that do not end in CRLF, control characters, folded lines, blanks before a colon, more
/// or less than one Host. Each line is judged when it is complete, so that nothing is waited for in
/// vain.
/// **Threads.** A value.
/// **Source.** RFC 9112, sections 2.2, 3 and 5.
class RequestHead {
  public:
    /// @param limit  how many bytes the head may have
    explicit RequestHead(std::size_t limit) : room_{limit} {}

    /// Takes bytes up to the end of the head, or to the first that is wrong.
    ///
    /// @return how many were taken; the rest is the body's, or the next request's
    std::size_t feed(std::string_view bytes) {
        std::size_t taken = 0;
        while (taken < bytes.size() && !is_complete_ && !problem_) take(bytes[taken++]);
        return taken;
    }

    /// Returns true if more than empty lines has come.
    [[nodiscard]] bool has_begun() const noexcept { return has_first_line_ || !line_.empty(); }
    [[nodiscard]] bool is_complete() const noexcept { return is_complete_; }
    [[nodiscard]] const std::optional<HttpProblem>& problem() const noexcept { return problem_; }
    /// The request, without its body. Also of a head with a problem, as far as it was read.
    [[nodiscard]] HttpRequest& request() noexcept { return request_; }

  private:
    void fail(int status, std::string text) { problem_ = HttpProblem{status, std::move(text)}; }

    void take(char c) {
        if (room_ == 0) return fail(431, "the head of the request is too large");
        --room_;
        if (has_return_ && c != '\n') return fail(400, "a CR without its LF");
        if (c == '\r') {
            has_return_ = true;
        } else if (c == '\n') {
            if (!has_return_) return fail(400, "an LF without its CR");
            has_return_ = false;
            end_line();
            line_.clear();
        } else if (c == '\x7f' || (c >= '\0' && c < ' ' && c != '\t')) {
            fail(400, "a control character in the head");
        } else {
            line_ += c;
        }
    }

    void end_line() {
        if (!line_.empty()) return has_first_line_ ? end_field() : end_first_line();
        // Some clients send an empty line after the request before.
        if (has_first_line_) end_head();
    }

    void end_first_line() {
        has_first_line_ = true;
        const std::string_view line = line_;
        const std::size_t first = line.find(' ');
        const std::size_t last = line.rfind(' ');
        if (first == last) return fail(400, "not an HTTP request");
        const std::string_view version = line.substr(last + 1);
        request_.method = line.substr(0, first);
        if (!is_token(request_.method) || !is_version(version)) return fail(400, "not an HTTP request");
        // A minor version that is not known here is answered as the highest that is.
        if (version[5] != '1') return fail(505, "the version of HTTP is neither 1.0 nor 1.1");
        request_.minor_version = version[7] == '0' ? 0 : 1;
        target_ = line.substr(first + 1, last - first - 1);
        const auto is_visible = [](char c) { return c > ' ' && c < '\x7f' && c != '#'; };
        if (target_.empty() || !std::ranges::all_of(target_, is_visible))
            fail(400, "the target of the request has characters that a URL has not");
    }

    [[nodiscard]] static bool is_version(std::string_view text) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' &&
               is_digit(text[7]);
    }

    void end_field() {
        const std::string_view line = line_;
        if (line.front() == ' ' || line.front() == '\t')
            return fail(400, "a header field of two lines");
        const std::size_t colon = line.find(':');
        const std::string_view name = line.substr(0, colon);
        if (colon == std::string_view::npos || !is_token(name))
            return fail(400, "a header field that has no name");
        request_.fields.add(std::string{name}, std::string{without_blanks(line.substr(colon + 1))});
    }

    void end_head() {
        is_complete_ = true;
        const std::vector<std::string> hosts = request_.fields.all("Host");
        if (hosts.size() > 1) return fail(400, "more than one Host");
        if (hosts.empty() && request_.minor_version > 0) return fail(400, "the header Host is missing");
        if (!hosts.empty() && !is_host(hosts.front())) return fail(400, "the header Host is no host");
        read_target();
    }

    /// Returns true if it is a name, an IPv4 address or an IPv6 address in brackets, with or without a
    /// port.
    [[nodiscard]] static bool is_host(std::string_view text) {
        constexpr std::string_view others = "/?@\\\"<>^`{|}";
        const auto may_be_there = [&](char c) {
            return c > ' ' && c < '\x7f' && others.find(c) == others.npos;
        };
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
        if (bracket == std::string_view::npos) return false;
        const std::size_t colon = std::min(text.find(':', bracket), text.size());
        const std::string_view port = text.substr(std::min(colon + 1, text.size()));
        return std::ranges::all_of(text, may_be_there) && std::ranges::all_of(port, is_digit);
    }

    void read_target() {
        std::string_view target = target_;
        if (request_.method == "CONNECT")
            return; // its target is a host, and there is no such method here
        if (target == "*" && request_.method == "OPTIONS") {
            request_.path = target;
            return;
        }
        constexpr std::string_view scheme = "http://";
        if (lower_case(target.substr(0, scheme.size())) == scheme) {
            target.remove_prefix(scheme.size());
            const std::size_t end = std::min(target.find_first_of("/?"), target.size());
            const std::string_view host = target.substr(0, end);
            if (host.empty() || !is_host(host)) return fail(400, "the URL of the request has no host");
            // It says more than the field does (RFC 9112, 3.2.2).
            request_.fields.set("Host", std::string{host});
            target.remove_prefix(end);
            if (target.empty()) target = "/";
        }
        const bool has_path = target.front() == '/';
        if (!has_path && (target_.size() == target.size() || target.front() != '?'))
            return fail(400, "the target of the request is neither a path nor a URL of http");
        const std::size_t end = std::min(target.find('?'), target.size());
        request_.path = has_path ? target.substr(0, end) : "/";
        read_query(target.substr(std::min(end + 1, target.size())));
    }

    void read_query(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('&'), text.size());
            const std::string_view pair = text.substr(0, end);
            const std::size_t equals = std::min(pair.find('='), pair.size());
            std::string value{pair.substr(std::min(equals + 1, pair.size()))};
            std::ranges::replace(value, '+', ' ');
            request_.query.emplace(without_escapes(pair.substr(0, equals)), without_escapes(value));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    std::size_t room_;
    std::string line_;
    std::string target_;
    HttpRequest request_;
    std::optional<HttpProblem> problem_;
    bool has_return_ = false; // a CR has come, and the LF is to follow
    bool has_first_line_ = false;
    bool is_complete_ = false;
};

} // namespace example

#endif
