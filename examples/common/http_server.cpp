// SPDX-License-Identifier: MIT
#include "http_server.hpp"

#include "elastic_pool.hpp"
#include "wait_until.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace example {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// With a short one, a burst of clients would wait for its SYNs to be sent again.
constexpr int backlog = 1024;

// How long to wait where there is no descriptor for one more connection.
constexpr auto shortage_pause = 10ms;

void switch_option(int socket, int level, int option, int value) noexcept {
    ::setsockopt(socket, level, option, &value, sizeof value);
}

/// @return no descriptor: it cannot be had, and errno says why
[[nodiscard]] FileDescriptor listen_at(const addrinfo& address) {
    FileDescriptor socket{
        ::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP)};
    if (!socket) return {};
    // Not SO_REUSEPORT, with which two servers share a port without noticing.
    switch_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (address.ai_family == AF_INET6) switch_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (::bind(socket.get(), address.ai_addr, address.ai_addrlen) != 0 ||
        ::listen(socket.get(), backlog) != 0)
        return {};
    return socket;
}

[[nodiscard]] int port_of(int socket) noexcept {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
    return ntohs(address.ss_family == AF_INET6
                     ? reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port
                     : reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
}

} // namespace

HttpServer::HttpServer(HttpServerOptions options)
    : options_{std::move(options)}, stop_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      max_threads_{options_.max_threads} {
    if (!stop_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

int HttpServer::open(const std::string& host, int port) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    std::string reason = "no such address";
    if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) == 0) {
        const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
        for (const addrinfo* one = found; one != nullptr && !listener_; one = one->ai_next) {
            listener_ = listen_at(*one);
            if (!listener_) reason = std::generic_category().message(errno);
        }
    }
    if (!listener_)
        throw std::runtime_error{"cannot listen on " + host + ":" + std::to_string(port) + ": " +
                                 reason};
    return port_of(listener_.get());
}

bool HttpServer::serve() {
    ElasticPool pool{max_threads_, options_.max_waiting, shortage_};
    bool is_whole = true;
    while (is_whole && !wait_until(stop_.get(), POLLIN, {})) {
        std::array<pollfd, 2> watched{pollfd{listener_.get(), POLLIN, 0},
                                      pollfd{stop_.get(), POLLIN, 0}};
        is_whole = wait_until(watched, SteadyTime::max()) && accept_all(pool);
    }
    // Those that connected before the stop may have sent a request.
    is_whole = is_whole && accept_all(pool);
    listener_.close();
    pool.shutdown();
    return is_whole;
}

/// Takes what waits to be accepted. @return false: the socket broke
bool HttpServer::accept_all(ElasticPool& pool) {
    // A bound, so that a stop comes through however many clients there are.
    for (int i = 0; i < backlog; ++i) {
        FileDescriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (!socket) {
            switch (errno) {
            case EAGAIN: return true;
            case EMFILE:
            case ENFILE:
            case ENOBUFS:
            case ENOMEM:
                static_cast<void>(
                    wait_until(stop_.get(), POLLIN, steady_clock::now() + shortage_pause));
                return true;
            case EBADF:
            case EINVAL:
            case ENOTSOCK: return false;
            default: continue; // the trouble of that one connection
            }
        }
        // A job is copyable, a descriptor is not.
        auto owner = std::make_shared<FileDescriptor>(std::move(socket));
        pool.enqueue([this, owner] { serve_connection(std::move(*owner)); });
    }
    return true;
}

void HttpServer::stop_serving() { static_cast<void>(::eventfd_write(stop_.get(), 1)); }

void HttpServer::serve_connection(FileDescriptor socket) {
    switch_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    const HttpService& service = options_.service;
    Connection connection{std::move(socket), stop_.get(), service.limits, shortage_};
    const std::string peer = connection.peer();
    while (connection.await_request())
        if (!HttpExchange{connection, service, peer}.run()) return;
}

} // namespace example
