// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_HTTP_EVENT_FEED_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_HTTP_EVENT_FEED_HPP

#include "../../common/connection.hpp"
#include "../../common/file_descriptor.hpp"
#include "../../common/http_message.hpp"
#include "../../common/wait_until.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace relay_hub {

/// Streams of server-sent events: each tells its client what there is to know, at once when something
/// changed and else once a second.
///
/// **Contract.** Each stream holds a thread of the server, so there are few, and the server has so many
/// threads more. All send the same text, which exists once however slow one of them is. A client that
/// does not take an event in the time that an answer has loses its stream, and nobody waits for it.
/// **Threads.** Every member may be called from any thread at any time.
class EventFeed {
  public:
    static constexpr std::size_t max_streams = 8;

    class Stream;

    /// @param render  makes an event's data, one line
    explicit EventFeed(std::function<std::string()> render) : render_{std::move(render)} {}

    /// A stream for the connection whose request the calling thread handles. It must end before the
    /// connection does. @return null: there are as many as there may be, or the feed was stopped
    [[nodiscard]] std::shared_ptr<Stream> open(example::Connection& connection);

    /// Something changed: every stream sends an event.
    void wake() noexcept;

    /// Ends all streams, and returns when they have ended or were cut off because their clients take
    /// nothing. There will be no others.
    void stop();

  private:
    using Text = std::shared_ptr<const std::string>;

    [[nodiscard]] bool has_stopped();
    [[nodiscard]] Text event();

    const std::function<std::string()> render_;

    std::mutex streams_mutex_;
    std::condition_variable none_left_;
    std::vector<Stream*> streams_; // guarded by streams_mutex_
    std::uint64_t changes_ = 0;    // guarded by streams_mutex_
    bool has_stopped_ = false;     // guarded by streams_mutex_

    std::mutex event_mutex_;
    Text event_;                          // guarded by event_mutex_
    std::uint64_t event_changes_ = 0;     // guarded by event_mutex_
    example::SteadyTime event_made_at_{}; // guarded by event_mutex_
};

/// One client's stream.
///
/// **Threads.** Used by the thread of its connection.
class EventFeed::Stream {
  public:
    Stream(EventFeed& feed, example::Connection& connection);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Sends events until the feed stops.
    /// @return false: the client was gone before
    [[nodiscard]] bool run(example::BodyWriter& writer);

  private:
    friend class EventFeed;

    [[nodiscard]] bool await_next();

    EventFeed& feed_;
    example::Connection& connection_;
    const example::FileDescriptor wake_;
    example::SteadyTime sent_at_{};
};

} // namespace relay_hub

#endif
