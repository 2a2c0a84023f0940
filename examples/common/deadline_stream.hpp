// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_DEADLINE_STREAM_HPP
#define DASHPOT_EXAMPLES_COMMON_DEADLINE_STREAM_HPP

#include "wait_until.hpp"

#include <httplib.h>

#include <array>
#include <cstddef>
#include <string>

namespace example {

/// A socket that httplib reads and writes, with one deadline for the whole exchange and a budget
/// of bytes.
///
/// httplib's own time-outs are per operation: a peer that sends one byte a second extends them for
/// ever. And it reads a line of any length into memory and hands it to std::regex, whose recursion
/// overflows the stack on a line of some ten thousand characters. Both end here, in the stream.
class DeadlineStream : public httplib::Stream {
  public:
    /// @param socket    stays the caller's, open for as long as the stream is used
    /// @param deadline  for all reads and writes together
    /// @param budget    how many bytes may be read
    DeadlineStream(int socket, SteadyTime deadline, std::size_t budget) noexcept
        : socket_{socket}, deadline_{deadline}, budget_{budget} {}

    /// Begins a new part of the exchange, the body after the head for one.
    void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }
    void set_deadline(SteadyTime deadline) noexcept { deadline_ = deadline; }

    /// Whether an operation failed because it would have had to wait for longer than it may.
    [[nodiscard]] bool timed_out() const noexcept { return timed_out_; }
    /// Whether a read failed because the budget was spent.
    [[nodiscard]] bool over_budget() const noexcept { return over_budget_; }
    /// Whether bytes were received that nobody has read yet.
    [[nodiscard]] bool has_unread_bytes() const noexcept { return begin_ != end_; }

    bool is_readable() const override;
    bool is_writable() const override;
    ssize_t read(char* into, std::size_t size) override;
    ssize_t write(const char* from, std::size_t size) override;
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    socket_t socket() const override { return socket_; }

  protected:
    [[nodiscard]] SteadyTime deadline() const noexcept { return deadline_; }

  private:
    /// Waits for POLLIN or POLLOUT. @return false: the deadline passed
    virtual bool await(short events) { return wait_until(socket_, events, deadline_); }
    ssize_t receive();

    int socket_;
    SteadyTime deadline_;
    std::size_t budget_;
    bool timed_out_ = false;
    bool over_budget_ = false;
    // httplib reads heads byte by byte.
    std::array<char, 4096> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

} // namespace example

#endif
