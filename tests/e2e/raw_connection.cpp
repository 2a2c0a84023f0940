// SPDX-License-Identifier: MIT
#include "raw_connection.hpp"

#include "../../examples/common/wait_until.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <system_error>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace e2e {

namespace {

void set(int socket, int level, int option, int value) {
    if (::setsockopt(socket, level, option, &value, sizeof value) != 0)
        throw std::system_error{errno, std::generic_category(), "setsockopt"};
}

} // namespace

RawConnection::RawConnection() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {}

RawConnection::RawConnection(int port, const std::string& from) : RawConnection{} {
    connect(port, from);
}

RawConnection RawConnection::with_little_room(int port) {
    RawConnection result;
    // The other side's room grows with the segments of the connection, which over loopback are huge.
    set(result.socket_.get(), IPPROTO_TCP, TCP_MAXSEG, 1000);
    set(result.socket_.get(), SOL_SOCKET, SO_RCVBUF, 4096);
    result.connect(port, {});
    return result;
}

void RawConnection::connect(int port, const std::string& from) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    if (!from.empty() &&
        (::inet_pton(AF_INET, from.c_str(), &address.sin_addr) != 1 ||
         ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0))
        throw std::system_error{errno, std::generic_category(), "bind"};
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        throw std::system_error{errno, std::generic_category(), "connect"};
}

bool RawConnection::send(std::string_view text) const {
    while (!text.empty()) {
        const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::string RawConnection::receive(std::string_view text, std::chrono::seconds patience) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    std::string received;
    std::array<char, 4096> buffer;
    while (text.empty() || received.find(text) == std::string::npos) {
        if (!example::wait_until(socket_.get(), POLLIN, deadline)) break;
        const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0) break;
        received.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return received;
}

std::string outer_address() {
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{all, &::freeifaddrs};
    for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        std::array<char, INET_ADDRSTRLEN> text{};
        ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
        if (!std::string_view{text.data()}.starts_with("127.")) return text.data();
    }
    return {};
}

} // namespace e2e
