// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_TARGET_RESERVATION_HPP
#define DASHPOT_REGISTRY_DETAIL_TARGET_RESERVATION_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/registry/detail/any_options.hpp>
#include <dashpot/registry/detail/hashed_name.hpp>
#include <dashpot/registry/detail/registered_target.hpp>
#include <dashpot/registry/detail/shard.hpp>
#include <dashpot/registry/detail/single_flight.hpp>
#include <dashpot/registry/detail/slot_reservation.hpp>
#include <dashpot/registry/detail/target_table.hpp>
#include <dashpot/registry/registry_options.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The right of one thread to construct the target of a name, with a slot for the target.
///
/// **Contract.** If the target exists, or another thread constructs it meanwhile, present() returns
/// that target, and nothing is reserved. Otherwise the caller constructs the target and calls
/// commit(). A reservation without a commit() is released: the slot is free, and a thread that waits
/// for the name constructs the target. Listeners are notified of evictions when the reservation is
/// destroyed, because they may get this name.
/// **Errors.** The constructor throws std::length_error if there is no slot, and std::logic_error if it
/// would wait forever.
class [[nodiscard]] TargetReservation {
  public:
    using Owner = RegisteredTarget::Owner;

    /// `relies` is true if the caller cannot give the options of the target again. `name` must outlive
    /// the reservation.
    TargetReservation(TargetTable& table, const HashedName& name, bool relies);
    TargetReservation(const TargetReservation&) = delete;
    TargetReservation& operator=(const TargetReservation&) = delete;

    /// Returns the target if it exists, and null if the caller constructs it.
    [[nodiscard]] Owner& present() noexcept { return present_; }

    /// Returns the options that a function gave before the target was evicted, or null.
    [[nodiscard]] const AnyOptions& kept_options() const noexcept { return kept_options_; }

    /// Adds the target, and evicts a few unused ones.
    void commit(const Owner& target);

  private:
    struct Delivery {
        TargetTable& table;
        ~Delivery() { table.channel_->deliver(); }
    };

    /// Finds the target, or leads a flight. Returns false if it waited for another thread's flight.
    [[nodiscard]] bool find_or_lead();

    TargetTable& table_;
    const HashedName name_;
    const bool relies_;
    Owner present_{};
    AnyOptions kept_options_{};
    // Destroyed in reverse order: the slot is free before the flight ends.
    Delivery delivery_{table_};
    Flight flight_{table_.flights_};
    SlotReservation slot_{table_.slots_};
};

inline TargetReservation::TargetReservation(TargetTable& table, const HashedName& name, bool relies)
    : table_{table}, name_{name}, relies_{relies} {
    while (!find_or_lead()) {}
    if (present_) return;
    // This comes before the eviction, which may drop the options kept for this name.
    if (relies) kept_options_ = table.kept_.of(name);
    const RegistryOptions& options = table.options_;
    if (slot_.try_reserve(options.max_targets)) return;
    if (options.evict_after) (void)table.evict_into(slot_);
    if (slot_) return;
    throw std::length_error{
        text_of({"Registry::get: no room for another target: there are max_targets (",
                 options.max_targets, options.evict_after ? ") already, none idle" : ") already"})};
}

inline bool TargetReservation::find_or_lead() {
    {
        Shard& shard = table_.shard_of(name_);
        const std::lock_guard lock{shard.mutex};
        present_ = shard.find_locked(name_, relies_);
        if (present_) return true;
        flight_.begin(name_.name); // under the lock under which the target is added
    }
    if (!flight_.leads()) flight_.wait();
    return flight_.leads();
}

inline void TargetReservation::commit(const Owner& target) {
    {
        Shard& shard = table_.shard_of(name_);
        const std::lock_guard lock{shard.mutex};
        shard.add_locked(target, relies_);
        slot_.commit();
        table_.size_.fetch_add(1, std::memory_order_relaxed);
    }
    flight_.end();
    if (table_.options_.evict_after) table_.evict_some();
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
