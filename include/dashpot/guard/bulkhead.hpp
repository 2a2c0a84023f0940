// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_BULKHEAD_HPP
#define DASHPOT_GUARD_BULKHEAD_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/threading.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {
class SlotToTake;
}

/// Limits how many calls are in flight at once, so that a slow target holds up no more than these.
///
///     dashpot::Bulkhead hull{10};
///     if (auto slot = hull.try_acquire()) write_to(target); // the slot is freed with `slot`
///
/// **Contract.** Never more calls in flight than the limit at the time they were admitted, and no
/// refusal while a slot is free. There is no queue: it refuses at once. A limit of 0 is closed for
/// maintenance.
/// **Threads.** Every member, any thread, any time.
/// **Cost.** Two atomic read-modify-writes per call, one per refusal, on a cache line of its own.
/// Never blocks, never allocates.
/// **Source.** M. Nygard, *Release It!*, 2nd ed., "Bulkheads".
class Bulkhead {
  public:
    class Permit;

    explicit Bulkhead(std::uint32_t max_concurrent) noexcept : word_{pack(max_concurrent, 0)} {}

    Bulkhead(const Bulkhead&) = delete;
    Bulkhead& operator=(const Bulkhead&) = delete;

    /// Takes a slot if one is free.
    [[nodiscard]] Permit try_acquire() noexcept;

    /// Calls in flight. After a shrink it may be above the limit until they drain.
    [[nodiscard]] std::uint32_t in_flight() const noexcept { return in_flight_of(load()); }

    /// Slots free now.
    [[nodiscard]] std::uint32_t available() const noexcept {
        const std::uint64_t word = load();
        const std::uint32_t limit = limit_of(word);
        const std::uint32_t taken = in_flight_of(word);
        return limit > taken ? limit - taken : 0;
    }

    /// The limit.
    [[nodiscard]] std::uint32_t max_concurrent() const noexcept { return limit_of(load()); }

    /// Calls refused, over the bulkhead's life.
    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }

    /// Changes the limit. Never blocks and takes no slot away: after a shrink, calls are refused until
    /// those in flight are fewer than the new limit.
    void resize(std::uint32_t max_concurrent) noexcept {
        std::uint64_t word = load();
        while (!word_.compare_exchange_weak(word, pack(max_concurrent, in_flight_of(word)),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    }

  private:
    // Limit and calls in flight change together, so that the compare is exact whatever resize() does.
    [[nodiscard]] static constexpr std::uint64_t pack(std::uint32_t limit,
                                                      std::uint32_t taken) noexcept {
        return std::uint64_t{limit} << 32U | taken;
    }
    [[nodiscard]] static constexpr std::uint32_t limit_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> 32U);
    }
    [[nodiscard]] static constexpr std::uint32_t in_flight_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word);
    }

    [[nodiscard]] std::uint64_t load() const noexcept { return word_.load(std::memory_order_acquire); }

    friend class detail::SlotToTake;

    void count_refused() noexcept { refused_.fetch_add(1, std::memory_order_relaxed); }

    threading::atomic<std::uint64_t> word_;
    // Apart from the word: callers who are refused must not slow down those who free a slot.
    alignas(detail::cache_line) threading::atomic<std::uint64_t> refused_{0};
};

/// A slot in a Bulkhead, freed when it is released or destroyed.
///
/// **Contract.** true in a condition while it holds a slot. release() is idempotent.
/// **Threads.** May move between threads; one at a time. Must not outlive its bulkhead.
class [[nodiscard]] Bulkhead::Permit {
  public:
    /// Holds nothing.
    Permit() noexcept = default;
    Permit(Permit&& other) noexcept : bulkhead_{std::exchange(other.bulkhead_, nullptr)} {}
    Permit& operator=(Permit&& other) noexcept {
        if (this != &other) {
            release();
            bulkhead_ = std::exchange(other.bulkhead_, nullptr);
        }
        return *this;
    }
    ~Permit() { release(); }

    /// True while it holds a slot.
    [[nodiscard]] explicit operator bool() const noexcept { return bulkhead_ != nullptr; }

    /// Frees the slot now.
    void release() noexcept {
        if (bulkhead_ == nullptr) return;
        // Everything done under the slot happens before whatever the next holder does.
        std::exchange(bulkhead_, nullptr)->word_.fetch_sub(1, std::memory_order_release);
    }

    /// Why it holds none; only of a permit that was refused.
    [[nodiscard]] Refusal refusal() const noexcept { return {Error::bulkhead_full}; }

  private:
    friend class Bulkhead;
    explicit Permit(Bulkhead& bulkhead) noexcept : bulkhead_{&bulkhead} {}

    Bulkhead* bulkhead_ = nullptr;
};

inline Bulkhead::Permit Bulkhead::try_acquire() noexcept {
    // Acquire pairs with the release() of the slot, and release with the load in available() for
    // SlotToTake::take_after().
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (in_flight_of(word) < limit_of(word)) {
        if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
            return Permit{*this};
        }
    }
    count_refused();
    return Permit{};
}

namespace detail {

/// A slot that a call needs beside a breaker's permission: BreakerCore::admit() takes both or neither.
class SlotToTake {
  public:
    SlotToTake(Bulkhead& bulkhead, Bulkhead::Permit& slot) noexcept
        : bulkhead_{&bulkhead}, slot_{&slot} {}

    /// Takes the slot if one is free, and counts a refusal otherwise.
    [[nodiscard]] bool take() noexcept {
        *slot_ = bulkhead_->try_acquire();
        return static_cast<bool>(*slot_);
    }

    /// Calls `f`, and takes the slot: a thread that then finds none left sees what `f` did.
    template <class F>
    [[nodiscard]] bool take_after(F&& f) noexcept {
        f();
        return take();
    }

    /// Returns true if no slot is free now. Takes and counts nothing.
    [[nodiscard]] bool is_none_left() const noexcept { return bulkhead_->available() == 0; }

    /// Counts a refusal for which is_none_left() was enough.
    void count_refused() noexcept { bulkhead_->count_refused(); }

  private:
    Bulkhead* bulkhead_;
    Bulkhead::Permit* slot_;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
