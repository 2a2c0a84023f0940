// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_FIXED_PORT_HPP
#define DASHPOT_TESTS_SOAK_FIXED_PORT_HPP

#include "../../examples/common/file_descriptor.hpp"

#include <cstdint>
#include <random>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace soak {

/// A port that is free, for a server that comes and goes. Below those that the system gives out by
/// itself: it could give a connection the port of a server that is gone for the moment, and one to that
/// very port would be connected to itself. Not by the seed: two runs with the same one may run at once.
[[nodiscard]] inline int fixed_port() {
    std::random_device random;
    for (int attempt = 0; attempt < 100; ++attempt) {
        const auto port = static_cast<std::uint16_t>(20000 + random() % 12000);
        const example::FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
            return port;
    }
    throw std::runtime_error{"there is no free port"};
}

} // namespace soak

#endif
