// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_E2E_RAW_CONNECTION_HPP
#define DASHPOT_TESTS_E2E_RAW_CONNECTION_HPP

#include "../../examples/common/file_descriptor.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace e2e {

/// A connection to 127.0.0.1 that sends whatever it is told to.
class RawConnection {
  public:
    /// @param from  the address that it is to come from; empty: a loopback address
    explicit RawConnection(int port, const std::string& from = {});
    /// One for which the kernel keeps some 100 kB that were not received, and not the usual megabytes.
    [[nodiscard]] static RawConnection with_little_room(int port);

    /// Sends as much as the other side takes. @return false: it closed the connection before the end
    bool send(std::string_view text) const;
    /// What arrives until the other side closes, or until `text` is in it.
    [[nodiscard]] std::string receive(std::string_view text = {},
                                      std::chrono::seconds patience = std::chrono::seconds{30}) const;

  private:
    RawConnection();
    void connect(int port, const std::string& from);

    example::FileDescriptor socket_;
};

/// An IPv4 address of this machine that is no loopback address; empty if it has none.
[[nodiscard]] std::string outer_address();

} // namespace e2e

#endif
