// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_EXCHANGE_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_EXCHANGE_HPP

#include "body_framing.hpp"
#include "connection.hpp"
#include "http_message.hpp"
#include "http_routes.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace example {

/// What all exchanges of a server have in common.
struct HttpService {
    ConnectionLimits limits;
    HttpRoutes routes;
    /// Called when a request's head was read, whatever becomes of it; may be empty.
    std::function<void(const HttpRequest&)> on_request;
    /// Puts a refusal into the words of the service; may be empty. Status and Allow are set before.
    std::function<void(const HttpProblem&, HttpResponse&)> refuse;
    /// The same where a handler threw.
    std::function<void(std::exception_ptr, HttpResponse&)> fail;
};

/// One request and its answer.
///
/// **Contract.** A request is carried out if it came whole, and if it cannot be mistaken where it ends.
/// An answer after which the connection ends says `Connection: close`; any other is followed by the
/// next.
/// **Threads.** Used by the thread of its connection.
class HttpExchange {
  public:
    HttpExchange(Connection& connection, const HttpService& service, const std::string& peer);

    /// Reads the request and answers it.
    /// @return false: the connection is to be closed
    [[nodiscard]] bool run();

  private:
    enum class Step : std::uint8_t {
        done,
        refused, ///< response_ says why
        ended,   ///< there is nothing to answer
    };

    [[nodiscard]] Step read();
    [[nodiscard]] Step read_head();
    [[nodiscard]] Step check();
    [[nodiscard]] std::optional<HttpProblem> problem_of_head();
    [[nodiscard]] Step read_body();
    [[nodiscard]] Step receive(bool has_begun);
    [[nodiscard]] Step refuse(const HttpProblem& problem);

    [[nodiscard]] bool send();
    [[nodiscard]] std::string head(bool goes_on) const;
    [[nodiscard]] bool send_stream();

    Connection& connection_;
    const HttpService& service_;
    const std::string& peer_;
    HttpRequest request_;
    BodyFraming framing_;
    const HttpRoute* route_ = nullptr;
    HttpResponse response_;
    bool is_read_ = false; // to the end of its body: what follows is the next request
};

} // namespace example

#endif
