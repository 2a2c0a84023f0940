// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_WAITER_HPP
#define DASHPOT_GUARD_WAITER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/guard/detail/wait_queue.hpp>

#include <utility>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {
class QueueCore;
}

/// A slot in a QueuedBulkhead, freed when it is released or destroyed.
///
/// **Contract.** true in a condition while it holds a slot. release() is idempotent. If a caller waits,
/// release() gives the slot to that caller and calls its Waiter.
/// **Threads.** May move between threads; one at a time. Must not outlive its bulkhead.
class [[nodiscard]] QueuePermit {
  public:
    /// Holds nothing.
    QueuePermit() noexcept = default;
    QueuePermit(QueuePermit&& other) noexcept
        : core_{std::exchange(other.core_, nullptr)}, reason_{other.reason_} {}
    QueuePermit& operator=(QueuePermit&& other) noexcept {
        if (this != &other) {
            release();
            core_ = std::exchange(other.core_, nullptr);
            reason_ = other.reason_;
        }
        return *this;
    }
    ~QueuePermit() { release(); }

    /// True while it holds a slot.
    [[nodiscard]] explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Frees the slot now.
    void release() noexcept;

    /// Returns why it holds none. Only meaningful for a permit that was refused.
    [[nodiscard]] Refusal refusal() const noexcept { return {reason_}; }

  private:
    friend class detail::QueueCore;
    explicit QueuePermit(detail::QueueCore& core) noexcept : core_{&core} {}
    explicit QueuePermit(Error reason) noexcept : reason_{reason} {}

    detail::QueueCore* core_ = nullptr;
    Error reason_ = Error::bulkhead_full;
};

/// A caller that waits for a slot of a QueuedBulkhead without blocking a thread.
///
///     struct Job : dashpot::Waiter {
///         void granted(dashpot::QueuePermit slot) noexcept override { run_with(std::move(slot)); }
///         void refused(dashpot::Refusal refusal) noexcept override { fail_with(refusal); }
///     };
///
/// **Contract.** After QueuedBulkhead::enqueue(), exactly one of the two functions is called, exactly
/// once, outside every lock. The only exception is a waiter that QueuedBulkhead::withdraw() took out.
/// Inside the function, the waiter may destroy itself, wait again, and use the bulkhead. It must stay
/// alive, at its address, until then.
/// **Threads.** The function may be called on any thread that uses the bulkhead.
class Waiter : private detail::QueueNode {
  public:
    Waiter() = default;
    virtual ~Waiter() { DASHPOT_ASSERT(fate != Fate::queued && fate != Fate::due); }

    /// The waiter has a slot.
    virtual void granted(QueuePermit slot) noexcept = 0;

    /// The waiter gets no slot.
    virtual void refused(Refusal refusal) noexcept = 0;

  private:
    friend class detail::QueueCore;
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
