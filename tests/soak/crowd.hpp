// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_CROWD_HPP
#define DASHPOT_TESTS_SOAK_CROWD_HPP

#include "../e2e/raw_connection.hpp"

#include <cstddef>
#include <vector>

namespace soak {

/// Clients that connect and say nothing.
class Crowd {
  public:
    Crowd(int port, std::size_t size) {
        connections_.reserve(size);
        for (std::size_t i = 0; i < size; ++i) connections_.emplace_back(port);
    }

  private:
    std::vector<e2e::RawConnection> connections_;
};

} // namespace soak

#endif
