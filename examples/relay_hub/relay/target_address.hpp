// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_ADDRESS_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_TARGET_ADDRESS_HPP

#include "../settings/endpoint.hpp"

#include "../../common/wait_until.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include <sys/socket.h>

namespace relay_hub {

/// One address of a host, with the port.
struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;

    [[nodiscard]] const sockaddr* get() const noexcept {
        return reinterpret_cast<const sockaddr*>(&storage);
    }
    [[nodiscard]] int family() const noexcept { return storage.ss_family; }
    friend bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept;
};

using AddressList = std::vector<SocketAddress>;

/// All addresses of the host, in the resolver's order.
/// @throws std::invalid_argument  there is none; names the host and says why
[[nodiscard]] AddressList look_up(const Endpoint& endpoint);

/// The addresses of a target's host, which may change while the hub runs.
///
/// A lookup has no deadline, so no call waits for one. It runs on a thread of its own, one at a time,
/// and until it has an answer the old addresses stay. If it fails, they stay too.
///
/// **Threads.** Every member may be called from any thread at any time.
class TargetAddresses {
  public:
    /// How old the addresses may become.
    static constexpr std::chrono::seconds max_age{30};
    /// The same after a call that got no answer: the host may have moved.
    static constexpr std::chrono::seconds max_age_after_failure{1};

    using Lookup = std::function<AddressList(const Endpoint&)>;

    /// Looks the host up, and waits for that.
    /// @throws std::invalid_argument  it has no address
    explicit TargetAddresses(const Endpoint& endpoint, Lookup lookup = look_up);

    /// The addresses, the one that was last connected to first.
    [[nodiscard]] AddressList get() const;
    void connected_to(const SocketAddress& address);
    /// Begins a lookup if the last one began more than `oldest` ago and none is under way. A literal
    /// address is not looked up again.
    void refresh(example::SteadyTime now, std::chrono::nanoseconds oldest) noexcept;

  private:
    struct State;

    // A lookup that hangs must not keep the hub from ending: its thread is detached and shares this.
    std::shared_ptr<State> state_;
};

} // namespace relay_hub

#endif
