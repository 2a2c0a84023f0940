// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_CONNECTION_HPP
#define DASHPOT_EXAMPLES_COMMON_CONNECTION_HPP

#include "file_descriptor.hpp"
#include "thread_shortage.hpp"
#include "wait_until.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace example {

/// What one connection may cost its server.
struct ConnectionLimits {
    std::size_t max_head = 8 * 1024;
    std::size_t max_body = 1024 * 1024;
    /// For one request, head and body together, from its first byte.
    std::chrono::milliseconds read_time{5000};
    /// For one answer.
    std::chrono::milliseconds write_time{5000};
    /// For either of them while a job waits for a thread.
    std::chrono::milliseconds patience{250};
    /// How long a connection may be idle between requests.
    std::chrono::milliseconds keep_alive{5000};
};

/// A client's connection while a thread of the server serves it: each request has one deadline for all
/// its bytes, and so has each answer.
///
/// **Threads.** Used by that thread alone. A handler reaches it as Connection::current().
class Connection final {
  public:
    /// @param socket    becomes the connection's own
    /// @param stop      becomes readable when the server stops
    /// @param shortage  whose jobs may have the thread of a connection that is idle or slow
    Connection(FileDescriptor socket, int stop, const ConnectionLimits& limits,
               ThreadShortage& shortage);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The connection whose request the calling thread handles. Only valid in a handler.
    [[nodiscard]] static Connection& current() noexcept;

    /// Waits for the first byte of a request.
    ///
    /// An idle connection gives its thread up to a job that has none.
    ///
    /// @return false: no request came, the connection is to be closed
    [[nodiscard]] bool await_request();

    /// Bytes that were received and not consumed yet.
    [[nodiscard]] std::string_view unread() const noexcept {
        return {buffer_.data() + begin_, end_ - begin_};
    }
    void consume(std::size_t count) noexcept { begin_ += count; }

    enum class Received : std::uint8_t {
        some, ///< unread() has more than before
        end,  ///< the client closed or lost its end
        late, ///< it took too long
        stop, ///< the server stops, and nothing more has come by now
    };
    /// Waits for more bytes of the request. To be called when all of unread() is consumed.
    [[nodiscard]] Received receive();

    /// An answer begins, or a part of one that goes on and on: it has its own time.
    void begin_part() noexcept;
    /// @return false: the client took not all of it in time, or is gone
    [[nodiscard]] bool write(std::string_view text);

    /// Ends the connection without an answer.
    void drop() noexcept { dropped_ = true; }
    [[nodiscard]] bool is_dropped() const noexcept { return dropped_; }
    /// Returns true if the client has closed or lost its end.
    [[nodiscard]] bool peer_is_gone() const noexcept;
    /// Returns true if the server stops.
    [[nodiscard]] bool is_stopping() const noexcept;

    /// The address that it comes from, in numbers; empty: it is gone already.
    [[nodiscard]] std::string peer() const;
    [[nodiscard]] int socket() const noexcept { return socket_.get(); }

    /// Closes so that the client can still read the answer: a close with unread bytes would be a
    /// reset, and a reset takes the answer with it.
    void linger() noexcept;

  private:
    enum class Ready : std::uint8_t { yes, late, stop };
    [[nodiscard]] Ready await(short events, bool ends_at_stop);

    const FileDescriptor socket_;
    const int stop_;
    const ConnectionLimits& limits_;
    ThreadShortage& shortage_;
    SteadyTime deadline_{};
    SteadyTime slow_from_{}; // the one that reads, or writes, or closes
    bool gave_way_ = false;
    bool has_served_ = false;
    bool dropped_ = false;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::array<char, 4096> buffer_;
};

} // namespace example

#endif
