// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_TIMEOUT_HPP
#define DASHPOT_PIPELINE_TIMEOUT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>

#include <iosfwd>

namespace dashpot::inline DASHPOT_ABI {

/// Limits how long everything inside it may take.
///
///     auto protect = dashpot::pipeline(dashpot::Timeout{2s}, dashpot::Retry{}, target);
///
/// **Contract.** Everything inside gets a deadline that is at most `limit` away; an earlier deadline
/// from outside stays. If the deadline from outside has passed, the call is refused with
/// `deadline_exceeded` and nothing inside is called. A Timeout does not interrupt the called function:
/// the function must respect Attempt::remaining(). A value that comes late is returned. An awaited
/// function is cancelled instead: see adapter/asio.hpp.
/// **Threads.** A value. **Cost.** One clock reading for each time it is passed.
/// **Errors.** validate() refuses a limit <= 0.
struct Timeout {
    /// The longest time for everything inside. Must be > 0. `hours::max()` means forever.
    Nanoseconds limit;

    friend bool operator==(const Timeout&, const Timeout&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Timeout& options) {
        return detail::FieldPrinter{out, "Timeout"}.field("limit", options.limit).end();
    }

    constexpr void validate() const {
        if (limit.count() <= 0) refuse_option("Timeout::limit", limit, "must be longer than 0s");
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
