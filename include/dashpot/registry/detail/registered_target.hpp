// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_REGISTERED_TARGET_HPP
#define DASHPOT_REGISTRY_DETAIL_REGISTERED_TARGET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/kept_options.hpp>
#include <dashpot/registry/detail/name_map.hpp>
#include <dashpot/registry/detail/target_events.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// A target of a registry as the registry's tables see it, whatever its clock and policy. Everything
/// that finds, counts and evicts targets uses this class, and is thus compiled once.
///
/// Users hold shared_ptrs to the target inside that own this object. While the target is registered,
/// the object owns itself, too.
class RegisteredTarget : public NameMapEntry {
  public:
    using Owner = std::shared_ptr<RegisteredTarget>;

    RegisteredTarget(const HashedName& name, const std::shared_ptr<TargetChannel>& channel)
        : NameMapEntry{name}, events{std::make_shared<TargetEvents>(name.name, channel)} {}

    /// Returns true if a new target would behave like this one.
    [[nodiscard]] virtual bool is_as_new() const = 0;
    /// Stops the breaker from sending transitions to `events`.
    virtual void disconnect() noexcept = 0;

    const std::shared_ptr<TargetEvents> events;
    GivenOptions* given_options = nullptr; // owned; null unless a function gave other options

    // The rest is guarded by the lock of the shard, for CLOCK eviction.
    Owner self;                      // null unless the target is registered
    RegisteredTarget* before = this; // in the ring
    RegisteredTarget* after = this;  // in the ring
    bool was_asked_for = true;       // or was seen in use, since the last visit
    bool was_relied_on = false;      // by a get() that cannot give its options again
    Instant unused_since{};          // if not asked for: the time of the last visit

  protected:
    ~RegisteredTarget() { delete given_options; }
};

/// A registered target of one clock and policy. It is all of the registry that depends on them.
template <Clock C, FailurePolicy P>
class TypedTarget final : public RegisteredTarget {
  public:
    TypedTarget(const HashedName& name, const TargetOptions<P>& options, const C& clock,
                const std::shared_ptr<TargetChannel>& channel)
        : RegisteredTarget{name, channel}, target{std::string{name.name}, options, clock},
          max_concurrent_{options.max_concurrent} {
        ForwardTransitions::of(target.breaker(), events);
    }

    /// Returns true if the breaker is as new, nothing is in flight, the limit was not changed, and the
    /// breaker has no listener of its own.
    [[nodiscard]] bool is_as_new() const override {
        const Bulkhead& hull = target.bulkhead();
        return hull.in_flight() == 0 && hull.max_concurrent() == max_concurrent_ &&
               target.breaker().is_as_new() && target.breaker().listeners() == 0;
    }

    void disconnect() noexcept override { ForwardTransitions::of(target.breaker(), nullptr); }

    Target<C, P> target;

  private:
    const std::uint32_t max_concurrent_;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
