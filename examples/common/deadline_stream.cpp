// SPDX-License-Identifier: MIT
#include "deadline_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <sys/socket.h>

namespace example {
namespace {

bool would_block(int error) noexcept { return error == EAGAIN || error == EWOULDBLOCK; }

void ip_and_port(const sockaddr_storage& address, socklen_t length, std::string& ip, int& port) {
    char host[NI_MAXHOST] = {};
    char service[NI_MAXSERV] = {};
    if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), length, host, sizeof host, service,
                      sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        ip = host;
        port = std::atoi(service);
    }
}

} // namespace

bool DeadlineStream::is_readable() const {
    return has_unread_bytes() || wait_until(socket_, POLLIN, deadline_);
}

bool DeadlineStream::is_writable() const { return wait_until(socket_, POLLOUT, deadline_); }

ssize_t DeadlineStream::read(char* into, std::size_t size) {
    if (size == 0) return 0;
    if (budget_ == 0) {
        over_budget_ = true;
        return -1;
    }
    if (!has_unread_bytes()) {
        const ssize_t received = receive();
        if (received <= 0) return received;
    }
    const std::size_t count = std::min({size, end_ - begin_, budget_});
    std::memcpy(into, buffer_.data() + begin_, count);
    begin_ += count;
    budget_ -= count;
    return static_cast<ssize_t>(count);
}

ssize_t DeadlineStream::receive() {
    for (;;) {
        // The deadline holds also for a peer that always has something to read.
        if (!await(POLLIN) || std::chrono::steady_clock::now() >= deadline_) {
            timed_out_ = true;
            return -1;
        }
        const ssize_t received = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (received >= 0) {
            begin_ = 0;
            end_ = static_cast<std::size_t>(received);
            return received;
        }
        if (!would_block(errno) && errno != EINTR) return -1;
    }
}

ssize_t DeadlineStream::write(const char* from, std::size_t size) {
    for (;;) {
        const ssize_t sent = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) return sent;
        if (!would_block(errno) && errno != EINTR) return -1;
        if (!await(POLLOUT)) {
            timed_out_ = true;
            return -1;
        }
    }
}

void DeadlineStream::get_remote_ip_and_port(std::string& ip, int& port) const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
        ip_and_port(address, length, ip, port);
}

void DeadlineStream::get_local_ip_and_port(std::string& ip, int& port) const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
        ip_and_port(address, length, ip, port);
}

} // namespace example
