// SPDX-License-Identifier: MIT
#include "crooked_target.hpp"

#include "../../examples/common/wait_until.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace e2e {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Waits in short steps, so that the end of a test is noticed.
bool wait_for(int socket, short events, const std::atomic<bool>& is_over) {
    while (!is_over)
        if (example::wait_until(socket, events, steady_clock::now() + 10ms)) return true;
    return false;
}

bool read_request(int socket, const std::atomic<bool>& is_over) {
    std::array<char, 4096> buffer;
    std::string request;
    while (request.find("}") == std::string::npos && wait_for(socket, POLLIN, is_over)) {
        const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
        if (count <= 0) return false;
        request.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return !is_over;
}

} // namespace

bool Victim::send(std::string_view text) const {
    while (!text.empty()) {
        if (!wait_for(socket_, POLLOUT, is_over_)) return false;
        const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN) return false;
        if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void Victim::send_for_ever(std::string_view text, std::chrono::milliseconds pause) const {
    while (send(text)) {
        // Sleeps, and wakes early if the hub closes.
        if (pause > 0ms)
            static_cast<void>(example::wait_until(socket_, POLLRDHUP, steady_clock::now() + pause));
    }
}

void Victim::wait_for_end() const {
    char byte = 0;
    while (wait_for(socket_, POLLIN, is_over_))
        if (::recv(socket_, &byte, 1, 0) <= 0) return;
}

bool Victim::next_request() const { return read_request(socket_, is_over_); }

void Victim::reset_at_end() const {
    const linger at_once{1, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// The socket does not block, since of several threads that see a connection only one gets it.
CrookedTarget::CrookedTarget(std::function<void(const Victim&)> answer, int port, std::size_t threads)
    : answer_{std::move(answer)},
      socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
    const int yes = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), generic, size) != 0 || ::listen(socket_.get(), 16) != 0 ||
        ::getsockname(socket_.get(), generic, &size) != 0)
        throw std::system_error{errno, std::generic_category(), "listen"};
    port_ = ntohs(address.sin_port);
    for (std::size_t i = 0; i < threads; ++i) servers_.emplace_back([this] { serve(); });
}

CrookedTarget::~CrookedTarget() {
    is_over_ = true;
    for (std::thread& server : servers_) server.join();
}

std::string CrookedTarget::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void CrookedTarget::serve() {
    while (wait_for(socket_.get(), POLLIN, is_over_)) {
        const example::FileDescriptor accepted{
            ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (!accepted) continue;
        read_request(accepted.get(), is_over_);
        answer_(Victim{accepted.get(), is_over_});
    }
}

std::string http_answer(const std::string& body, const std::string& headers) {
    return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

} // namespace e2e
