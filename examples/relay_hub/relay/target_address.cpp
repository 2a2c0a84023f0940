// SPDX-License-Identifier: MIT
#include "target_address.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netdb.h>

namespace relay_hub {
namespace {

// More than any host needs; each gets its share of a call's time.
constexpr std::size_t max_addresses = 16;

bool is_literal(const std::string& host) noexcept {
    in_addr v4{};
    in6_addr v6{};
    return ::inet_pton(AF_INET, host.c_str(), &v4) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

} // namespace

bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept {
    return a.length == b.length && std::memcmp(&a.storage, &b.storage, a.length) == 0;
}

AddressList look_up(const Endpoint& endpoint) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error =
        ::getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
    if (error != 0)
        throw std::invalid_argument{"no address for host '" + endpoint.host +
                                    "': " + ::gai_strerror(error)};
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner{found, &::freeaddrinfo};
    AddressList result;
    for (; found != nullptr && result.size() < max_addresses; found = found->ai_next) {
        SocketAddress address;
        if (found->ai_addrlen > sizeof address.storage) continue;
        address.length = found->ai_addrlen;
        std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
        if (std::ranges::find(result, address) == result.end()) result.push_back(address);
    }
    if (result.empty()) throw std::invalid_argument{"no address for host '" + endpoint.host + "'"};
    return result;
}

struct TargetAddresses::State {
    const Endpoint endpoint;
    const Lookup lookup;
    const bool is_literal_address;
    std::mutex mutex;
    AddressList addresses;         // guarded by mutex
    example::SteadyTime looked_up; // when the last lookup began; guarded by mutex
    bool is_looking_up = false;    // guarded by mutex

    void look_up_again() noexcept {
        AddressList found;
        try {
            found = lookup(endpoint);
        } catch (const std::exception&) {
            found.clear(); // the old ones stay
        }
        const std::lock_guard lock{mutex};
        is_looking_up = false;
        if (found.empty()) return;
        // The one in use stays in front if it is still among them.
        const auto in_use = std::ranges::find(found, addresses.front());
        if (in_use != found.end()) std::rotate(found.begin(), in_use, in_use + 1);
        addresses.swap(found);
    }
};

TargetAddresses::TargetAddresses(const Endpoint& endpoint, Lookup lookup) {
    const auto now = std::chrono::steady_clock::now();
    AddressList found = lookup(endpoint);
    state_.reset(new State{.endpoint = endpoint,
                           .lookup = std::move(lookup),
                           .is_literal_address = is_literal(endpoint.host),
                           .mutex = {},
                           .addresses = std::move(found),
                           .looked_up = now});
}

AddressList TargetAddresses::get() const {
    const std::lock_guard lock{state_->mutex};
    return state_->addresses;
}

void TargetAddresses::connected_to(const SocketAddress& address) {
    const std::lock_guard lock{state_->mutex};
    AddressList& all = state_->addresses;
    const auto found = std::ranges::find(all, address);
    if (found != all.end()) std::rotate(all.begin(), found, found + 1);
}

void TargetAddresses::refresh(example::SteadyTime now, std::chrono::nanoseconds oldest) noexcept {
    if (state_->is_literal_address) return;
    {
        const std::lock_guard lock{state_->mutex};
        if (state_->is_looking_up || now - state_->looked_up <= oldest) return;
        state_->is_looking_up = true;
        state_->looked_up = now;
    }
    try {
        std::thread{[state = state_] { state->look_up_again(); }}.detach();
    } catch (const std::exception&) {
        // No thread or no memory: the next call that asks tries again.
        const std::lock_guard lock{state_->mutex};
        state_->is_looking_up = false;
    }
}

} // namespace relay_hub
