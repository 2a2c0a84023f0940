// SPDX-License-Identifier: MIT
#include "connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <netdb.h>
#include <sys/socket.h>

namespace example {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

thread_local Connection* current_connection = nullptr;

// A client that has just connected sends at once. It is not idle yet.
constexpr auto grace = 100ms;

// What was sent before the server stopped has arrived by then.
constexpr auto patience_at_stop = 100ms;
// How much later than its end a wait must end to be one of a process that was stopped.
constexpr auto noticeable_stop = 200ms;

constexpr auto linger_time = 1s;
constexpr std::size_t linger_bytes = 16 * 1024 * 1024;

bool may_come_later(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

} // namespace

Connection::Connection(FileDescriptor socket, int stop, const ConnectionLimits& limits,
                       ThreadShortage& shortage)
    : socket_{std::move(socket)}, stop_{stop}, limits_{limits}, shortage_{shortage} {
    current_connection = this;
}

Connection::~Connection() { current_connection = nullptr; }

Connection& Connection::current() noexcept { return *current_connection; }

bool Connection::await_request() {
    const auto begin = steady_clock::now();
    const auto end = begin + limits_.keep_alive;
    const auto leaves_from = has_served_ ? begin : begin + grace;
    bool ready = !unread().empty();
    while (!ready) {
        const bool may_leave = steady_clock::now() >= leaves_from;
        std::array<pollfd, 3> watched{pollfd{socket(), POLLIN, 0}, pollfd{stop_, POLLIN, 0},
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
    const auto now = steady_clock::now();
    deadline_ = now + limits_.read_time;
    slow_from_ = now + limits_.patience;
    return true;
}

Connection::Ready Connection::await(short events, bool ends_at_stop) {
    while (!gave_way_) {
        const bool is_slow = steady_clock::now() >= slow_from_;
        std::array<pollfd, 3> watched{pollfd{socket(), events, 0},
                                      pollfd{is_slow ? shortage_.descriptor() : -1, POLLIN, 0},
                                      pollfd{ends_at_stop ? stop_ : -1, POLLIN, 0}};
        const auto end = is_slow ? deadline_ : std::min(deadline_, slow_from_);
        if (!wait_until(watched, end) && end == deadline_) return Ready::late;
        const bool is_ready = watched[0].revents != 0;
        if (watched[2].revents != 0) {
            if (!is_ready) return Ready::stop;
            // However steadily more comes: the stop does not wait for its end.
            deadline_ = std::min(deadline_, steady_clock::now() + patience_at_stop);
        }
        if (is_ready) return Ready::yes;
        gave_way_ = watched[1].revents != 0 && shortage_.leave();
    }
    return Ready::late;
}

Connection::Received Connection::receive() {
    for (;;) {
        const auto begin = steady_clock::now();
        const Ready ready = await(POLLIN, true);
        if (ready == Ready::stop) return Received::stop;
        // A wait that ended long after the deadline was one of a process that was stopped: what came
        // meanwhile came in time, and the client has the time again that it had.
        if (const auto now = steady_clock::now();
            begin < deadline_ && now > deadline_ + noticeable_stop && !is_stopping()) {
            const auto stopped = now - begin;
            deadline_ += stopped;
            slow_from_ += stopped;
            if (ready == Ready::late && !gave_way_) continue;
        }
        // The deadline holds also for a client that always has something to read.
        if (ready == Ready::late || steady_clock::now() >= deadline_)
            return is_stopping() ? Received::stop : Received::late;
        const ssize_t received = ::recv(socket(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
        if (received > 0) {
            begin_ = 0;
            end_ = static_cast<std::size_t>(received);
            return Received::some;
        }
        if (received == 0 || !may_come_later(errno)) return Received::end;
    }
}

void Connection::begin_part() noexcept {
    const auto now = steady_clock::now();
    deadline_ = now + limits_.write_time;
    slow_from_ = now + limits_.patience;
}

bool Connection::write(std::string_view text) {
    while (!text.empty()) {
        if (dropped_) return false;
        const ssize_t sent = ::send(socket(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) {
            text.remove_prefix(static_cast<std::size_t>(sent));
        } else if (!may_come_later(errno) || await(POLLOUT, false) != Ready::yes) {
            return false;
        }
    }
    return true;
}

bool Connection::peer_is_gone() const noexcept {
    char byte = 0;
    const ssize_t seen = ::recv(socket(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return seen == 0 || (seen < 0 && !may_come_later(errno));
}

bool Connection::is_stopping() const noexcept { return wait_until(stop_, POLLIN, {}); }

std::string Connection::peer() const {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    std::array<char, NI_MAXHOST> host{};
    if (::getpeername(socket(), generic, &length) != 0 ||
        ::getnameinfo(generic, length, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return host.data();
}

void Connection::linger() noexcept {
    if (dropped_ || ::shutdown(socket(), SHUT_WR) != 0) return;
    const auto now = steady_clock::now();
    deadline_ = now + linger_time;
    slow_from_ = now + limits_.patience;
    std::array<char, 16 * 1024> sink;
    std::size_t drained = 0;
    // A thread that is needed elsewhere takes what has come, and goes. So does one of a server that
    // stops.
    bool waits = true;
    while (drained < linger_bytes && steady_clock::now() < deadline_) {
        waits = waits && await(POLLIN, true) == Ready::yes;
        const ssize_t received = ::recv(socket(), sink.data(), sink.size(), MSG_DONTWAIT);
        if (received == 0 || (received < 0 && (!waits || !may_come_later(errno)))) return;
        if (received > 0) drained += static_cast<std::size_t>(received);
    }
}

} // namespace example
