// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_MESSAGE_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_MESSAGE_HPP

#include "http_fields.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// Why a server refuses a request that no handler has seen.
struct HttpProblem {
    int status = 400;
    std::string text;    ///< for people
    std::string allow{}; ///< for the field Allow, with 405
};

/// A request of a client.
struct HttpRequest {
    std::string method;
    std::string path;                         ///< as it came: with its escapes, without the query
    std::map<std::string, std::string> query; ///< without escapes; of equal names the first
    std::vector<std::string> parts;           ///< what the `*` of the route's path stand for
    int minor_version = 1;                    ///< of HTTP/1.x
    HttpFields fields;
    std::string body;
    std::string peer; ///< the address that the connection comes from, in numbers

    /// Returns true if the client can take more than one answer on this connection, and wants to.
    [[nodiscard]] bool wants_to_go_on() const {
        bool goes_on = minor_version > 0;
        for (const std::string& option : fields.elements("Connection")) {
            if (option == "close") return false;
            if (option == "keep-alive") goes_on = true;
        }
        return goes_on;
    }
};

/// Takes a body in pieces, each of which is sent at once.
class BodyWriter {
  public:
    virtual ~BodyWriter() = default;
    /// @return false: the client is gone, or takes nothing
    [[nodiscard]] virtual bool write(std::string_view piece) = 0;
};

/// An answer of a server.
struct HttpResponse {
    int status = 200;
    HttpFields fields;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body;
    /// Writes the body in place of `body`, as long as it likes. No other answer follows on its
    /// connection.
    /// @return false: the body is not complete
    std::function<bool(BodyWriter&)> stream;

    void set_body(std::string text, std::string type) {
        body = std::move(text);
        content_type = std::move(type);
    }
};

} // namespace example

#endif
