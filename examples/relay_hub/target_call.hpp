// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_TARGET_CALL_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_TARGET_CALL_HPP

#include "endpoint.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/socket.h>

namespace relay_hub {

/// Where a target is, looked up once at the start: a name lookup has no deadline, so it has no
/// place in a call that has one.
struct Address {
    Endpoint endpoint;
    sockaddr_storage socket_address{};
    socklen_t length = 0;
};

/// @throws std::invalid_argument  the host has no address
[[nodiscard]] Address look_up(const Endpoint& endpoint);

/// How one call to a target ended.
struct CallResult {
    enum class End : std::uint8_t {
        answered,  ///< completely: status and body hold
        timed_out, ///< the deadline passed before that
        broken,    ///< no connection, a broken one, or something that is not HTTP
    };
    End end = End::broken;
    int status = 0;
    std::string body;
    std::string detail; ///< for people, where there is no answer
};

/// Posts `body` to the target's /tx.
///
/// The time-out is for the whole call: connecting, sending and receiving to the last byte. Each
/// call has a connection of its own. A kept one may have died unnoticed, and since a POST cannot
/// simply be sent again, that would be reported as a failure of a healthy target.
[[nodiscard]] CallResult post_tx(const Address& target, const std::string& body,
                                 std::chrono::nanoseconds timeout);

} // namespace relay_hub

#endif
