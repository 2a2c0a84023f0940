// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_JSON_CLIENT_HPP
#define DASHPOT_EXAMPLES_COMMON_JSON_CLIENT_HPP

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace example {

/// What a server answered. Status 0: nothing.
struct HttpAnswer {
    int status = 0;
    nlohmann::json body; ///< null if it was not JSON
    httplib::Headers headers;
    std::chrono::nanoseconds took{0};

    [[nodiscard]] std::string code() const;
};

/// Speaks JSON with a server on 127.0.0.1.
///
/// **Threads.** One thread per object.
class JsonClient {
  public:
    enum class KeepAlive : bool { no, yes };

    explicit JsonClient(int port, KeepAlive keep_alive = KeepAlive::no);

    HttpAnswer get(const std::string& path, const httplib::Headers& headers = {});
    HttpAnswer post(const std::string& path, const std::string& body,
                    const httplib::Headers& headers = {});
    HttpAnswer post(const std::string& path, const nlohmann::json& body) {
        return post(path, body.dump());
    }

  private:
    httplib::Client client_;
};

} // namespace example

#endif
