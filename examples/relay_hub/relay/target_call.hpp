// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_CALL_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_CALL_HPP

#include "../settings/endpoint.hpp"
#include "connection_pool.hpp"
#include "target_address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace relay_hub {

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
    /// There was no connection to send the request on. Only where `end` is broken.
    bool is_unsent = false;
    /// The target's Retry-After, where it sent one that makes sense.
    std::string retry_after{};
    /// How long the target took, without the time in which the hub was stopped or slow to look.
    std::chrono::nanoseconds took{0};
};

/// Calls one target, over connections that are kept.
///
/// **Threads.** Every member may be called from any thread at any time.
class TargetClient {
  public:
    /// @param max_connections  idle ones and those in use together
    /// @throws std::invalid_argument  the host has no address
    TargetClient(const Endpoint& endpoint, std::size_t max_connections);

    /// Posts `body` to the target's /tx.
    ///
    /// The time-out is for the whole call: connecting, sending and receiving to the last byte. A
    /// request is sent a second time only if the target cannot have carried it out: see
    /// Exchange::End::unread.
    ///
    /// @param time_left  what the target is told of its time, in a header; none: nothing
    /// @throws std::system_error, std::bad_alloc  the hub itself lacks a descriptor, a port or memory
    [[nodiscard]] CallResult post_tx(const std::string& body, std::chrono::nanoseconds timeout,
                                     std::optional<std::chrono::milliseconds> time_left = {});

    [[nodiscard]] const Endpoint& endpoint() const noexcept { return endpoint_; }
    void set_max_connections(std::size_t count) noexcept { pool_.set_limit(count); }
    /// What is to be done now and then: closes connections that were idle for too long, and has the
    /// host looked up again.
    void tidy() noexcept;

  private:
    class Attempt;

    const Endpoint endpoint_;
    const std::string head_; // of each request, up to the value of Content-Length
    TargetAddresses addresses_;
    ConnectionPool pool_;
};

} // namespace relay_hub

#endif
