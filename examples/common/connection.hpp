// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_CONNECTION_HPP
#define DASHPOT_EXAMPLES_COMMON_CONNECTION_HPP

#include "deadline_stream.hpp"
#include "thread_shortage.hpp"

#include <chrono>
#include <cstddef>

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

/// A client's connection while a thread of the server serves it.
///
/// **Threads.** Used by that thread alone. A handler reaches it as Connection::current().
class Connection final : public DeadlineStream {
  public:
    /// @param shortage  whose jobs may have the thread of a connection that is idle or slow
    Connection(int socket, const ConnectionLimits& limits, ThreadShortage& shortage);
    ~Connection() override;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// The connection whose request the calling thread handles. Only valid in a handler.
    [[nodiscard]] static Connection& current() noexcept;

    /// Waits for the first byte of a request.
    ///
    /// An idle connection gives its thread up to a job that has none.
    ///
    /// @param stop  becomes readable when the server stops
    /// @return false: no request came, the connection is to be closed
    [[nodiscard]] bool await_request(int stop);

    /// The head was read: its budget ends, the body's begins.
    void begin_body() noexcept;

    /// A part of an answer that goes on and on begins, and has the time that else a whole answer has.
    void begin_part() noexcept;

    /// Ends the connection after the answer, for a request whose body was not read to its end.
    void close_after_answer() noexcept { close_after_answer_ = true; }
    /// Ends the connection without an answer.
    void drop() noexcept { dropped_ = true; }

    [[nodiscard]] bool is_to_close() const noexcept { return close_after_answer_ || dropped_; }
    /// Whether the client has closed or lost its end.
    [[nodiscard]] bool peer_is_gone() const noexcept;

    ssize_t read(char* into, std::size_t size) override;
    ssize_t write(const char* from, std::size_t size) override;

    /// Closes so that the client can still read the answer: a close with unread bytes would be a
    /// reset, and a reset takes the answer with it.
    void linger() noexcept;

    /// Whether anything of an answer was written since the request began.
    [[nodiscard]] bool has_answered() const noexcept { return answering_; }

  private:
    bool await(short events) override;

    const ConnectionLimits& limits_;
    ThreadShortage& shortage_;
    SteadyTime slow_from_{}; // the one that reads, or writes, or closes
    bool gave_way_ = false;
    bool has_served_ = false;
    bool answering_ = false;
    bool close_after_answer_ = false;
    bool dropped_ = false;
};

} // namespace example

#endif
