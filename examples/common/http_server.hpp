// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_SERVER_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_SERVER_HPP

#include "file_descriptor.hpp"
#include "http_exchange.hpp"
#include "thread_shortage.hpp"

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace example {

class ElasticPool;

struct HttpServerOptions {
    /// How many connections are served at the same time, at most; to begin with.
    std::size_t max_threads = 64;
    /// How many accepted connections may wait for a thread. With the descriptors of those served
    /// it stays below the usual limit of 1024.
    std::size_t max_waiting = 512;
    HttpService service;
};

/// A server of HTTP/1.1 that no client can hold up: threads come when they are needed, idle
/// and slow connections give theirs up, and every request has a deadline and a size.
class HttpServer {
  public:
    explicit HttpServer(HttpServerOptions options);
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Before serve().
    void add(HttpRoute route) { options_.service.routes.add(std::move(route)); }

    /// Binds and listens. Port 0 takes a free one.
    ///
    /// @return the port
    /// @throws std::runtime_error  the address is in use, or is no address
    int open(const std::string& host, int port);

    /// Serves until stop_serving(), and answers all requests that had come whole by then.
    ///
    /// @return false: the listening socket broke
    bool serve();

    /// How many connections are served at the same time, at most. From any thread.
    [[nodiscard]] std::size_t max_threads() const noexcept { return max_threads_; }
    void set_max_threads(std::size_t count) noexcept { max_threads_ = count; }

    /// Stops accepting. Connections that are idle, or in the middle of a request, are closed. From any
    /// thread, also before serve() began.
    void stop_serving();

  private:
    [[nodiscard]] bool accept_all(ElasticPool& pool);
    void serve_connection(FileDescriptor socket);

    HttpServerOptions options_;
    ThreadShortage shortage_;
    FileDescriptor stop_;
    FileDescriptor listener_;
    std::atomic<std::size_t> max_threads_;
};

} // namespace example

#endif
