// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_SOCKET_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_SOCKET_HPP

#include "answer_reader.hpp"
#include "call_deadline.hpp"
#include "target_address.hpp"

#include "../../common/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace relay_hub {

// One connection to a target. All functions here throw std::system_error where the hub itself lacks
// what it needs: a descriptor, a port, buffers, memory. That is no failure of the target.

/// What became of an attempt to connect.
struct Connected {
    example::FileDescriptor socket; ///< Connected, if there is one.
    SocketAddress address;
    bool timed_out = false; ///< No socket, since the deadline has passed.
    std::string problem;    ///< For people, where there is no socket.
};

/// Connects to the first of `addresses` that can be connected to. Each has an equal share of the time
/// that is left: one that swallows connections does not use up the time of the next.
[[nodiscard]] Connected connect_to(const AddressList& addresses, CallDeadline& deadline);

/// How one request on a connection ended.
struct Exchange {
    enum class End : std::uint8_t {
        answered,  ///< completely
        timed_out, ///< the deadline passed before that
        broken,    ///< the connection, or the answer
        unread,    ///< the connection, and the target cannot have carried out the request
    };
    End end = End::broken;
    /// The connection may serve another call, as far as the answer and the bytes after it say.
    bool may_be_kept = false;
    /// For how long bytes of the answer lay there until the hub looked, where that was unusually long.
    std::chrono::nanoseconds late{0};
    /// The target ended the connection instead of answering.
    bool was_ended = false;
    std::string problem; ///< For people, where there is no answer.
};

/// Which of a connection's requests it is.
enum class Use : std::uint8_t {
    first, ///< If the connection breaks, the target has broken it.
    again, ///< The target has answered on a kept connection before, on this one or another.
    trial, ///< Whether the target keeps connections is not known yet.
};

/// Sends the request and reads the answer.
///
/// `unread` is the end of a kept connection only, without a byte of an answer, if one of these shows
/// that the target did not read the whole request:
/// - Not all of it could be sent.
/// - The target had closed its end before the request came, and did not acknowledge a byte of it.
/// - On a trial, the target reset the connection. A server does that which closes after each answer,
/// without
///   reading what came since. Of others a reset may also mean that the request was read, so there it
///   counts as `broken`.
[[nodiscard]] Exchange exchange(int socket, std::string_view request, AnswerReader& answer,
                                CallDeadline& deadline, Use use);

} // namespace relay_hub

#endif
