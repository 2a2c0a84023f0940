// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_TARGET_HPP
#define DASHPOT_REGISTRY_TARGET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/classify.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/detail/admitted_call.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/failure_policy.hpp>

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// What one target has: a policy and options for its breaker, a limit for its bulkhead.
///
/// **Errors.** validate() refuses what the policy and BreakerOptions refuse.
template <FailurePolicy P = ConsecutiveFailures>
struct TargetOptions {
    /// When the breaker opens. Default: the policy's own.
    P policy{};
    /// How long it stays open, and how it probes.
    BreakerOptions breaker{};
    /// Calls in flight at most. 0 is closed for maintenance. Default 10.
    std::uint32_t max_concurrent = 10;

    friend bool operator==(const TargetOptions&, const TargetOptions&) = default;

    /// Writes it as the initializer that makes it, where the policy can be written.
    template <class Traits>
        requires requires(std::basic_ostream<char, Traits>& out, const P& rule) { out << rule; }
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const TargetOptions& options) {
        return detail::FieldPrinter{out, "TargetOptions"}
            .field("policy", options.policy)
            .field("breaker", options.breaker)
            .field("max_concurrent", options.max_concurrent)
            .end();
    }

    constexpr void validate() const {
        policy.validate();
        breaker.validate();
    }
};

/// One compartment: the breaker and the bulkhead of one target, asked together.
///
///     auto entry = target.try_enter();
///     if (!entry) return refused(entry.refusal());
///     entry.record(send(request) ? Outcome::success : Outcome::failure);
///
/// **Contract.** A call is let in by both or by neither, in one step. If both refuse, the refusal is
/// the breaker's. A full bulkhead changes nothing in the breaker: no probe is taken, OPEN stays OPEN
/// when its wait is over, and nothing counts against the target.
/// **Threads.** Every member, any thread, any time.
/// **Cost.** A breaker's permit and a bulkhead's slot.
/// **Errors.** The constructor throws std::invalid_argument that names the field out of range.
template <Clock C = SteadyClock, FailurePolicy P = ConsecutiveFailures>
class Target {
  public:
    class Entry;

    /// Its name is for logs and metrics; the registry gives each of its targets another.
    explicit Target(std::string name, TargetOptions<P> options = {}, C clock = C{})
        : name_{std::move(name)},
          breaker_{std::move(options.policy), options.breaker, std::move(clock)},
          bulkhead_{options.max_concurrent} {}

    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// As long as the target lives.
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// Each guard alone: for state, commands and listeners. A call goes through both, by try_enter().
    [[nodiscard]] CircuitBreaker<C, P>& breaker() noexcept { return breaker_; }
    [[nodiscard]] const CircuitBreaker<C, P>& breaker() const noexcept { return breaker_; }
    [[nodiscard]] Bulkhead& bulkhead() noexcept { return bulkhead_; }
    [[nodiscard]] const Bulkhead& bulkhead() const noexcept { return bulkhead_; }

    /// Asks to make one call now. Never waits.
    [[nodiscard]] Entry try_enter() noexcept { return Entry{*this}; }

    /// Calls `f` if both guards let it, and records how it ended: as CircuitBreaker::call().
    ///
    /// **Contract.** The slot is free, and the answer recorded, before the caller sees the result.
    template <class F, class Classify = ByException>
        requires std::invocable<F>
    [[nodiscard]] auto call(F&& f, Classify&& classify = {}) -> Result<std::invoke_result_t<F>> {
        return detail::admitted_call(try_enter(), std::forward<F>(f), classify);
    }

    /// Changes policy, breaker and limit of the target as it runs: as CircuitBreaker::reconfigure() and
    /// Bulkhead::resize().
    ///
    /// **Contract.** Each guard changes in one step, and both by the same call, whoever else calls it:
    /// of calls that overlap, the breaker and the limit that stay are of one.
    /// **Errors.** As the constructor; then nothing has changed.
    void reconfigure(TargetOptions<P> options)
        requires detail::CanBeReconfigured<P>
    {
        detail::InOneStep::reconfigure(breaker_, std::move(options.policy), options.breaker,
                                       [&] { bulkhead_.resize(options.max_concurrent); });
    }

  private:
    const std::string name_;
    CircuitBreaker<C, P> breaker_;
    Bulkhead bulkhead_;
};

/// The right to make one call to a target: a breaker's permit and a bulkhead's slot in one.
///
/// **Contract.** As CircuitBreaker::Permit. The slot is freed at the answer, whether it counts or not,
/// and at the latest with the entry.
/// **Threads.** May move between threads; one at a time. Must not outlive its target: keep the
/// shared_ptr that the registry gave you.
template <Clock C, FailurePolicy P>
class Target<C, P>::Entry {
  public:
    using duration = Nanoseconds;

    Entry(Entry&&) noexcept = default;
    /// Drops what it held before, the slot first: dropping the permit may run listeners.
    Entry& operator=(Entry&& other) noexcept {
        slot_ = std::move(other.slot_);
        permit_ = std::move(other.permit_);
        return *this;
    }
    ~Entry() = default;

    /// True while it is granted and unanswered.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(permit_); }

    /// Why it was refused; only of an entry that was.
    [[nodiscard]] Refusal refusal() const noexcept { return permit_.refusal(); }

    /// The breaker's generation that it was granted or refused in.
    [[nodiscard]] std::uint64_t generation() const noexcept { return permit_.generation(); }

    /// Frees the slot, then answers the permit: as CircuitBreaker::Permit. @return whether it counted
    bool success() noexcept { return leave().success(); }
    bool success(duration elapsed) noexcept { return leave().success(elapsed); }
    bool failure() noexcept { return leave().failure(); }
    bool failure(duration elapsed) noexcept { return leave().failure(elapsed); }
    bool ignore() noexcept { return leave().ignore(); }
    bool record(Outcome outcome) noexcept { return leave().record(outcome); }
    bool record(Outcome outcome, duration elapsed) noexcept { return leave().record(outcome, elapsed); }

    /// Gives both back unused, because the call was not made after all.
    void release() noexcept { leave().release(); }

  private:
    friend class Target;

    explicit Entry(Target& target) noexcept : Entry{target, Bulkhead::Permit{}} {}

    Entry(Target& target, Bulkhead::Permit slot) noexcept
        : permit_{detail::InOneStep::try_acquire(target.breaker_,
                                                 detail::SlotToTake{target.bulkhead_, slot})},
          slot_{std::move(slot)} {}

    /// Frees the slot first: recording may run listeners, and a slow one must not hold it.
    typename CircuitBreaker<C, P>::Permit& leave() noexcept {
        slot_.release();
        return permit_;
    }

    typename CircuitBreaker<C, P>::Permit permit_;
    Bulkhead::Permit slot_; // after permit_, so that it goes first when the entry is dropped
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
