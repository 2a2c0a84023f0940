// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_BREAKER_DRILL_OWN_SERVICE_HPP
#define DASHPOT_EXAMPLES_BREAKER_DRILL_OWN_SERVICE_HPP

#include "../common/endpoint.hpp"
#include "../flaky_service/service.hpp"

#include <cstdint>
#include <thread>

namespace breaker_drill {

/// A flaky_service on a free port of the loopback interface, served by a thread of this process for as
/// long as this object lives.
class OwnService {
  public:
    explicit OwnService(std::uint64_t seed)
        : service_{seed}, endpoint_{"127.0.0.1", service_.open("127.0.0.1", 0)},
          server_{[this] { service_.serve(); }} {}
    ~OwnService() {
        service_.stop();
        server_.join();
    }
    OwnService(const OwnService&) = delete;
    OwnService& operator=(const OwnService&) = delete;

    [[nodiscard]] const example::Endpoint& endpoint() const noexcept { return endpoint_; }

  private:
    flaky_service::Service service_;
    const example::Endpoint endpoint_;
    std::thread server_;
};

} // namespace breaker_drill

#endif
