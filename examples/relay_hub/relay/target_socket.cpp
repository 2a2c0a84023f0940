// SPDX-License-Identifier: MIT
#include "target_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <system_error>
#include <utility>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace relay_hub {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// How long a target that closed its end may take to say that it did not read the request.
constexpr auto reset_time = 250ms;
// What lies between the arrival of data and the look at it on a busy machine.
constexpr auto usual_delay = 20ms;

bool would_block(int error) noexcept { return error == EAGAIN || error == EWOULDBLOCK; }

/// Throws for what the hub lacks, whatever it is called for.
void check_own(int error, const char* what) {
    if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)
        throw std::system_error{error, std::generic_category(), what};
}

/// Connecting, also for want of a port of its own. With several addresses it may be that only one
/// family has none.
bool is_want_of_port(int error) noexcept { return error == EADDRNOTAVAIL || would_block(error); }

/// Waits for one of `events` until `until`, which is the deadline or before it.
/// @return the events; 0: the time has passed
short wait_for(int socket, short events, CallDeadline& deadline, std::optional<SteadyTime> until = {}) {
    for (;;) {
        deadline.ran(steady_clock::now());
        const SteadyTime end = until.value_or(deadline.at());
        pollfd watched{socket, events, 0};
        const bool is_ready = example::wait_until({&watched, 1}, end);
        const int error = errno;
        const SteadyTime now = steady_clock::now();
        deadline.waited(now, end);
        if (is_ready) return watched.revents;
        if (now < end) throw std::system_error{error, std::generic_category(), "poll"};
        if (until || deadline.has_passed(now)) return 0;
    }
}

tcp_info info_of(int socket) noexcept {
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
    return info;
}

/// @return 0, or why there is no connection; ETIMEDOUT: the time has passed
int connect_one(int socket, const SocketAddress& address, CallDeadline& deadline,
                std::optional<SteadyTime> until) {
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (::connect(socket, address.get(), address.length) == 0) return 0;
    if (errno != EINPROGRESS && errno != EINTR) return errno;
    if (wait_for(socket, POLLOUT, deadline, until) == 0) return ETIMEDOUT;
    int outcome = 0;
    socklen_t size = sizeof outcome;
    ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &outcome, &size);
    return outcome;
}

/// One request and its answer on a connection.
class Conversation {
  public:
    Conversation(int socket, std::string_view request, AnswerReader& answer, CallDeadline& deadline,
                 Use use)
        : socket_{socket}, request_{request}, answer_{answer}, deadline_{deadline}, use_{use},
          acknowledged_{info_of(socket).tcpi_bytes_acked} {}

    Exchange run() {
        Exchange result;
        if (send()) receive();
        if (answer_.is_complete()) {
            result.end = Exchange::End::answered;
            result.may_be_kept = answer_.may_be_kept() && !has_more_ && sent_ == request_.size();
            result.late = late_;
        } else if (timed_out_) {
            result.end = Exchange::End::timed_out;
            result.problem = "no complete answer in time";
        } else {
            result.end = was_left_unread() ? Exchange::End::unread : Exchange::End::broken;
            result.was_ended = was_closed_ || was_reset_;
            result.problem = answer_.is_broken() ? answer_.problem() : "the connection broke";
        }
        return result;
    }

  private:
    /// @return false: the deadline has passed
    bool send() {
        while (sent_ < request_.size()) {
            const std::string_view rest = request_.substr(sent_);
            const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
            if (sent >= 0) {
                sent_ += static_cast<std::size_t>(sent);
                continue;
            }
            if (errno == EINTR) continue;
            check_own(errno, "send");
            if (!would_block(errno)) {
                was_reset_ = true; // an answer that came before that is there to be read
                return true;
            }
            const short ready = wait_for(socket_, POLLOUT | POLLIN, deadline_);
            timed_out_ = ready == 0;
            if (timed_out_) return false;
            // An answer to a part of the request: the target does not want the rest.
            if ((ready & POLLOUT) == 0) return true;
        }
        return true;
    }

    void receive() {
        std::array<char, 16 * 1024> buffer;
        while (!answer_.is_done()) {
            const std::size_t size = std::min(buffer.size(), readable());
            if (size == 0) return look_for_end();
            const ssize_t received = ::recv(socket_, buffer.data(), size, MSG_DONTWAIT);
            if (received > 0) {
                take({buffer.data(), static_cast<std::size_t>(received)});
            } else if (received == 0) {
                was_closed_ = true;
                answer_.end();
            } else if (would_block(errno) && !was_reset_) {
                timed_out_ = wait_for(socket_, POLLIN, deadline_) == 0;
                if (timed_out_) return;
                note_delay();
            } else if (errno != EINTR) {
                check_own(errno, "recv");
                was_reset_ = true;
                return;
            }
        }
    }

    void take(std::string_view bytes) {
        has_begun_ = true;
        has_more_ = answer_.feed(bytes) < bytes.size();
        if (last_look_) *last_look_ -= std::min(*last_look_, bytes.size());
    }

    /// How much may be read: any amount before the deadline. After it, what had come when that was
    /// noticed: the hub may have been stopped, or slow to look.
    std::size_t readable() {
        const SteadyTime now = steady_clock::now();
        deadline_.ran(now);
        if (!last_look_ && deadline_.has_passed(now)) last_look_ = bytes_there();
        return last_look_.value_or(static_cast<std::size_t>(-1));
    }

    /// After the deadline, with all read that had come.
    void look_for_end() {
        char byte = 0;
        was_closed_ = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
        timed_out_ = !was_closed_;
        if (was_closed_) answer_.end();
    }

    /// Called when a wait for bytes is over: the kernel knows when the last of them came.
    void note_delay() noexcept {
        const std::chrono::milliseconds ago{info_of(socket_).tcpi_last_data_recv};
        if (ago > usual_delay && bytes_there() > 0) late_ += ago;
    }

    [[nodiscard]] std::size_t bytes_there() const noexcept {
        int there = 0;
        ::ioctl(socket_, FIONREAD, &there);
        return static_cast<std::size_t>(std::max(there, 0));
    }

    [[nodiscard]] bool was_left_unread() {
        if (use_ == Use::first || has_begun_) return false;
        if (sent_ < request_.size()) return was_reset_ || was_closed_;
        if (use_ == Use::again && is_acknowledged()) return false;
        if (was_closed_) {
            // Nothing is asked for: poll() shows a reset all the same.
            was_reset_ = example::wait_until(
                socket_, 0, std::min(deadline_.at(), steady_clock::now() + reset_time));
        }
        if (!was_reset_) return false;
        return use_ == Use::trial || (was_closed_ && !is_acknowledged());
    }

    [[nodiscard]] bool is_acknowledged() const noexcept {
        return info_of(socket_).tcpi_bytes_acked != acknowledged_;
    }

    const int socket_;
    const std::string_view request_;
    AnswerReader& answer_;
    CallDeadline& deadline_;
    const Use use_;
    const std::uint64_t acknowledged_; // bytes of ours, before the request
    std::size_t sent_ = 0;
    std::optional<std::size_t> last_look_; // how much may still be read, after the deadline
    std::chrono::nanoseconds late_{0};
    bool has_begun_ = false; // the answer
    bool has_more_ = false;  // bytes after the answer
    bool timed_out_ = false;
    bool was_closed_ = false;
    bool was_reset_ = false;
};

} // namespace

Connected connect_to(const AddressList& addresses, CallDeadline& deadline) {
    Connected result;
    int want = 0; // of a port, at every address so far
    std::size_t left = addresses.size();
    for (const SocketAddress& address : addresses) {
        const SteadyTime now = steady_clock::now();
        deadline.ran(now);
        std::optional<SteadyTime> until;
        if (left > 1) until = now + (deadline.at() - now) / static_cast<int>(left);
        --left;
        example::FileDescriptor socket{
            ::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
        const int error = socket ? connect_one(socket.get(), address, deadline, until) : errno;
        if (error == 0) return {std::move(socket), address, false, {}};
        check_own(error, socket ? "connect" : "socket");
        want = is_want_of_port(error) && (want != 0 || &address == &addresses.front()) ? error : 0;
        result.timed_out = deadline.has_passed(steady_clock::now());
        result.problem = error == ETIMEDOUT
                             ? "no connection in time"
                             : "cannot connect: " + std::generic_category().message(error);
    }
    if (want != 0) throw std::system_error{want, std::generic_category(), "connect"};
    return result;
}

Exchange exchange(int socket, std::string_view request, AnswerReader& answer, CallDeadline& deadline,
                  Use use) {
    return Conversation{socket, request, answer, deadline, use}.run();
}

} // namespace relay_hub
