// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_CLAIMS_HPP
#define DASHPOT_TESTS_SOAK_CLAIMS_HPP

#include <array>
#include <cstddef>
#include <string>

namespace soak {

/// What the run is to show. The texts are in claims.cpp.
enum class Claim {
    answers,     ///< the clients' counts against GET /targets and /healthz
    metrics,     ///< the same numbers in GET /metrics
    in_flight,   ///< back to 0
    calls,       ///< CLAIM's own count against the hub's
    claim,       ///< every call of CLAIM succeeds
    connections, ///< none broken that nobody broke on purpose
    circuit,     ///< CORE's opens, and closes again
    log,         ///< its lines are the changes that were counted
    full_disk,   ///< lost lines are counted
    exhausted,   ///< without descriptors, and with them again
    clock,       ///< steps of the wall clock
    memory,      ///< does not grow
    descriptors, ///< are closed again
    exits,       ///< with status 0 where asked to end
    count_       ///< how many there are
};

/// How often each claim was put to the test, and how it failed.
class Claims {
  public:
    /// @param what  told if it does not hold
    void expect(Claim claim, bool holds, const std::string& what);

    /// One line for each. A claim that nothing has tested does not hold.
    void print() const;
    [[nodiscard]] bool all_hold() const;

  private:
    struct Record {
        std::size_t checks = 0;
        std::size_t failures = 0;
        std::string first_failure;

        [[nodiscard]] bool holds() const { return checks > 0 && failures == 0; }
    };
    std::array<Record, static_cast<std::size_t>(Claim::count_)> records_;
};

} // namespace soak

#endif
