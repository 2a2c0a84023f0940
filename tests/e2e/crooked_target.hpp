// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_CROOKED_TARGET_HPP
#define DASHPOT_TESTS_E2E_CROOKED_TARGET_HPP

#include "../../examples/common/file_descriptor.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace e2e {

/// One connection to a crooked target, whose request has been read.
class Victim {
  public:
    Victim(int socket, const std::atomic<bool>& is_over) : socket_{socket}, is_over_{is_over} {}

    /// @return false: the hub closed the connection, or the test is over
    bool send(std::string_view text) const;
    /// Sends `text` again and again.
    void send_for_ever(std::string_view text, std::chrono::milliseconds pause) const;
    void wait_for_end() const;
    /// Reads the next request on this connection. @return false: there is none
    bool next_request() const;
    /// The connection will end in a reset, not in an orderly close.
    void reset_at_end() const;

  private:
    int socket_;
    const std::atomic<bool>& is_over_;
};

/// A target that speaks something like HTTP: what it answers is up to the test.
///
/// One connection at a time and thread; with several threads `answer` is called by all of them.
class CrookedTarget {
  public:
    /// @param port  0 takes a free one
    explicit CrookedTarget(std::function<void(const Victim&)> answer, int port = 0,
                           std::size_t threads = 1);
    ~CrookedTarget();
    CrookedTarget(const CrookedTarget&) = delete;
    CrookedTarget& operator=(const CrookedTarget&) = delete;

    [[nodiscard]] std::string url() const;

  private:
    void serve();

    const std::function<void(const Victim&)> answer_;
    example::FileDescriptor socket_;
    int port_ = 0;
    std::atomic<bool> is_over_ = false;
    std::vector<std::thread> servers_;
};

/// A complete answer with that body.
[[nodiscard]] std::string http_answer(const std::string& body, const std::string& headers = {});

} // namespace e2e

#endif
