// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_CALL_OPTIONS_HPP
#define DASHPOT_PIPELINE_CALL_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/duration.hpp>

#include <optional>
#include <stop_token>

namespace dashpot::inline DASHPOT_ABI {

/// What one call brings along: how long it may take, and how it is stopped.
///
///     auto reply = protect.call({.timeout = 200ms, .stop = token}, fetch);
///
/// **Contract.** The earlier of `deadline` and `timeout` counts. A call whose deadline has passed is
/// refused with `deadline_exceeded`, and a stopped one with `cancelled`; both before anything is
/// called.
struct CallOptions {
    /// When the call must have ended, on the time line of the pipeline's clock. Default: never.
    Deadline deadline{};
    /// How long the call may take, from now on the pipeline's clock. 0 or less: no time is left.
    /// Default: empty, any length.
    std::optional<Nanoseconds> timeout = std::nullopt;
    /// Stops the call: no attempt begins after a stop was requested, and a wait ends at once. Default:
    /// a token that never stops.
    std::stop_token stop{};
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
