// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TYPED_TABLE_HPP
#define DASHPOT_REGISTRY_DETAIL_TYPED_TABLE_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/detail/any_options.hpp>
#include <dashpot/registry/detail/conflict.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/kept_options.hpp>
#include <dashpot/registry/detail/keyed_hash.hpp>
#include <dashpot/registry/detail/overrides.hpp>
#include <dashpot/registry/detail/random_hash_key.hpp>
#include <dashpot/registry/detail/registered_target.hpp>
#include <dashpot/registry/detail/target_reservation.hpp>
#include <dashpot/registry/detail/target_table.hpp>
#include <dashpot/registry/registry_options.hpp>

#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The part of a Registry that depends on its clock and policy: it selects the options of a target,
/// constructs the target, and gives a RegisteredTarget its type again. The rest is a TargetTable.
///
/// **Threads.** Any thread may call it. No user code runs under a lock.
template <Clock C, FailurePolicy P>
class TypedTable {
  public:
    using Options = TargetOptions<P>;
    using Pointer = std::shared_ptr<Target<C, P>>;

    TypedTable(Options&& defaults, const RegistryOptions& options, C&& clock)
        : defaults_{std::move(defaults)}, clock_{std::move(clock)}, overrides_{options.max_targets},
          table_{options, {&clock_, &TypedTable::read_clock}} {}

    [[nodiscard]] const Options& defaults() const noexcept { return defaults_; }

    /// Returns everything that does not depend on the clock and the policy.
    [[nodiscard]] TargetTable& untyped() noexcept { return table_; }
    [[nodiscard]] const TargetTable& untyped() const noexcept { return table_; }

    [[nodiscard]] Pointer find(std::string_view name) const {
        return pointer_to(table_.find({name, hash_key_}));
    }

    /// Returns the target. If it does not exist, constructs it, or waits for the thread that does.
    /// `options_for` is nullptr if the caller gives no function.
    template <class F>
    [[nodiscard]] Pointer get(std::string_view name, F options_for) {
        const HashedName hashed{name, hash_key_};
        if (Owner present = table_.find(hashed, relies<F>)) return pointer_to(std::move(present));
        return make(hashed, options_for);
    }

    /// Calls `f` with each target, or with a shared_ptr to it.
    template <class F>
    void for_each(F& f) const {
        table_.for_each([&](const Owner& each) {
            if constexpr (std::is_invocable_v<F&, Target<C, P>&>) {
                f(typed(*each).target);
            } else {
                f(pointer_to(each));
            }
        });
    }

    void configure(std::string_view name, Options&& options);
    void configure_prefix(std::string_view prefix, Options&& options);

    bool remove(std::string_view name) {
        const HashedName hashed{name, hash_key_};
        overrides_.forget(hashed);
        return table_.remove(hashed);
    }

  private:
    using Owner = RegisteredTarget::Owner;
    using Typed = TypedTarget<C, P>;

    /// True for callers that could not give the options of a target again.
    template <class F>
    static constexpr bool relies = std::is_null_pointer_v<F>;

    [[nodiscard]] static Typed& typed(RegisteredTarget& target) noexcept {
        return static_cast<Typed&>(target);
    }
    [[nodiscard]] static Pointer pointer_to(Owner owner) noexcept {
        if (!owner) return nullptr;
        Target<C, P>& target = typed(*owner).target;
        return {std::move(owner), &target};
    }
    [[nodiscard]] static const Options& options_in(const AnyOptions& options) noexcept {
        return *static_cast<const Options*>(options.get());
    }
    [[nodiscard]] static Instant read_clock(const void* clock) noexcept {
        return read(*static_cast<const C*>(clock));
    }

    template <class F>
    [[nodiscard]] Pointer make(const HashedName& name, F& options_for);

    /// Constructs a target. `given` are its options if a function gave them.
    [[nodiscard]] Owner construct(const HashedName& name, const Options& options,
                                  AnyOptions given = nullptr) const {
        auto made = std::make_shared<Typed>(name, options, clock_, table_.channel());
        if (given) made->given_options = new GivenOptions{name, std::move(given)};
        return made;
    }

    const Options defaults_;
    [[no_unique_address]] const C clock_;
    const HashKey hash_key_ = random_hash_key(this);
    // The lock order is: the lock of overrides_, then those of table_.
    Overrides overrides_;
    TargetTable table_;
};

template <Clock C, FailurePolicy P>
template <class F>
auto TypedTable<C, P>::make(const HashedName& name, F& options_for) -> Pointer {
    TargetReservation reservation{table_, name, relies<F>};
    if (reservation.present()) return pointer_to(std::move(reservation.present()));
    Owner made;
    if (const AnyOptions own = overrides_.of(name)) {
        made = construct(name, options_in(own));
    } else if constexpr (relies<F>) {
        const AnyOptions& kept = reservation.kept_options();
        made = construct(name, kept ? options_in(kept) : defaults_, kept);
    } else {
        const Options given = options_for(name.name);
        made = construct(name, given,
                         given == defaults_ ? nullptr : std::make_shared<const Options>(given));
    }
    reservation.commit(made);
    return pointer_to(std::move(made));
}

template <Clock C, FailurePolicy P>
void TypedTable<C, P>::configure(std::string_view name, Options&& options) {
    options.validate();
    const HashedName hashed{name, hash_key_};
    const auto given = std::make_shared<const Options>(std::move(options));
    const AnyOptions before = overrides_.set(hashed, given, [&] {
        if (!table_.contains(hashed)) return;
        throw std::logic_error{text_of({"Registry::configure: target \"", name,
                                        "\" is in use; configure it before its first get()"})};
    });
    if (!before) return;
    check_same_options("Registry::configure: target", name, options_in(before), *given);
}

template <Clock C, FailurePolicy P>
void TypedTable<C, P>::configure_prefix(std::string_view prefix, Options&& options) {
    options.validate();
    const auto given = std::make_shared<const Options>(std::move(options));
    const AnyOptions before = overrides_.set_prefix(prefix, given, [&](auto&& check_unused) {
        table_.for_each_name([&](std::string_view name) { check_unused(HashedName{name, hash_key_}); });
    });
    if (!before) return;
    check_same_options("Registry::configure_prefix: prefix", prefix, options_in(before), *given);
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
