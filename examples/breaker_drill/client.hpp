// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_CLIENT_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_CLIENT_HPP

#include "../common/endpoint.hpp"

#include <httplib.h>

#include <cstdint>
#include <string>

namespace breaker_drill {

/// Calls a flaky_service. Each call has a connection of its own.
///
/// **Threads.** One thread per object.
class Client {
  public:
    explicit Client(const example::Endpoint& service);

    /// @return the HTTP status; 0: no answer
    [[nodiscard]] int get(const std::string& path);

    /// How many requests the service itself says it has received.
    ///
    /// @throws std::runtime_error  it does not answer, or it is no flaky_service
    [[nodiscard]] std::uint64_t requests_received();

  private:
    const std::string url_;
    httplib::Client http_;
};

} // namespace breaker_drill

#endif
