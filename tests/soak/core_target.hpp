// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SOAK_CORE_TARGET_HPP
#define DASHPOT_TESTS_SOAK_CORE_TARGET_HPP

#include "../../examples/common/service.hpp"
#include "../e2e/crooked_target.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

namespace soak {

enum class Trouble {
    none,
    rejects,  ///< B201, which is no trouble to a circuit
    fails,    ///< HTTP 500
    slow,     ///< answers in time, but its compartment fills up
    hangs,    ///< takes the request and is silent
    dead,     ///< the process is gone
    resets,   ///< every connection ends in a reset
    garbage,  ///< not HTTP, not JSON, half an answer
    trickles, ///< a byte now and then, for ever
    floods    ///< an answer without end
};

inline constexpr std::array troubles{Trouble::rejects, Trouble::fails,    Trouble::slow,
                                     Trouble::hangs,   Trouble::dead,     Trouble::resets,
                                     Trouble::garbage, Trouble::trickles, Trouble::floods};

[[nodiscard]] std::string_view to_string(Trouble trouble) noexcept;
/// Whether CORE's circuit must open under it.
[[nodiscard]] constexpr bool opens(Trouble trouble) noexcept {
    return trouble != Trouble::none && trouble != Trouble::rejects && trouble != Trouble::slow;
}

/// CORE, always at the same port: a simulator while it speaks HTTP, a crooked target while it does not,
/// nobody while it is dead.
///
/// **Threads.** The main thread's, as ChildProcess is.
class CoreTarget {
  public:
    CoreTarget(std::filesystem::path simulator, std::filesystem::path errors, int port);

    void become(Trouble trouble);

  private:
    void simulate(Trouble trouble);
    void be_crooked(Trouble trouble);

    const std::filesystem::path simulator_;
    const std::filesystem::path errors_;
    const int port_;
    std::unique_ptr<example::Service> service_;
    std::unique_ptr<e2e::CrookedTarget> crooked_;
};

} // namespace soak

#endif
