// SPDX-License-Identifier: MIT
#include "event_feed.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <sys/socket.h>

namespace relay_hub {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto interval = 1s;
// A hundred circuits that open together are a few events, not a hundred.
constexpr auto shortest_interval = 100ms;
// How old an event may be to be sent to one more client.
constexpr auto fresh = 50ms;
// A stream that is not stuck ends sooner.
constexpr auto patience_at_end = 300ms;
// Each piece is copied once more, into a chunk.
constexpr std::size_t piece = 16 * 1024;

} // namespace

std::shared_ptr<EventFeed::Stream> EventFeed::open(example::Connection& connection) {
    auto stream = std::make_shared<Stream>(*this, connection);
    const std::lock_guard lock{streams_mutex_};
    if (has_stopped_ || streams_.size() >= max_streams) return nullptr;
    streams_.push_back(stream.get());
    return stream;
}

void EventFeed::wake() noexcept {
    const std::lock_guard lock{streams_mutex_};
    ++changes_;
    for (const Stream* stream : streams_) static_cast<void>(::eventfd_write(stream->wake_.get(), 1));
}

void EventFeed::stop() {
    std::unique_lock lock{streams_mutex_};
    has_stopped_ = true;
    for (const Stream* stream : streams_) static_cast<void>(::eventfd_write(stream->wake_.get(), 1));
    if (none_left_.wait_for(lock, patience_at_end, [this] { return streams_.empty(); })) return;
    // These wait for clients that take nothing.
    for (const Stream* stream : streams_) ::shutdown(stream->connection_.socket(), SHUT_RDWR);
}

bool EventFeed::has_stopped() {
    const std::lock_guard lock{streams_mutex_};
    return has_stopped_;
}

EventFeed::Text EventFeed::event() {
    std::uint64_t changes = 0;
    {
        const std::lock_guard lock{streams_mutex_};
        changes = changes_;
    }
    const std::lock_guard lock{event_mutex_};
    const auto now = steady_clock::now();
    if (!event_ || event_changes_ < changes || now - event_made_at_ > fresh) {
        event_ = std::make_shared<const std::string>("data: " + render_() + "\n\n");
        event_changes_ = changes;
        event_made_at_ = now;
    }
    return event_;
}

EventFeed::Stream::Stream(EventFeed& feed, example::Connection& connection)
    : feed_{feed}, connection_{connection}, wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
    if (!wake_) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

EventFeed::Stream::~Stream() {
    const std::lock_guard lock{feed_.streams_mutex_};
    std::erase(feed_.streams_, this);
    if (feed_.streams_.empty()) feed_.none_left_.notify_all();
}

/// @return false: the client is gone
bool EventFeed::Stream::await_next() {
    std::array<pollfd, 2> watched{pollfd{connection_.socket(), POLLRDHUP, 0},
                                  pollfd{wake_.get(), POLLIN, 0}};
    if (!example::wait_until(watched, sent_at_ + interval)) return true;
    if (watched[0].revents != 0) return false;
    // Read before the event is made: what changes from here on has an event of its own.
    eventfd_t ignored = 0;
    static_cast<void>(::eventfd_read(wake_.get(), &ignored));
    return !example::wait_until({watched.data(), 1}, sent_at_ + shortest_interval);
}

bool EventFeed::Stream::run(example::BodyWriter& writer) {
    while (await_next()) {
        if (feed_.has_stopped()) return true;
        const Text text = feed_.event();
        connection_.begin_part();
        std::string_view rest = *text;
        while (!rest.empty()) {
            const std::string_view next = rest.substr(0, piece);
            if (!writer.write(next)) return false;
            rest.remove_prefix(next.size());
        }
        sent_at_ = steady_clock::now();
    }
    return false;
}

} // namespace relay_hub
