// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_REGISTRY_HPP
#define DASHPOT_REGISTRY_REGISTRY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/target_events.hpp>
#include <dashpot/registry/detail/typed_table.hpp>
#include <dashpot/registry/registry_options.hpp>
#include <dashpot/registry/removal.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI {

/// Maintains one Target per name, so that a fault of one target does not affect calls to others. A
/// target is constructed at the first use of its name.
///
///     dashpot::Registry<> targets{{.policy = {.threshold = 5}, .max_concurrent = 20}};
///     auto balance = targets.get("CORE")->call([&] { return ask_core(account); });
///
/// **Contract.** There is one Target per name, whichever thread gets it first.
/// - A removed target stays alive while a shared_ptr to it exists. The next get() of the name creates
///   a new target, without the name's configuration.
/// - An idle target may be evicted, on demand or, with `evict_after`, to make room. The next get() of
///   the name creates a new target with the name's configuration. Only the numbers over a target's
///   life show the difference.
///
/// A target is idle if all of these are true:
/// - No shared_ptr to it exists outside the registry. A std::weak_ptr does not count: if it is locked
///   at the moment of an eviction, the target stays alive as a removed target does.
/// - It began CLOSED and is CLOSED, with no call in its window and none in flight.
/// - It has the options that it was made with, and no listener of its own.
/// - If a function gave its options, get() without a function has not returned it since.
///
/// Options from a function are kept for the `max_targets` names that were evicted last: get() without
/// a function makes the target with them again. Keep the shared_ptr as long as a Permit or an Entry of
/// the target exists.
/// **Threads.** Any thread may call every member at any time. No user code runs under a lock.
/// **Cost.** get() of an existing name takes a lock that only names of the same shard share, one
/// look-up and one shared_ptr copy. It does not allocate. If a call must be cheaper, keep the
/// shared_ptr.
/// **Errors.** The constructor and configure() throw std::invalid_argument that names the field out of
/// range; see get() and configure() for other errors.
template <Clock C = SteadyClock, FailurePolicy P = ConsecutiveFailures>
class Registry {
  public:
    using target_type = Target<C, P>;

    explicit Registry(TargetOptions<P> defaults = {}, RegistryOptions options = {}, C clock = C{})
        : table_{std::move(defaults), options, std::move(clock)} {
        table_.defaults().validate();
        options.validate();
    }

    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// Returns the options of a target without its own configuration. configure() can start from them:
    ///
    ///     auto claim = targets.defaults();
    ///     claim.max_concurrent = 4;
    ///     targets.configure("CLAIM", claim);
    ///
    /// **Threads.** Any thread may call it, because the defaults never change.
    [[nodiscard]] const TargetOptions<P>& defaults() const noexcept { return table_.defaults(); }

    /// Returns the target of that name, and constructs the target exactly once if it does not exist.
    /// The result is never null.
    ///
    /// **Contract.** A new target has the first options that exist in this list:
    /// - the options configured for its name;
    /// - those of the longest configured prefix of its name;
    /// - those that a function gave before the target was evicted;
    /// - the defaults.
    ///
    /// With `evict_after`, if there are `max_targets` targets, an idle one is evicted, however short
    /// it has been idle.
    /// **Cost.** A new name costs the construction of a target outside the registry's locks; other
    /// threads that need this name wait. At the bound, with `evict_after`, get() searches for an idle
    /// target. It visits all targets, shard by shard, as long as the visits of the current second do
    /// not exceed the number of all targets. Otherwise it visits 16, different ones each time.
    /// **Errors.** Throws std::length_error that names `max_targets` if there are `max_targets`
    /// targets and none can be evicted. An exception from the construction is passed to the thread
    /// that constructs; waiting threads then try again.
    std::shared_ptr<target_type> get(std::string_view name) { return table_.get(name, nullptr); }

    /// Returns the target as get(name) does, but a new target has the options `options_for(name)`
    /// instead of the defaults.
    ///
    /// **Contract.** `options_for` is called only to make a target without configured options: once,
    /// by one thread, outside all locks. It may use the registry for other names.
    /// **Errors.** Throws what get(name) and `options_for` throw, and std::invalid_argument for
    /// options out of range. It throws std::logic_error if `options_for` gets its own name, or if it
    /// would wait forever for a thread that waits for this one.
    template <class F>
        requires std::is_invocable_r_v<TargetOptions<P>, F&, std::string_view>
    std::shared_ptr<target_type> get(std::string_view name, F&& options_for) {
        return table_.get(name, [&](std::string_view wanted) -> TargetOptions<P> {
            return std::invoke(options_for, wanted);
        });
    }

    /// Returns the target, or null if it does not exist yet or was removed. The target counts as asked
    /// for, as with get().
    [[nodiscard]] std::shared_ptr<target_type> find(std::string_view name) const {
        return table_.find(name);
    }

    /// Sets the options of one name, instead of the defaults, before its first get(). They stay until
    /// remove().
    ///
    /// **Errors.** Throws in these cases:
    /// - std::invalid_argument if an option is out of range;
    /// - std::logic_error if the target exists or is under construction;
    /// - std::logic_error that shows both sets of options if different options are set for the name;
    /// - std::length_error if `max_targets` names are configured.
    void configure(std::string_view name, TargetOptions<P> options) {
        table_.configure(name, std::move(options));
    }

    /// Sets the options of all names that begin with `prefix`, have none of their own and match no
    /// longer prefix. It must be called before the first get() of such a name.
    ///
    /// **Cost.** It visits every target.
    /// **Errors.** Throws what configure() throws; a std::logic_error for a target in use names that
    /// target.
    void configure_prefix(std::string_view prefix, TargetOptions<P> options) {
        table_.configure_prefix(prefix, std::move(options));
    }

    /// Removes the target and the configuration of a name. Later transitions of the target reach no
    /// listener of the registry, except one that is already being delivered on another thread. A
    /// target under construction is not removed: it is added afterwards, with the options that it
    /// began with.
    /// @return true if the target existed
    bool remove(std::string_view name) { return table_.remove(name); }

    /// Evicts targets that are idle and were neither asked for nor seen in use for `unused_for`.
    ///
    /// **Contract.** The numbers over the life of an evicted target are lost; its configuration stays.
    /// - The time starts at the first visit that finds a target unused, by evict_idle() or by
    ///   `evict_after`. Call this function from time to time.
    /// - If `unused_for` is 0, all targets that are idle now are evicted.
    /// - A target with a CountWindow is not idle after its first call until it is reset(): the window
    ///   forgets calls only when newer calls replace them.
    ///
    /// **Cost.** It visits every target under the lock of its shard. For a target that was not asked
    /// for, it also takes the breaker's lock.
    /// **Errors.** Throws std::invalid_argument if `unused_for` is negative.
    /// @return the number of evicted targets
    std::size_t evict_idle(Nanoseconds unused_for = {});

    /// Returns the number of targets. A target under construction is not counted, although it has one
    /// of the `max_targets` places.
    [[nodiscard]] std::size_t size() const noexcept { return table_.untyped().size(); }

    /// Calls `f` with every target that exists when the function begins, in no particular order. `f`
    /// takes a Target&, or a shared_ptr to keep the target. `f` may call the registry: targets that it
    /// removes are still visited, and targets that it adds are not.
    template <class F>
    void for_each(F&& f) const {
        table_.for_each(f);
    }

    /// Calls `listener` with every change of state of every target, including future targets, as long
    /// as the Subscription exists. The calls have the guarantees of CircuitBreaker::on_transition(),
    /// and come one at a time across all targets.
    ///
    /// **Cost.** It makes one allocation, whatever the number of targets. Targets use no memory for
    /// it.
    /// **Errors.** Throws std::invalid_argument for an empty function.
    [[nodiscard]] Subscription
    on_transition(std::function<void(std::string_view name, const Transition&)> listener);

    /// Subscribes an object with data for each name, passed by std::ref(). The object is called with
    /// every change of state, and its on_removal() with each name that leaves, as a listener of
    /// on_removal() is.
    template <TargetObserver Observer>
    [[nodiscard]] Subscription on_transition(std::reference_wrapper<Observer> observer);

    /// Calls `listener` with the name of every target that is evicted or removed, as long as the
    /// Subscription exists.
    ///
    /// **Contract.** The listener is called exactly once for each target that leaves.
    /// - Calls come one at a time, outside all locks. They run on the thread that caused the removal,
    ///   or on a thread that is already delivering.
    /// - Transitions and removals of a registry have one order. A removal comes after all transitions
    ///   of the target that left, and before those of a new target of that name.
    /// - When the listener is called, a new target of that name may exist already.
    /// - The destruction of the registry is not a removal.
    /// - A listener may call every member of the registry. Its exceptions are contained.
    ///
    /// **Errors.** Throws std::invalid_argument for an empty function.
    [[nodiscard]] Subscription
    on_removal(std::function<void(std::string_view name, Removal reason)> listener);

  private:
    [[nodiscard]] const std::shared_ptr<detail::TargetChannel>& channel() const noexcept {
        return table_.untyped().channel();
    }

    detail::TypedTable<C, P> table_;
};

template <Clock C, FailurePolicy P>
std::size_t Registry<C, P>::evict_idle(Nanoseconds unused_for) {
    if (unused_for.count() < 0) {
        refuse_option("Registry::evict_idle: unused_for", unused_for, "must be 0s or more");
    }
    return table_.untyped().evict_all(unused_for);
}

template <Clock C, FailurePolicy P>
Subscription
Registry<C, P>::on_transition(std::function<void(std::string_view, const Transition&)> listener) {
    if (!listener) refuse_option("on_transition: the listener must not be empty");
    return detail::TargetEvents::subscribe(channel(), std::move(listener),
                                           [](std::string_view, Removal) {});
}

template <Clock C, FailurePolicy P>
template <TargetObserver Observer>
Subscription Registry<C, P>::on_transition(std::reference_wrapper<Observer> observer) {
    return detail::TargetEvents::subscribe(
        channel(), observer,
        [observer](std::string_view name, Removal reason) { observer.get().on_removal(name, reason); });
}

template <Clock C, FailurePolicy P>
Subscription Registry<C, P>::on_removal(std::function<void(std::string_view, Removal)> listener) {
    if (!listener) refuse_option("on_removal: the listener must not be empty");
    return detail::TargetEvents::subscribe(
        channel(), [](std::string_view, const Transition&) {}, std::move(listener));
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
