// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_TRANSITION_HPP
#define DASHPOT_GUARD_TRANSITION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/reason.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/snapshot.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI {

/// One change of state, as listeners receive it.
struct Transition {
    State from = State::closed;
    State to = State::closed;
    std::uint64_t generation = 0;   ///< The generation that it began.
    Reason reason = Reason::policy; ///< The rule or command that caused it.
    Instant at{};        ///< When, on the breaker's clock: nanoseconds since that clock's epoch.
    Snapshot snapshot{}; ///< The breaker right after it. On opening: the numbers that opened it.
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
