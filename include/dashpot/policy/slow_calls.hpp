// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_SLOW_CALLS_HPP
#define DASHPOT_POLICY_SLOW_CALLS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>

#include <iosfwd>

namespace dashpot::inline DASHPOT_ABI {

/// Makes a window judge slow calls as well as failed calls. A target that answers after a minute is of
/// as little use as a broken one.
///
/// - A failed call that is slow counts as both.
/// - If slow calls are judged, a permit reads the clock when it is granted. It reads the clock again
///   when its outcome is recorded, unless the caller passes the duration.
/// - record_success() and record_failure() cannot measure a call. Without a passed duration, such a
///   call is never slow.
///
/// **Errors.** validate() refuses a negative duration and a rate outside (0, 1].
struct SlowCalls {
    /// The duration above which a call is slow. A call of exactly this duration is not slow. Must be 0
    /// or more. Default 0: any call that takes time is slow.
    Nanoseconds longer_than;

    /// The rate of slow calls that opens the circuit, a ratio in (0, 1]. Default 1: all calls are
    /// slow.
    double rate = 1.0;

    friend bool operator==(const SlowCalls&, const SlowCalls&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const SlowCalls& options) {
        return detail::FieldPrinter{out, "SlowCalls"}
            .field("longer_than", options.longer_than)
            .field("rate", options.rate)
            .end();
    }

    constexpr void validate() const {
        if (longer_than.count() < 0) {
            refuse_option("SlowCalls::longer_than", longer_than, "must be 0s or more");
        }
        if (!is_rate(rate)) {
            refuse_option("SlowCalls::rate", rate, "must be in (0, 1]; for 50 % write 0.5");
        }
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
