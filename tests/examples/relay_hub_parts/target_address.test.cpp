// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/target_address.hpp"

#include "catch.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <netinet/in.h>

namespace tests::examples_relay_hub_target_address {

using namespace std::chrono_literals;
using relay_hub::AddressList;
using relay_hub::Endpoint;
using relay_hub::SocketAddress;
using relay_hub::TargetAddresses;

namespace {

SocketAddress address_of(std::uint16_t port) {
    SocketAddress address;
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.length = sizeof *v4;
    return address;
}

/// A resolver that answers as the test says, and waits while it is held. Shared, as its thread may
/// outlive the test.
class Resolver {
  public:
    AddressList look_up() {
        std::unique_lock lock{mutex_};
        ++lookups_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return !is_held_; });
        if (addresses_.empty()) throw std::invalid_argument{"no address"};
        return addresses_;
    }

    void set(AddressList addresses) {
        const std::lock_guard lock{mutex_};
        addresses_ = std::move(addresses);
    }
    void hold(bool is_held) {
        const std::lock_guard lock{mutex_};
        is_held_ = is_held;
        changed_.notify_all();
    }
    void wait_for_lookups(int count) {
        std::unique_lock lock{mutex_};
        changed_.wait(lock, [&] { return lookups_ >= count; });
    }
    int lookups() {
        const std::lock_guard lock{mutex_};
        return lookups_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    AddressList addresses_{address_of(1)};
    bool is_held_ = false;
    int lookups_ = 0;
};

struct Rig {
    std::shared_ptr<Resolver> resolver = std::make_shared<Resolver>();
    TargetAddresses addresses{{"somewhere", 80},
                              [resolver = resolver](const Endpoint&) { return resolver->look_up(); }};
    example::SteadyTime now = std::chrono::steady_clock::now();

    ~Rig() { resolver->hold(false); }

    void refresh_after(std::chrono::nanoseconds time) {
        now += time;
        addresses.refresh(now, TargetAddresses::max_age);
    }
    void wait_for(const AddressList& expected) {
        while (addresses.get() != expected) std::this_thread::yield();
    }
};

} // namespace

TEST_CASE("look_up: it finds every address, each once, and with the port") {
    const AddressList found = relay_hub::look_up({"127.0.0.1", 9201});
    REQUIRE(found.size() == 1);
    CHECK(found.front().family() == AF_INET);
    CHECK(ntohs(reinterpret_cast<const sockaddr_in*>(found.front().get())->sin_port) == 9201);
    CHECK_THROWS_AS(relay_hub::look_up({"256.0.0.1.invalid", 80}), std::invalid_argument);
}

TEST_CASE("TargetAddresses: a host without an address is refused") {
    const auto nothing = [](const Endpoint&) -> AddressList { throw std::invalid_argument{"none"}; };
    CHECK_THROWS_AS((TargetAddresses{{"somewhere", 80}, nothing}), std::invalid_argument);
}

TEST_CASE("TargetAddresses: a host is looked up again when its addresses are too old") {
    Rig rig;
    CHECK(rig.addresses.get() == AddressList{address_of(1)});
    rig.resolver->set({address_of(2), address_of(3)});
    rig.refresh_after(TargetAddresses::max_age - 1s);
    CHECK(rig.resolver->lookups() == 1);
    rig.refresh_after(2s);
    rig.wait_for({address_of(2), address_of(3)});
    CHECK(rig.resolver->lookups() == 2);
}

TEST_CASE(
    "TargetAddresses: while a lookup hangs the old addresses stay, and there is no second lookup") {
    Rig rig;
    rig.resolver->hold(true);
    rig.resolver->set({address_of(2)});
    rig.refresh_after(TargetAddresses::max_age + 1s);
    rig.resolver->wait_for_lookups(2);
    for (int i = 0; i < 3; ++i) rig.refresh_after(TargetAddresses::max_age + 1s);
    CHECK(rig.addresses.get() == AddressList{address_of(1)});
    CHECK(rig.resolver->lookups() == 2);
    rig.resolver->hold(false);
    rig.wait_for({address_of(2)});
    CHECK(rig.resolver->lookups() == 2);
}

TEST_CASE("TargetAddresses: when a lookup fails the old addresses stay, and it is tried again") {
    Rig rig;
    rig.resolver->set({});
    rig.refresh_after(TargetAddresses::max_age + 1s);
    rig.resolver->wait_for_lookups(2);
    CHECK(rig.addresses.get() == AddressList{address_of(1)});
    rig.resolver->set({address_of(2)});
    while (rig.resolver->lookups() < 3) rig.refresh_after(TargetAddresses::max_age + 1s);
    rig.wait_for({address_of(2)});
}

TEST_CASE("TargetAddresses: the address that was connected to comes first, also after a lookup") {
    Rig rig;
    rig.resolver->set({address_of(1), address_of(2), address_of(3)});
    rig.refresh_after(TargetAddresses::max_age + 1s);
    rig.wait_for({address_of(1), address_of(2), address_of(3)});
    rig.addresses.connected_to(address_of(3));
    CHECK(rig.addresses.get() == AddressList{address_of(3), address_of(1), address_of(2)});
    rig.addresses.connected_to(address_of(9));
    CHECK(rig.addresses.get() == AddressList{address_of(3), address_of(1), address_of(2)});

    rig.resolver->set({address_of(4), address_of(3)});
    rig.refresh_after(TargetAddresses::max_age + 1s);
    rig.wait_for({address_of(3), address_of(4)});
}

TEST_CASE("TargetAddresses: a literal address is not looked up again") {
    std::atomic<int> lookups = 0;
    for (const char* host : {"127.0.0.1", "::1"}) {
        TargetAddresses addresses{{host, 80}, [&](const Endpoint&) {
                                      ++lookups;
                                      return AddressList{address_of(1)};
                                  }};
        addresses.refresh(std::chrono::steady_clock::now() + 1h, TargetAddresses::max_age);
    }
    CHECK(lookups == 2);
}

} // namespace tests::examples_relay_hub_target_address
