// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_REGISTRY_HPP
#define DASHPOT_REGISTRY_REGISTRY_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/feed.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/keyed_hash.hpp>
#include <dashpot/registry/detail/member.hpp>
#include <dashpot/registry/detail/overrides.hpp>
#include <dashpot/registry/detail/place.hpp>
#include <dashpot/registry/detail/random_hash_key.hpp>
#include <dashpot/registry/detail/target_table.hpp>
#include <dashpot/registry/detail/turn.hpp>
#include <dashpot/registry/registry_options.hpp>
#include <dashpot/registry/removal.hpp>
#include <dashpot/registry/target.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI {

/// Gives every name its own Target, made at its first use, so that trouble with one target never
/// floods the next.
///
///     dashpot::Registry<> targets{{.policy = {.threshold = 5}, .max_concurrent = 20}};
///     auto balance = targets.get("CORE")->call([&] { return ask_core(account); });
///
/// **Contract.** One Target per name, whoever asks first. A removed target lives on in the hands that
/// hold it; the name then begins afresh, without its configuration. An idle target may be evicted, on
/// demand or, with `evict_after`, to make room; the name then begins afresh with its configuration, and
/// nobody can tell the difference but by the numbers that count over a target's life. Idle is a target
/// that
/// - nobody holds a shared_ptr to (a std::weak_ptr holds nothing: locked in the very moment of an
///   eviction, it leads to a target that lives on as a removed one does),
/// - began CLOSED and is CLOSED, with no call in its window and none in flight, and
/// - has the options that it was made with, and no listener of its own, and
/// - if a function gave its options, was not returned by get() without a function since.
///
/// Options that a function gave are kept for the `max_targets` names that were evicted last: get()
/// without a function makes the target with them again.
/// Hold the shared_ptr as long as a Permit or an Entry of the target lives.
/// **Threads.** Every member, any thread, any time. No code of the user's runs under a lock.
/// **Cost.** get() of a name that exists: a lock that only names of the same shard share, one look-up,
/// one shared_ptr copy, no allocation. Keep the shared_ptr where a call must be cheaper.
/// **Errors.** The constructor and configure() throw std::invalid_argument that names the field out of
/// range; see get() and configure() for the rest.
template <Clock C = SteadyClock, FailurePolicy P = ConsecutiveFailures>
class Registry {
  public:
    using target_type = Target<C, P>;

    explicit Registry(TargetOptions<P> defaults = {}, RegistryOptions options = {}, C clock = C{})
        : defaults_{std::move(defaults)}, options_{options}, clock_{std::move(clock)} {
        defaults_.validate();
        options_.validate();
    }

    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// The options of a target for which none are configured: what configure() can start from.
    ///
    ///     auto claim = targets.defaults();
    ///     claim.max_concurrent = 4;
    ///     targets.configure("CLAIM", claim);
    ///
    /// **Threads.** Any: they never change.
    [[nodiscard]] const TargetOptions<P>& defaults() const noexcept { return defaults_; }

    /// Finds the target, or makes it: exactly once per name. Never null.
    ///
    /// **Contract.** A new target has the options configured for its name; otherwise those of the
    /// longest prefix configured that its name begins with; otherwise those that a function gave before
    /// the target was evicted; otherwise the defaults. With `evict_after`, where there are
    /// `max_targets` already, an idle one makes room, however short it has been idle.
    /// **Cost.** A new name: what the target costs, made outside the registry's locks; others who want
    /// that name wait. At the bound, with `evict_after`, it looks for an idle target: at all of them,
    /// one shard after the other, as long as no more than all were looked at in this second; else at
    /// 16, each time at others.
    /// **Errors.** std::length_error naming `max_targets` when there are so many, and none that makes
    /// room. What the target's construction throws, to the one who tried: another who waits tries anew.
    std::shared_ptr<target_type> get(std::string_view name) {
        const detail::HashedName hashed{name, hash_key_};
        if (Owner present = table_.find(hashed, true)) return target_of(std::move(present));
        return target_of(make(hashed, nullptr));
    }

    /// The same, with `options_for(name)` instead of the defaults.
    ///
    /// **Contract.** `options_for` is called only to make a target for which no options are configured,
    /// by one thread, once, outside every lock. It may use the registry, for other names.
    /// **Errors.** As get(); what `options_for` throws; std::invalid_argument for options out of range;
    /// std::logic_error where `options_for` asks for its own name, or for one whose maker waits for it.
    template <class F>
        requires std::is_invocable_r_v<TargetOptions<P>, F&, std::string_view>
    std::shared_ptr<target_type> get(std::string_view name, F&& options_for) {
        const detail::HashedName hashed{name, hash_key_};
        if (Owner present = table_.find(hashed)) return target_of(std::move(present));
        return target_of(make(hashed, [&](std::string_view wanted) -> TargetOptions<P> {
            return std::invoke(options_for, wanted);
        }));
    }

    /// Finds the target; null if there is none, or none yet. It counts as asked for, as with get().
    [[nodiscard]] std::shared_ptr<target_type> find(std::string_view name) const {
        return target_of(table_.find({name, hash_key_}));
    }

    /// Sets the options of one name, instead of the defaults, before its first get(). They are the
    /// name's until remove().
    ///
    /// **Errors.** std::invalid_argument for a bad option; std::logic_error when the target exists or
    /// is being made, or when other options were set for it, showing both; std::length_error when
    /// `max_targets` names are configured.
    void configure(std::string_view name, TargetOptions<P> options);

    /// Sets the options of all names that begin with `prefix`, have none of their own and match no
    /// longer prefix, before the first get() of such a name.
    ///
    /// **Cost.** A look at every target.
    /// **Errors.** As configure(); std::logic_error also names a target that is in use.
    void configure_prefix(std::string_view prefix, TargetOptions<P> options);

    /// Forgets the target and the configuration of a name. Its transitions from now on reach no
    /// listener of the registry; one that is being delivered on another thread may still. A target that
    /// is being made is not there yet: it comes after, with the options that it began with.
    /// @return true if there was such a target
    bool remove(std::string_view name);

    /// Forgets targets that are idle and that nobody has asked for, or was seen to use, for so long.
    ///
    /// **Contract.** Their numbers over their life go with them; their configuration stays. The time
    /// counts from the first look that saw a target unused, by evict_idle() or by `evict_after`: call
    /// it from time to time. 0: whatever is idle now. A target with a CountWindow that has been called
    /// is never idle again, unless it is reset(): such a window forgets only by newer calls.
    /// **Cost.** A look at every target, under the lock of its shard; at a target that was not asked
    /// for, its breaker's lock too.
    /// **Errors.** std::invalid_argument if negative.
    /// @return how many it forgot
    std::size_t evict_idle(Nanoseconds unused_for = {});

    /// Targets now. One that is being made is none yet, although it has a place of `max_targets`.
    [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }

    /// Calls `f` with every target that exists when it begins, in no particular order: as a Target&, or
    /// as a shared_ptr to keep if that is what `f` takes. `f` may call the registry: what it removes is
    /// still visited, what it adds is not.
    template <class F>
    void for_each(F&& f) const {
        for (const Owner& each : table_.all()) {
            if constexpr (std::is_invocable_v<F&, target_type&>) {
                f(each->target);
            } else {
                f(target_of(each));
            }
        }
    }

    /// Calls `listener` with every change of state of every target, those to come included, as long as
    /// the Subscription lives: as CircuitBreaker::on_transition(), one at a time across all targets.
    ///
    /// **Cost.** One allocation, however many targets there are. No target costs memory for it.
    /// **Errors.** std::invalid_argument for an empty function.
    [[nodiscard]] Subscription
    on_transition(std::function<void(std::string_view name, const Transition&)> listener);

    /// The same for an object that keeps something for each name, given by std::ref(): its on_removal()
    /// is called with each name that leaves, as a listener of on_removal() is.
    template <TargetObserver Observer>
    [[nodiscard]] Subscription on_transition(std::reference_wrapper<Observer> observer);

    /// Calls `listener` with the name of every target that is evicted or removed, as long as the
    /// Subscription lives.
    ///
    /// **Contract.** Exactly once for each target that leaves, one call at a time, outside every lock,
    /// on the thread that caused it or on one that is delivering already. Transitions and removals of a
    /// registry have one order. A removal comes after all transitions of the target that left, and
    /// before those of a new target of that name. When the listener is called, a new target of that
    /// name may exist already. The end of the registry is no removal. A listener may call anything
    /// here; one that throws is contained.
    /// **Errors.** std::invalid_argument for an empty function.
    [[nodiscard]] Subscription
    on_removal(std::function<void(std::string_view name, Removal reason)> listener);

  private:
    using Table = detail::TargetTable<C, P>;
    using Owner = typename Table::Owner;
    using Member = typename Owner::element_type;

    [[nodiscard]] static std::shared_ptr<target_type> target_of(Owner member) noexcept {
        if (!member) return nullptr;
        target_type* const target = &member->target;
        return {std::move(member), target};
    }

    /// Calls the listeners with the removals of a get(), however it ends.
    struct DeliveryAtEnd {
        const Table& table;
        ~DeliveryAtEnd() { table.deliver(); }
    };

    [[nodiscard]] Owner make_member(const detail::HashedName& name,
                                    const TargetOptions<P>& options) const {
        return std::make_shared<Member>(name.name, options, clock_, table_.channel());
    }

    /// Makes the target, or waits for the thread that makes it. `options_for` is nullptr where the
    /// caller gives none.
    template <class F>
    [[nodiscard]] Owner make(const detail::HashedName& name, F options_for);

    const TargetOptions<P> defaults_;
    const RegistryOptions options_;
    [[no_unique_address]] const C clock_;
    const detail::HashKey hash_key_ = detail::random_hash_key(this);
    // Locks are taken in this order: that of overrides_, one of table_, that of turns_.
    detail::Overrides<TargetOptions<P>> overrides_{options_.max_targets};
    Table table_{options_.max_targets};
    detail::Turns turns_;
};

template <Clock C, FailurePolicy P>
template <class F>
auto Registry<C, P>::make(const detail::HashedName& name, F options_for) -> Owner {
    constexpr bool relies = std::is_null_pointer_v<F>;
    const DeliveryAtEnd delivery{table_}; // after the turn: a listener may get() this very name
    for (;;) {
        std::optional<detail::Turn> turn;
        const auto begin = [&] { turn.emplace(turns_, name.name); };
        if (Owner found = table_.find_or(name, begin, relies)) return found;
        if (!turn->is_mine()) {
            turn->wait();
            continue;
        }
        // Before room is made: an eviction may push out what is kept for this name.
        auto kept = relies ? table_.kept_options(name) : nullptr;
        detail::Place place{table_.places(), options_.max_targets};
        if (!place && options_.evict_after) (void)table_.evict_into(place, detail::read(clock_));
        if (!place) {
            throw std::length_error{
                "Registry::get: no room for another target: there are max_targets (" +
                std::to_string(options_.max_targets) +
                (options_.evict_after ? ") already, none idle" : ") already")};
        }
        Owner member;
        if (const auto own = overrides_.of(name)) {
            member = make_member(name, *own);
        } else if constexpr (relies) {
            member = make_member(name, kept ? *kept : defaults_);
            member->given_options = std::move(kept);
        } else {
            const TargetOptions<P> given = options_for(name.name);
            member = make_member(name, given);
            if (!(given == defaults_))
                member->given_options = std::make_shared<const TargetOptions<P>>(given);
        }
        table_.add(member, name, place, relies);
        turn.reset();
        if (options_.evict_after) table_.evict_some(detail::read(clock_), *options_.evict_after);
        return member;
    }
}

template <Clock C, FailurePolicy P>
void Registry<C, P>::configure(std::string_view name, TargetOptions<P> options) {
    options.validate();
    const detail::HashedName hashed{name, hash_key_};
    overrides_.set(hashed, std::move(options), [&] {
        // In this order: a target is in the table before its turn is over.
        if (!turns_.contains(name) && !table_.contains(hashed)) return;
        throw std::logic_error{"Registry::configure: target \"" + std::string{name} +
                               "\" is in use; configure it before its first get()"};
    });
}

template <Clock C, FailurePolicy P>
void Registry<C, P>::configure_prefix(std::string_view prefix, TargetOptions<P> options) {
    options.validate();
    std::vector<Owner> used; // declared here: what was removed meanwhile goes when no lock is held
    overrides_.set_prefix(prefix, std::move(options), [&](auto&& check_unused) {
        // In this order, as above.
        for (const std::string& name : turns_.names())
            check_unused(detail::HashedName{name, hash_key_});
        used = table_.all();
        for (const Owner& each : used) check_unused(detail::HashedName{each->target.name(), hash_key_});
    });
}

template <Clock C, FailurePolicy P>
bool Registry<C, P>::remove(std::string_view name) {
    const detail::HashedName hashed{name, hash_key_};
    overrides_.forget(hashed);
    const bool was_there = table_.remove(hashed) != nullptr;
    table_.deliver();
    return was_there;
}

template <Clock C, FailurePolicy P>
std::size_t Registry<C, P>::evict_idle(Nanoseconds unused_for) {
    if (unused_for.count() < 0) {
        refuse_option("Registry::evict_idle: unused_for", unused_for, "must be 0s or more");
    }
    return table_.evict_all(detail::read(clock_), unused_for);
}

template <Clock C, FailurePolicy P>
Subscription
Registry<C, P>::on_transition(std::function<void(std::string_view, const Transition&)> listener) {
    if (!listener) refuse_option("on_transition: the listener must not be empty");
    return detail::TargetChannel::subscribe(
        table_.channel(), [listener = std::move(listener)](const detail::TargetEvent& event) {
            detail::Feed::tell_transition(event, listener);
        });
}

template <Clock C, FailurePolicy P>
template <TargetObserver Observer>
Subscription Registry<C, P>::on_transition(std::reference_wrapper<Observer> observer) {
    return detail::TargetChannel::subscribe(
        table_.channel(), [observer](const detail::TargetEvent& event) {
            detail::Feed::tell_transition(event, observer.get());
            detail::Feed::tell_removal(event, [&](std::string_view name, Removal reason) {
                observer.get().on_removal(name, reason);
            });
        });
}

template <Clock C, FailurePolicy P>
Subscription Registry<C, P>::on_removal(std::function<void(std::string_view, Removal)> listener) {
    if (!listener) refuse_option("on_removal: the listener must not be empty");
    return detail::TargetChannel::subscribe(
        table_.channel(), [listener = std::move(listener)](const detail::TargetEvent& event) {
            detail::Feed::tell_removal(event, listener);
        });
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
