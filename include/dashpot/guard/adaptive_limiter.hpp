// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_ADAPTIVE_LIMITER_HPP
#define DASHPOT_GUARD_ADAPTIVE_LIMITER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/priority.hpp>
#include <dashpot/policy/gradient.hpp>
#include <dashpot/policy/limit_policy.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// Limits how many calls are in flight at once, and learns the limit from how the target answers.
///
///     dashpot::AdaptiveLimiter<> limiter;
///     if (auto permit = limiter.try_acquire()) {
///         const bool is_served = send(request);
///         is_served ? permit.success() : permit.failure();
///     }
///
/// **Contract.** There are never more calls in flight than the limit at the time they were admitted,
/// and a `critical` call is not refused while fewer are. Refusals are `limit_reached`. Each outcome is
/// passed to the policy, which decides the limit. Ignored calls, and permits that are dropped without
/// an outcome, only give their slot back. A lower limit interrupts no call.
/// **Threads.** Every member may be called from any thread at any time.
/// **Cost.** try_acquire(): a clock reading and a compare-exchange; refused: an atomic add. An outcome:
/// a clock reading, an atomic subtraction, and a lock for a few arithmetic operations. Nothing
/// allocates.
/// **Errors.** The constructor and reconfigure() refuse what the policy's validate() refuses.
/// **Source.** The policies name theirs.
///
/// @tparam C  a Clock
/// @tparam P  a LimitPolicy: Gradient, Vegas or Aimd, or your own
template <Clock C = SteadyClock, LimitPolicy P = Gradient>
class AdaptiveLimiter {
  public:
    using clock_type = C;
    using policy_type = P;
    class Permit;

    explicit AdaptiveLimiter(P policy = {}, C clock = C{})
        : clock_{std::move(clock)}, policy_{validated(std::move(policy))}, estimator_{policy_},
          word_{pack(estimator_.limit(), 0)} {}

    AdaptiveLimiter(const AdaptiveLimiter&) = delete;
    AdaptiveLimiter& operator=(const AdaptiveLimiter&) = delete;

    /// Admits a call if fewer are in flight than the limit allows for its priority.
    [[nodiscard]] Permit try_acquire(Priority priority = Priority::critical) noexcept;

    /// The limit now.
    [[nodiscard]] std::uint32_t limit() const noexcept {
        return limit_of(word_.load(std::memory_order_acquire));
    }

    /// Calls in flight. After the limit fell they may be more than it, until enough of them end.
    [[nodiscard]] std::uint32_t in_flight() const noexcept {
        return in_flight_of(word_.load(std::memory_order_acquire));
    }

    /// Calls refused, over the limiter's life.
    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }

    /// The policy in force.
    [[nodiscard]] P policy() const {
        const std::lock_guard lock{mutex_};
        return policy_;
    }

    /// Changes the policy. What it has learned is kept, and a limit outside the new range moves to its
    /// end at once. Interrupts no call.
    void reconfigure(P policy) {
        policy.validate();
        const std::lock_guard lock{mutex_};
        const typename P::Estimator before = estimator_;
        policy_ = std::move(policy);
        estimator_ = typename P::Estimator{policy_};
        if constexpr (detail::TakesLimitOver<typename P::Estimator>) estimator_.take_over(before);
        publish_limit_locked();
    }

  private:
    // Limit and calls in flight change together, so that the compare is exact.
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

    [[nodiscard]] static P validated(P policy) {
        policy.validate();
        return policy;
    }

    void free_slot() noexcept { word_.fetch_sub(1, std::memory_order_release); }

    void record(Instant began, std::uint32_t in_flight, bool is_dropped) noexcept {
        const std::lock_guard lock{mutex_};
        // Read under the lock, so that the samples' ends are in order.
        estimator_.record({began, detail::read(clock_), in_flight, is_dropped});
        publish_limit_locked();
    }

    void publish_limit_locked() noexcept {
        const std::uint32_t limit = estimator_.limit();
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (limit_of(word) != limit &&
               !word_.compare_exchange_weak(word, pack(limit, in_flight_of(word)),
                                            std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    }

    [[no_unique_address]] C clock_;
    mutable threading::mutex mutex_;
    P policy_;                        // guarded by mutex_
    typename P::Estimator estimator_; // guarded by mutex_
    alignas(detail::cache_line) threading::atomic<std::uint64_t> word_;
    // Apart from the word: callers that are refused must not slow down those that free a slot.
    alignas(detail::cache_line) threading::atomic<std::uint64_t> refused_{0};
};

/// A call that an AdaptiveLimiter admitted. Its holder records how the call ended.
///
/// **Contract.** true in a condition while it holds a slot. The first outcome counts; each outcome
/// frees the slot. Destroyed without an outcome, also by an exception, it counts as ignored.
/// **Threads.** May move between threads; one at a time. Must not outlive its limiter.
template <Clock C, LimitPolicy P>
class [[nodiscard]] AdaptiveLimiter<C, P>::Permit {
  public:
    /// Holds nothing.
    Permit() noexcept = default;
    Permit(Permit&& other) noexcept
        : limiter_{std::exchange(other.limiter_, nullptr)}, began_{other.began_},
          in_flight_{other.in_flight_} {}
    Permit& operator=(Permit&& other) noexcept {
        if (this != &other) {
            ignore();
            limiter_ = std::exchange(other.limiter_, nullptr);
            began_ = other.began_;
            in_flight_ = other.in_flight_;
        }
        return *this;
    }
    ~Permit() { ignore(); }

    /// True while it holds a slot.
    [[nodiscard]] explicit operator bool() const noexcept { return limiter_ != nullptr; }

    /// The target took the call. Returns false if the permit held no slot.
    bool success() noexcept { return settle(false); }

    /// The target refused the call, or failed, because of overload. Returns false if the permit held no
    /// slot.
    bool failure() noexcept { return settle(true); }

    /// The call gives no information about the target's load. Returns false if the permit held no slot.
    bool ignore() noexcept {
        if (limiter_ == nullptr) return false;
        std::exchange(limiter_, nullptr)->free_slot();
        return true;
    }

    /// Records the outcome.
    bool record(Outcome outcome) noexcept {
        return outcome == Outcome::ignored ? ignore() : settle(outcome == Outcome::failure);
    }

    /// Gives the slot back, as ignore() does.
    void release() noexcept { ignore(); }

    /// Returns why it holds none. Only meaningful for a permit that was refused.
    [[nodiscard]] Refusal refusal() const noexcept { return {Error::limit_reached}; }

  private:
    friend class AdaptiveLimiter;
    Permit(AdaptiveLimiter& limiter, std::uint32_t in_flight) noexcept
        : limiter_{&limiter}, began_{detail::read(limiter.clock_)}, in_flight_{in_flight} {}

    bool settle(bool is_dropped) noexcept {
        if (limiter_ == nullptr) return false;
        AdaptiveLimiter& limiter = *std::exchange(limiter_, nullptr);
        limiter.record(began_, in_flight_, is_dropped);
        limiter.free_slot();
        return true;
    }

    AdaptiveLimiter* limiter_ = nullptr;
    Instant began_{};
    std::uint32_t in_flight_ = 0;
};

template <Clock C, LimitPolicy P>
auto AdaptiveLimiter<C, P>::try_acquire(Priority priority) noexcept -> Permit {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    while (detail::has_room(in_flight_of(word), limit_of(word), priority)) {
        // Acquire pairs with the release in free_slot().
        if (word_.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
            return Permit{*this, in_flight_of(word) + 1};
        }
    }
    refused_.fetch_add(1, std::memory_order_relaxed);
    return Permit{};
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
