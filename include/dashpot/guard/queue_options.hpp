// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_QUEUE_OPTIONS_HPP
#define DASHPOT_GUARD_QUEUE_OPTIONS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// Which waiter of a QueuedBulkhead gets the next free slot.
enum class QueueOrder : std::uint8_t {
    fifo, ///< The one that has waited longest.
    lifo, ///< The newest one, which is least likely to have been given up.
};

/// Returns "fifo" or "lifo".
[[nodiscard]] constexpr std::string_view to_string(QueueOrder order) noexcept {
    switch (order) {
    case QueueOrder::fifo: return "fifo";
    case QueueOrder::lifo: return "lifo";
    }
    return "unknown";
}

/// Writes to_string().
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, QueueOrder order) {
    return out << to_string(order);
}

/// Keeps the waits of a queue short in a lasting overload, and leaves short bursts alone.
///
/// **Contract.** While the queue has not been empty for `interval`, a waiter that has waited longer
/// than `target` is refused.
/// **Errors.** validate() refuses a duration of 0 or less.
/// **Source.** K. Nichols, V. Jacobson, *Controlling Queue Delay*, ACM Queue 2012. Callers of a service
/// do not slow down as senders on a network do, so waiters are refused at once and not at a growing
/// rate.
struct ControlledDelay {
    /// The longest wait during an overload. Must be longer than 0. Default 5 ms.
    Nanoseconds target = std::chrono::milliseconds{5};

    /// How long the queue may have waiters before that is an overload. Must be longer than 0. Default
    /// 100 ms.
    Nanoseconds interval = std::chrono::milliseconds{100};

    friend constexpr bool operator==(const ControlledDelay&, const ControlledDelay&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const ControlledDelay& options) {
        return detail::FieldPrinter{out, "ControlledDelay"}
            .field("target", options.target)
            .field("interval", options.interval)
            .end();
    }

    constexpr void validate() const {
        if (target.count() <= 0) {
            refuse_option("ControlledDelay::target", target, "must be longer than 0s");
        }
        if (interval.count() <= 0) {
            refuse_option("ControlledDelay::interval", interval, "must be longer than 0s");
        }
    }
};

/// The limits of a QueuedBulkhead.
///
/// **Errors.** validate() refuses a max_wait of 0 or less, an order that is none, and what
/// ControlledDelay refuses.
struct QueueOptions {
    /// Calls in flight at once. With 0 every caller waits. Default 10.
    std::uint32_t max_concurrent = 10;

    /// Callers that may wait at once. With 0 no caller waits. Default 10.
    std::uint32_t max_queued = 10;

    /// The wait that is too long. Must be longer than 0. Default 1 s.
    Nanoseconds max_wait = std::chrono::seconds{1};

    /// Which waiter gets the next free slot. Default: the one that has waited longest.
    QueueOrder order = QueueOrder::fifo;

    /// Shorter waits in a lasting overload. Default: none.
    std::optional<ControlledDelay> controlled_delay = std::nullopt;

    friend constexpr bool operator==(const QueueOptions&, const QueueOptions&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const QueueOptions& options) {
        return detail::FieldPrinter{out, "QueueOptions"}
            .field("max_concurrent", options.max_concurrent)
            .field("max_queued", options.max_queued)
            .field("max_wait", options.max_wait)
            .field("order", options.order == QueueOrder::lifo ? "QueueOrder::lifo" : "QueueOrder::fifo")
            .optional("controlled_delay", options.controlled_delay)
            .end();
    }

    constexpr void validate() const {
        if (max_wait.count() <= 0) {
            refuse_option("QueueOptions::max_wait", max_wait,
                          "must be longer than 0s; to let no caller wait write .max_queued = 0");
        }
        if (order != QueueOrder::fifo && order != QueueOrder::lifo) {
            refuse_option("QueueOptions::order", static_cast<std::uint32_t>(order),
                          "must be QueueOrder::fifo or QueueOrder::lifo");
        }
        if (controlled_delay) controlled_delay->validate();
    }
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
