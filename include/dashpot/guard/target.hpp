// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_TARGET_HPP
#define DASHPOT_GUARD_TARGET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/error.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/verdict.hpp>
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

/// The options of a target: a policy and options for its breaker, and a limit for its bulkhead.
///
/// **Errors.** validate() refuses what the policy and BreakerOptions refuse.
template <FailurePolicy P = ConsecutiveFailures>
struct TargetOptions {
    /// The rule that opens the breaker. Default: the policy's defaults.
    P policy{};
    /// How long the breaker stays open, and how it probes.
    BreakerOptions breaker{};
    /// The largest number of calls in flight. 0 refuses all calls, for maintenance. Default 10.
    std::uint32_t max_concurrent = 10;

    friend bool operator==(const TargetOptions&, const TargetOptions&) = default;

    /// Writes the options as the initializer that makes them, if the policy can be written.
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

/// The breaker and the bulkhead of one target, which together decide about each call.
///
///     auto entry = target.try_enter();
///     if (!entry) return refused(entry.refusal());
///     entry.record(send(request) ? Outcome::success : Outcome::failure);
///
/// **Contract.** A call is admitted by both guards or by neither, in one step. If both refuse, the
/// refusal is the breaker's. A full bulkhead changes nothing in the breaker: no probe is granted, OPEN
/// stays OPEN after the reset timeout, and nothing is recorded.
/// **Threads.** Any thread may call every member at any time.
/// **Cost.** A call costs a permit of the breaker and a slot of the bulkhead.
/// **Errors.** The constructor throws std::invalid_argument that names the field out of range.
template <Clock C = SteadyClock, FailurePolicy P = ConsecutiveFailures>
class Target {
  public:
    class Entry;

    /// Makes a target. Its name is for logs and metrics; in a registry each target has a different
    /// name.
    explicit Target(std::string name, TargetOptions<P> options = {}, C clock = C{})
        : name_{std::move(name)},
          breaker_{std::move(options.policy), options.breaker, std::move(clock)},
          bulkhead_{options.max_concurrent} {}

    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// Returns the name. The view is valid as long as the target exists.
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// Returns one guard alone, for state, commands and listeners. A call must pass both, through
    /// try_enter().
    [[nodiscard]] CircuitBreaker<C, P>& breaker() noexcept { return breaker_; }
    [[nodiscard]] const CircuitBreaker<C, P>& breaker() const noexcept { return breaker_; }
    [[nodiscard]] Bulkhead& bulkhead() noexcept { return bulkhead_; }
    [[nodiscard]] const Bulkhead& bulkhead() const noexcept { return bulkhead_; }

    /// Requests admission for one call. It never waits.
    [[nodiscard]] Entry try_enter() noexcept { return Entry{*this}; }

    /// Calls `f` if both guards admit the call, and records the outcome as CircuitBreaker::call()
    /// does.
    ///
    /// **Contract.** The slot is free and the outcome is recorded before the caller receives the
    /// result.
    template <class F, class Classify = ByException>
        requires std::invocable<F>
    [[nodiscard]] auto call(F&& f, Classify&& classify = {}) -> Result<std::invoke_result_t<F>> {
        return detail::admitted_call(try_enter(), std::forward<F>(f), classify);
    }

    /// Changes the policy, the breaker's options and the limit of a running target, as
    /// CircuitBreaker::reconfigure() and Bulkhead::resize() do.
    ///
    /// **Contract.** Each guard changes in one step. If calls overlap, the final options of the
    /// breaker and the final limit come from the same call.
    /// **Errors.** Throws what the constructor throws; then nothing has changed.
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

/// The right to make one call to a target: a breaker's permit and a bulkhead's slot.
///
/// **Contract.** The permit behaves as CircuitBreaker::Permit does. The slot is freed when the outcome
/// is recorded, whether the outcome counts or not, and at the latest when the entry is destroyed.
/// **Threads.** An entry may move between threads; one thread at a time may use it. It must not
/// outlive its target: keep the shared_ptr that the registry returned.
template <Clock C, FailurePolicy P>
class Target<C, P>::Entry {
  public:
    using duration = Nanoseconds;

    Entry(Entry&&) noexcept = default;
    /// Drops the held permit and slot first. The slot is freed before the permit, because dropping the
    /// permit may run listeners.
    Entry& operator=(Entry&& other) noexcept {
        slot_ = std::move(other.slot_);
        permit_ = std::move(other.permit_);
        return *this;
    }
    ~Entry() = default;

    /// Returns true if the entry was granted and has no recorded outcome.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(permit_); }

    /// Returns the reason of a refusal. It may only be called if the entry was refused.
    [[nodiscard]] Refusal refusal() const noexcept { return permit_.refusal(); }

    /// Returns the breaker's generation at the time of the grant or refusal.
    [[nodiscard]] std::uint64_t generation() const noexcept { return permit_.generation(); }

    /// Frees the slot, then records a success as CircuitBreaker::Permit does.
    /// @return true if the outcome counted
    bool success() noexcept { return leave().success(); }
    bool success(duration elapsed) noexcept { return leave().success(elapsed); }
    bool failure() noexcept { return leave().failure(); }
    bool failure(duration elapsed) noexcept { return leave().failure(elapsed); }
    bool ignore() noexcept { return leave().ignore(); }
    bool record(Outcome outcome) noexcept { return leave().record(outcome); }
    bool record(const Verdict& verdict) noexcept { return leave().record(verdict); }
    bool record(Outcome outcome, duration elapsed) noexcept { return leave().record(outcome, elapsed); }

    /// Gives both back unused, because the call was not made.
    void release() noexcept { leave().release(); }

  private:
    friend class Target;

    explicit Entry(Target& target) noexcept : Entry{target, Bulkhead::Permit{}} {}

    Entry(Target& target, Bulkhead::Permit slot) noexcept
        : permit_{detail::InOneStep::try_acquire(target.breaker_,
                                                 detail::SlotToTake{target.bulkhead_, slot})},
          slot_{std::move(slot)} {}

    /// Frees the slot first: recording an outcome may run listeners, and a slow listener must not hold
    /// the slot.
    typename CircuitBreaker<C, P>::Permit& leave() noexcept {
        slot_.release();
        return permit_;
    }

    typename CircuitBreaker<C, P>::Permit permit_;
    Bulkhead::Permit slot_; // declared after permit_, so that it is destroyed first
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
