// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace example {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

thread_local Connection* current_connection = nullptr;

// A client that has just connected sends at once. It is not idle yet.
constexpr auto grace = 100ms;

// The framing of a chunked body comes on top of the body.
constexpr std::size_t framing = 64 * 1024;

constexpr auto linger_time = 1s;
constexpr std::size_t linger_bytes = 16 * 1024 * 1024;

} // namespace

Connection::Connection(int socket, const ConnectionLimits& limits, ThreadShortage& shortage)
    : DeadlineStream{socket, {}, 0}, limits_{limits}, shortage_{shortage} {
    current_connection = this;
}

Connection::~Connection() {
    current_connection = nullptr;
    ::close(socket());
}

Connection& Connection::current() noexcept { return *current_connection; }

bool Connection::await_request(int stop) {
    const auto begin = steady_clock::now();
    const auto end = begin + limits_.keep_alive;
    const auto leaves_from = has_served_ ? begin : begin + grace;
    bool ready = has_unread_bytes();
    while (!ready) {
        const bool may_leave = steady_clock::now() >= leaves_from;
        std::array<pollfd, 3> watched{pollfd{socket(), POLLIN, 0}, pollfd{stop, POLLIN, 0},
                                      pollfd{may_leave ? shortage_.descriptor() : -1, POLLIN, 0}};
        if (!wait_until(watched, may_leave ? end : leaves_from)) {
            if (may_leave) return false;
            continue;
        }
        ready = watched[0].revents != 0;
        if (ready) break;
        if (watched[1].revents != 0) return false;
        if (watched[2].revents != 0 && shortage_.leave()) return false;
    }
    has_served_ = true;
    answering_ = false;
    set_budget(limits_.max_head);
    const auto now = steady_clock::now();
    set_deadline(now + limits_.read_time);
    slow_from_ = now + limits_.patience;
    return true;
}

bool Connection::await(short events) {
    while (!gave_way_) {
        const bool is_slow = steady_clock::now() >= slow_from_;
        std::array<pollfd, 2> watched{pollfd{socket(), events, 0},
                                      pollfd{is_slow ? shortage_.descriptor() : -1, POLLIN, 0}};
        const auto end = is_slow ? deadline() : std::min(deadline(), slow_from_);
        if (!wait_until(watched, end) && end == deadline()) return false;
        if (watched[0].revents != 0) return true;
        gave_way_ = watched[1].revents != 0 && shortage_.leave();
    }
    return false;
}

void Connection::begin_body() noexcept { set_budget(limits_.max_body + framing); }

ssize_t Connection::read(char* into, std::size_t size) {
    // What was written before this was "100 Continue": the answer is still to come.
    answering_ = false;
    return DeadlineStream::read(into, size);
}

ssize_t Connection::write(const char* from, std::size_t size) {
    if (dropped_) return -1;
    if (!answering_) begin_part();
    return DeadlineStream::write(from, size);
}

void Connection::begin_part() noexcept {
    answering_ = true;
    const auto now = steady_clock::now();
    set_deadline(now + limits_.write_time);
    slow_from_ = now + limits_.patience;
}

bool Connection::peer_is_gone() const noexcept {
    char byte = 0;
    const ssize_t seen = ::recv(socket(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return seen == 0 || (seen < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void Connection::linger() noexcept {
    if (dropped_ || ::shutdown(socket(), SHUT_WR) != 0) return;
    const auto now = steady_clock::now();
    set_deadline(now + linger_time);
    slow_from_ = now + limits_.patience;
    std::array<char, 16 * 1024> sink;
    std::size_t drained = 0;
    // A thread that is needed elsewhere takes what has come, and goes.
    while (drained < linger_bytes && (gave_way_ || await(POLLIN)) && steady_clock::now() < deadline()) {
        const ssize_t received = ::recv(socket(), sink.data(), sink.size(), MSG_DONTWAIT);
        if (received == 0 || (received < 0 && (gave_way_ || (errno != EAGAIN && errno != EINTR))))
            return;
        if (received > 0) drained += static_cast<std::size_t>(received);
    }
}

} // namespace example
