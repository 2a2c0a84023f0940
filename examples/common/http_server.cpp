// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include "elastic_pool.hpp"

#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>

namespace example {
namespace {

// httplib asks for 5: a burst of clients would wait for its SYNs to be sent again.
constexpr int backlog = 1024;

// httplib's default is SO_REUSEPORT, with which two servers share a port without noticing.
void reuse_address(socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// A browser takes an answer for what it says it is, and not for a page because it looks like one.
const std::pair<std::string, std::string> no_sniffing{"X-Content-Type-Options", "nosniff"};

} // namespace

HttpServer::HttpServer(HttpServerOptions options)
    : options_{std::move(options)}, stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      max_threads_{options_.max_threads} {
    if (!stop_) throw std::system_error{errno, std::generic_category(), "eventfd"};
    set_tcp_nodelay(true);
    set_socket_options(reuse_address);
    set_keep_alive_timeout(
        std::chrono::ceil<std::chrono::seconds>(options_.connection.keep_alive).count());
    set_keep_alive_max_count(1'000'000);
    set_default_headers({no_sniffing});
    set_payload_max_length(options_.connection.max_body);
    new_task_queue = [this]() -> httplib::TaskQueue* {
        return new ElasticPool{max_threads_, options_.max_waiting, shortage_};
    };
}

int HttpServer::open(const std::string& host, int port) {
    errno = 0;
    int bound = port;
    const bool ok = port == 0 ? (bound = bind_to_any_port(host)) > 0 : bind_to_port(host, port);
    // Asking to listen a second time only changes the length of the backlog.
    if (!ok || ::listen(svr_sock_, backlog) != 0) {
        const std::string reason =
            errno != 0 ? std::generic_category().message(errno) : "no such address";
        throw std::runtime_error{"cannot listen on " + host + ":" + std::to_string(port) + ": " +
                                 reason};
    }
    return bound;
}

bool HttpServer::serve() {
    const bool ok = listen_after_bind();
    has_ended_ = true;
    return ok;
}

void HttpServer::stop_serving() {
    static_cast<void>(::eventfd_write(stop_.get(), 1));
    // httplib forgets a stop that comes before its loop has begun.
    while (!is_running() && !has_ended_) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    stop();
}

bool HttpServer::process_and_close_socket(socket_t socket) {
    // Accepted sockets inherit TCP_NODELAY on Linux, but nobody promises it.
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);

    Connection connection{socket, options_.connection, shortage_};
    while (connection.await_request(stop_.get())) {
        const bool last = wait_until(stop_.get(), POLLIN, {});
        bool client_closes = false;
        bool has_head = false;
        const bool answered =
            process_request(connection, last, client_closes, [&](httplib::Request& request) {
                has_head = true;
                connection.begin_body();
                // A part of an answer is of no use to anyone here.
                request.ranges.clear();
            });
        // After a request that was not read to its end, what follows is not the next request.
        if (!answered || !has_head || connection.is_to_close()) {
            if (!connection.has_answered()) answer_unread(connection);
            connection.linger();
            return answered;
        }
        if (last || client_closes) break;
    }
    return true;
}

// httplib closes without a word where it could not read a line.
void HttpServer::answer_unread(Connection& connection) const {
    if (!options_.answer_unread || !(connection.over_budget() || connection.timed_out())) return;
    const auto [status, body] = options_.answer_unread();
    const std::string answer =
        "HTTP/1.1 " + std::to_string(status) + " \r\nContent-Type: application/json\r\n" +
        no_sniffing.first + ": " + no_sniffing.second +
        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
    std::string_view rest = answer;
    while (!rest.empty()) {
        const ssize_t written = connection.write(rest.data(), rest.size());
        if (written <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

} // namespace example
