// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_FLAKY_SERVICE_SERVICE_HPP
#define DASHPOT_EXAMPLES_FLAKY_SERVICE_SERVICE_HPP

#include "chance.hpp"
#include "request_tally.hpp"

#include "../common/http_server.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

namespace flaky_service {

/// A service whose every path fails in a way of its own, and which counts what it is asked:
///
///     GET /fast             200
///     GET /slow?delay_ms=N  200 after N ms, 0 to 60 000, 4000 if it is not there
///     GET /always500        500
///     GET /bad              400
///     GET /flaky?p=P        500 with chance P, 0 to 1, 0.3 if it is not there; else 200
///     GET /count            the requests received so far, this one not among them
///
/// **Threads.** stop() from any thread; the rest from the one that owns it.
class Service {
  public:
    /// @param seed  what /flaky draws from: the same seed, the same sequence of answers
    explicit Service(std::uint64_t seed);

    /// Binds and listens. Port 0 takes a free one.
    ///
    /// @return the port
    /// @throws std::runtime_error  the address is in use, or is no address
    int open(const std::string& host, int port) { return server_.open(host, port); }

    /// Serves until stop() and all requests under way are answered.
    ///
    /// @return false: the listening socket broke
    bool serve() { return server_.serve(); }

    /// Ends serve(), before it began too. Slow answers that are still to come will not.
    void stop();

  private:
    [[nodiscard]] example::HttpServerOptions server_options();
    void add_routes();
    void answer_slowly(const example::HttpRequest& request, example::HttpResponse& response);
    void answer_by_chance(const example::HttpRequest& request, example::HttpResponse& response);

    RequestTally tally_;
    Chance chance_;

    std::mutex mutex_;
    std::condition_variable stopping_;
    bool is_stopping_ = false; // guarded by mutex_

    // Last: its threads use what is above.
    example::HttpServer server_;
};

} // namespace flaky_service

#endif
