// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_SERVER_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_SERVER_HPP

#include "connection.hpp"
#include "file_descriptor.hpp"
#include "thread_shortage.hpp"

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace example {

struct HttpServerOptions {
    /// How many connections are served at the same time, at most; to begin with.
    std::size_t max_threads = 64;
    /// How many accepted connections may wait for a thread. With the descriptors of those served
    /// it stays below the usual limit of 1024.
    std::size_t max_waiting = 512;
    ConnectionLimits connection;
    /// The body of the answer where not even the first line of a request came whole, for it is too long
    /// or too slow, and the status that goes with it. Not given: such a connection is closed.
    std::function<std::pair<int, std::string>()> answer_unread;
};

/// An httplib server that no client can hold up: threads come when they are needed, idle
/// and slow connections give theirs up, and every request has a deadline and a size.
///
/// httplib's server pins a thread of a fixed pool to each connection for as long as the connection
/// lives, idle or not.
class HttpServer final : public httplib::Server {
  public:
    explicit HttpServer(HttpServerOptions options);

    /// Binds and listens. Port 0 takes a free one.
    ///
    /// @return the port
    /// @throws std::runtime_error  the address is in use, or is no address
    int open(const std::string& host, int port);

    /// Serves until stop_serving() and all requests under way are answered.
    ///
    /// @return false: the listening socket broke
    bool serve();

    /// How many connections are served at the same time, at most. From any thread.
    [[nodiscard]] std::size_t max_threads() const noexcept { return max_threads_; }
    void set_max_threads(std::size_t count) noexcept { max_threads_ = count; }

    /// Stops accepting; idle connections are closed. From any thread, also before serve() began.
    void stop_serving();

  private:
    // Private and virtual in httplib, which is its way to let a server bring its own sockets.
    bool process_and_close_socket(socket_t socket) override;
    void answer_unread(Connection& connection) const;

    HttpServerOptions options_;
    ThreadShortage shortage_;
    FileDescriptor stop_;
    std::atomic<std::size_t> max_threads_;
    std::atomic<bool> has_ended_ = false;
};

} // namespace example

#endif
