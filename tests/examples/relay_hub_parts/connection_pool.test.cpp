// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/connection_pool.hpp"

#include "catch.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

namespace tests::examples_relay_hub_connection_pool {

using namespace std::chrono_literals;
using example::FileDescriptor;
using example::SteadyTime;
using relay_hub::AddressList;
using relay_hub::ConnectionPool;
using relay_hub::SocketAddress;
using relay_hub::TargetConnection;

namespace {

constexpr SteadyTime begin{100s};

SocketAddress address_of(std::uint16_t port) {
    SocketAddress address;
    auto* const v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.length = sizeof *v4;
    return address;
}

/// A pool, and the far ends of its connections, which each test may close or write to.
struct Rig {
    ConnectionPool pool;
    AddressList addresses{address_of(1)};
    std::vector<FileDescriptor> far_ends;

    explicit Rig(std::size_t limit = 10) : pool{limit} {}

    TargetConnection open(SteadyTime now = begin) {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
        far_ends.emplace_back(ends[1]);
        return {FileDescriptor{ends[0]}, addresses.front(), now};
    }

    /// As a call does at its end.
    void give(TargetConnection connection, SteadyTime now = begin, bool says_kept = false) {
        const ConnectionPool::Call call{pool};
        pool.give_back(std::move(connection), now, ConnectionPool::max_idle, says_kept);
    }

    std::optional<TargetConnection> take(SteadyTime now = begin) { return pool.take(now, addresses); }

    /// Has the target answer twice on a connection.
    void prove() {
        give(open());
        auto connection = take();
        REQUIRE(connection);
        give(std::move(*connection));
        REQUIRE(take());
        REQUIRE(pool.idle() == 0);
    }
};

} // namespace

TEST_CASE("ConnectionPool: the connection that was used last is used next") {
    Rig rig;
    rig.prove();
    CHECK_FALSE(rig.take());
    TargetConnection first = rig.open();
    TargetConnection second = rig.open();
    const int last = second.socket.get();
    rig.give(std::move(first));
    rig.give(std::move(second));
    CHECK(rig.pool.idle() == 2);
    const auto taken = rig.take();
    REQUIRE(taken);
    CHECK(taken->socket.get() == last);
    CHECK(taken->is_reused);
    CHECK_FALSE(taken->is_on_trial);
}

TEST_CASE("ConnectionPool: a connection is idle for a while, and no longer") {
    Rig rig;
    rig.prove();
    rig.give(rig.open());
    CHECK(rig.take(begin + ConnectionPool::max_idle - 1ns));
    rig.give(rig.open());
    CHECK_FALSE(rig.take(begin + ConnectionPool::max_idle));
    CHECK(rig.pool.idle() == 0);

    rig.give(rig.open());
    rig.pool.tidy(begin + ConnectionPool::max_idle - 1ns, rig.addresses);
    CHECK(rig.pool.idle() == 1);
    rig.pool.tidy(begin + ConnectionPool::max_idle, rig.addresses);
    CHECK(rig.pool.idle() == 0);

    rig.pool.give_back(rig.open(), begin, 0s, true);
    CHECK(rig.pool.idle() == 0);
}

TEST_CASE("ConnectionPool: a connection has an age beyond which it is not kept") {
    Rig rig;
    rig.prove();
    rig.give(rig.open(), begin + ConnectionPool::max_age - 1s);
    CHECK(rig.take(begin + ConnectionPool::max_age - 1ns));
    rig.give(rig.open(), begin + ConnectionPool::max_age - 1s);
    CHECK_FALSE(rig.take(begin + ConnectionPool::max_age));
    rig.give(rig.open(), begin + ConnectionPool::max_age);
    CHECK(rig.pool.idle() == 0);
}

TEST_CASE("ConnectionPool: a connection that the target closed, or wrote to, is not used") {
    Rig rig;
    rig.prove();
    rig.give(rig.open());
    rig.far_ends.back().close();
    CHECK_FALSE(rig.take());
    rig.give(rig.open());
    REQUIRE(::send(rig.far_ends.back().get(), "x", 1, 0) == 1);
    CHECK_FALSE(rig.take());
    rig.give(rig.open());
    REQUIRE(::shutdown(rig.far_ends.back().get(), SHUT_WR) == 0);
    rig.pool.tidy(begin, rig.addresses);
    CHECK(rig.pool.idle() == 0);
    // An older one that is alive serves as well.
    rig.give(rig.open());
    rig.give(rig.open());
    rig.far_ends.back().close();
    CHECK(rig.take());
}

TEST_CASE("ConnectionPool: a connection to an address that the host no longer has is not used") {
    Rig rig;
    rig.prove();
    rig.give(rig.open());
    rig.addresses = {address_of(2), address_of(1)};
    rig.pool.tidy(begin, rig.addresses);
    CHECK(rig.pool.idle() == 1);
    rig.addresses = {address_of(2)};
    CHECK_FALSE(rig.take());
    CHECK(rig.pool.idle() == 0);
}

TEST_CASE("ConnectionPool: idle connections and calls together keep to the limit") {
    Rig rig{2};
    rig.prove();
    rig.give(rig.open());
    rig.give(rig.open());
    CHECK(rig.pool.idle() == 2);
    rig.give(rig.open());
    CHECK(rig.pool.idle() == 2);
    {
        const ConnectionPool::Call call{rig.pool};
        CHECK(rig.pool.idle() == 1);
        // The call's own connection comes back in its place.
        rig.pool.give_back(rig.open(), begin, ConnectionPool::max_idle, false);
        CHECK(rig.pool.idle() == 2);
        const ConnectionPool::Call next{rig.pool};
        CHECK(rig.pool.idle() == 0);
    }
    rig.give(rig.open());
    rig.give(rig.open());
    rig.pool.set_limit(1);
    CHECK(rig.pool.idle() == 1);
    rig.pool.set_limit(0);
    CHECK(rig.pool.idle() == 0);
}

TEST_CASE(
    "ConnectionPool: until the target has answered twice on one, a single connection is used again") {
    Rig rig;
    rig.give(rig.open());
    rig.give(rig.open());
    auto trial = rig.take();
    REQUIRE(trial);
    CHECK(trial->is_on_trial);
    CHECK_FALSE(rig.take());

    SECTION("it answers: the others are used too") {
        rig.give(std::move(*trial));
        const auto first = rig.take();
        const auto second = rig.take();
        REQUIRE((first && second));
        CHECK_FALSE(first->is_on_trial);
        CHECK_FALSE(second->is_on_trial);
    }
    SECTION("it closes: none is kept for a while") {
        rig.pool.lose(*trial, begin, true);
        CHECK(rig.pool.idle() == 0);
        const auto end = begin + ConnectionPool::distrust;
        rig.give(rig.open(end - 1ns), end - 1ns, true);
        CHECK(rig.pool.idle() == 0);
        rig.give(rig.open(end), end);
        const auto next = rig.take(end);
        REQUIRE(next);
        CHECK(next->is_on_trial);
    }
    SECTION("nothing is known: another one is tried") {
        rig.pool.lose(*trial, begin, false);
        const auto next = rig.take();
        REQUIRE(next);
        CHECK(next->is_on_trial);
    }
}

TEST_CASE("ConnectionPool: a target that says that it keeps connections needs no trial") {
    Rig rig;
    rig.give(rig.open(), begin, true);
    rig.give(rig.open());
    const auto first = rig.take();
    REQUIRE(first);
    CHECK_FALSE(first->is_on_trial);
    CHECK(rig.take());
    // One that is lost for another reason changes nothing.
    rig.pool.lose(*first, begin, false);
    rig.give(rig.open());
    const auto other = rig.take();
    REQUIRE(other);
    CHECK_FALSE(other->is_on_trial);
}

TEST_CASE("ConnectionPool: a target that ends a connection after many calls is tried again") {
    Rig rig;
    rig.give(rig.open(), begin, true);
    rig.give(rig.open());
    rig.give(rig.open());
    const auto first = rig.take();
    const auto second = rig.take();
    REQUIRE((first && second));
    rig.pool.lose(*first, begin, true);
    CHECK(rig.pool.idle() == 0);
    rig.give(rig.open());
    const auto trial = rig.take();
    REQUIRE(trial);
    CHECK(trial->is_on_trial);
    // A connection from before the trial does not end it.
    rig.pool.lose(*second, begin, true);
    rig.give(rig.open());
    CHECK_FALSE(rig.take());
}

} // namespace tests::examples_relay_hub_connection_pool
