// SPDX-License-Identifier: MIT
#include "../../../examples/relay_hub/relay/target_socket.hpp"

#include "catch.hpp"

#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace tests::examples_relay_hub_target_socket {

using namespace std::chrono_literals;
using example::FileDescriptor;
using example::SteadyTime;
using relay_hub::AddressList;
using relay_hub::AnswerReader;
using relay_hub::CallDeadline;
using relay_hub::connect_to;
using relay_hub::Connected;
using relay_hub::Exchange;
using relay_hub::SocketAddress;
using relay_hub::Use;
using std::chrono::steady_clock;

namespace {

const std::string request = "POST /tx HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"code\":\"0000\"}";
const std::string endless = "HTTP/1.1 200 OK\r\n\r\n{\"code\":\"0000\"}";

/// A socket that listens on a loopback port of its own.
class Listener {
  public:
    explicit Listener(int backlog = 16) : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
        auto* const v4 = reinterpret_cast<sockaddr_in*>(&address_.storage);
        v4->sin_family = AF_INET;
        v4->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address_.length = sizeof *v4;
        auto* const any = reinterpret_cast<sockaddr*>(v4);
        REQUIRE(::bind(socket_.get(), any, address_.length) == 0);
        REQUIRE(::getsockname(socket_.get(), any, &address_.length) == 0);
        if (backlog >= 0) REQUIRE(::listen(socket_.get(), backlog) == 0);
    }

    [[nodiscard]] const SocketAddress& address() const { return address_; }
    [[nodiscard]] FileDescriptor accept() const {
        return FileDescriptor{::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    }

  private:
    FileDescriptor socket_;
    SocketAddress address_;
};

CallDeadline in(std::chrono::nanoseconds time) { return {steady_clock::now(), time}; }

/// A connection, and its target's end.
struct Pair {
    FileDescriptor near;
    FileDescriptor far;

    Pair() {
        const Listener listener;
        CallDeadline deadline = in(10s);
        near = std::move(connect_to({listener.address()}, deadline).socket);
        far = listener.accept();
        REQUIRE((near && far));
    }

    void send(const std::string& text) const {
        REQUIRE(::send(far.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
    }
    [[nodiscard]] std::string read() const {
        std::array<char, 1024> buffer;
        const ssize_t size = ::recv(far.get(), buffer.data(), buffer.size(), 0);
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }
    /// Until the request has come, which stays where it is.
    void wait_for_request() const {
        char byte = 0;
        REQUIRE(::recv(far.get(), &byte, 1, MSG_PEEK) == 1);
    }
    void reset() {
        const linger at_once{1, 0};
        ::setsockopt(far.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        far.close();
    }

    /// Sends the request, while `target` does what it does at the other end.
    Exchange run(Use use, const std::function<void()>& target = {},
                 CallDeadline deadline = in(10s)) const {
        AnswerReader reader;
        std::thread thread{[&] {
            if (target) target();
        }};
        const Exchange result = relay_hub::exchange(near.get(), request, reader, deadline, use);
        thread.join();
        return result;
    }
};

using End = Exchange::End;

} // namespace

TEST_CASE("exchange: the request goes out and the answer comes back") {
    const Pair pair;
    const Exchange result = pair.run(Use::first, [&] {
        CHECK(pair.read() == request);
        pair.send("HTTP/1.1 103 Hints\r\n\r\n" + answer);
    });
    CHECK(result.end == End::answered);
    CHECK(result.may_be_kept);
    CHECK(result.late == 0ns);
}

TEST_CASE("exchange: a connection with more than the answer on it is not kept") {
    const Pair pair;
    const Exchange result = pair.run(Use::first, [&] { pair.send(answer + "x"); });
    CHECK(result.end == End::answered);
    CHECK_FALSE(result.may_be_kept);
}

TEST_CASE("exchange: what had come when the deadline passed counts, and what had not does not") {
    Pair pair;
    SECTION("a whole answer") {
        pair.send(answer);
        CHECK(pair.run(Use::first, {}, in(0ns)).end == End::answered);
    }
    SECTION("a whole answer that the end of the connection ends") {
        pair.send(endless);
        pair.far.close();
        CHECK(pair.run(Use::first, {}, in(0ns)).end == End::answered);
    }
    SECTION("a part of it") {
        pair.send(answer.substr(0, answer.size() - 1));
        CHECK(pair.run(Use::first, {}, in(0ns)).end == End::timed_out);
    }
    SECTION("all but the end of the connection") {
        pair.send(endless);
        CHECK(pair.run(Use::first, {}, in(0ns)).end == End::timed_out);
    }
    SECTION("nothing") { CHECK(pair.run(Use::first, {}, in(50ms)).end == End::timed_out); }
}

TEST_CASE("exchange: a new connection that breaks is the target's failure") {
    Pair pair;
    SECTION("closed before the request") { pair.far.close(); }
    SECTION("reset before the request") { pair.reset(); }
    const Exchange result = pair.run(Use::first, [&] {
        if (!pair.far) return;
        pair.wait_for_request();
        pair.far.close();
    });
    CHECK(result.end == End::broken);
    CHECK(result.was_ended);
}

TEST_CASE("exchange: a kept connection that was closed before the request came is known to be unread") {
    const Use use = GENERATE(Use::again, Use::trial);
    Pair pair;
    SECTION("closed") { pair.far.close(); }
    SECTION("reset") { pair.reset(); }
    CHECK(pair.run(use).end == End::unread);
}

TEST_CASE("exchange: a request that the target read, or may have read, is not known to be unread") {
    Pair pair;
    SECTION("read, and the connection closed") {
        const Use use = GENERATE(Use::again, Use::trial);
        const Exchange result = pair.run(use, [&] {
            CHECK(pair.read() == request);
            pair.far.close();
        });
        CHECK(result.end == End::broken);
        CHECK(result.was_ended);
    }
    SECTION("read, and the connection reset") {
        // Whether the kernel has acknowledged the request by then or not.
        const int is_quick = GENERATE(0, 1);
        ::setsockopt(pair.far.get(), IPPROTO_TCP, TCP_QUICKACK, &is_quick, sizeof is_quick);
        const Exchange result = pair.run(Use::again, [&] {
            CHECK(pair.read() == request);
            pair.reset();
        });
        CHECK(result.end == End::broken);
    }
    SECTION("a part of the answer came") {
        const Exchange result = pair.run(GENERATE(Use::again, Use::trial), [&] {
            pair.wait_for_request();
            pair.send("HTTP/1.1 100 Continue\r\n\r\n");
            pair.far.close(); // with the request unread: a reset
        });
        CHECK(result.end == End::broken);
    }
}

TEST_CASE(
    "exchange: on a trial, a connection that was closed with the request unread is known as such") {
    Pair pair;
    SECTION("closed at once") {
        const Exchange result = pair.run(Use::trial, [&] {
            pair.wait_for_request();
            pair.far.close();
        });
        CHECK(result.end == End::unread);
        CHECK(result.was_ended);
    }
    SECTION("in two steps") {
        const Exchange result = pair.run(Use::trial, [&] {
            pair.wait_for_request();
            ::shutdown(pair.far.get(), SHUT_WR);
            std::this_thread::yield();
            pair.far.close();
        });
        CHECK(result.end == End::unread);
    }
}

TEST_CASE("connect_to: each address is tried, in order") {
    const Listener silent{-1};
    const Listener first;
    const Listener second;
    CallDeadline deadline = in(10s);
    const AddressList addresses{silent.address(), first.address(), second.address()};
    const Connected connected = connect_to(addresses, deadline);
    REQUIRE(connected.socket);
    CHECK(connected.address == first.address());

    const Connected none = connect_to({silent.address(), silent.address()}, deadline);
    CHECK_FALSE(none.socket);
    CHECK_FALSE(none.timed_out);
    CHECK(none.problem.starts_with("cannot connect: "));
}

TEST_CASE("connect_to: an address that swallows connections leaves the next one its time") {
    const Listener full{0};
    const Listener well;
    // One waits to be accepted, and to others the kernel does not answer.
    std::vector<FileDescriptor> queue;
    for (;;) {
        CallDeadline soon = in(100ms);
        Connected waiting = connect_to({full.address()}, soon);
        if (!waiting.socket) {
            CHECK(waiting.timed_out);
            break;
        }
        queue.push_back(std::move(waiting.socket));
    }
    CallDeadline deadline = in(1s);
    const Connected connected = connect_to({full.address(), well.address()}, deadline);
    REQUIRE(connected.socket);
    CHECK(connected.address == well.address());
}

} // namespace tests::examples_relay_hub_target_socket
