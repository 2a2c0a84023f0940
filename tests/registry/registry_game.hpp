// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_REGISTRY_REGISTRY_GAME_HPP
#define DASHPOT_TESTS_REGISTRY_REGISTRY_GAME_HPP

#include "guard/breaker_game.hpp"
#include "guard/machine_game.hpp"
#include "property.hpp"
#include "registry/registry_model.hpp"
#include "registry/registry_operations.hpp"

#include <dashpot/registry/registry.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Strings of operations, played to a registry and to a map of names.
namespace model::registry_game {

using dashpot::testing::ManualClock;

template <class P>
dashpot::TargetOptions<P> options_of(const Equipment<P>& equipment) {
    return {equipment.policy, machine_game::options_of(equipment.setting), equipment.limit};
}

template <class P>
class Game {
    using Registry = dashpot::Registry<ManualClock, P>;
    using Target = typename Registry::target_type;
    using Table = NamedTargets<P>;
    using Known = typename Table::Target;

  public:
    explicit Game(const Rules<P>& rules)
        : rules_{rules}, clock_{at(rules.start)},
          registry_{options_of(rules.equipment.front()), options_of_registry(rules), clock_},
          table_{rules.equipment.front(), rules.max_targets, rules.evict_after} {}

    /// True if registry and table agree.
    bool play(const Operation& op) {
        switch (op.kind) {
        case Kind::get:
        case Kind::get_with: return get(op);
        case Kind::find:
            return find(op, [&](auto& target, Known& known) {
                if (op.keeps) keep(target, known);
                return true;
            });
        case Kind::drop: return drop(op);
        case Kind::enter: return hands_.empty() || enter(hand(op));
        case Kind::answer: return hands_.empty() || answer(hand(op), op);
        case Kind::call:
            return find(op, [&](auto& target, Known& known) {
                Hand hand{target, known};
                return enter(hand) && answer(hand, op);
            });
        case Kind::command:
            return find(op, [&](auto& target, Known& known) {
                breaker_game::command(target->breaker(), op.command);
                hear(known, known->breaker.obey(op.command, now()));
                return true;
            });
        case Kind::resize:
            return find(op, [&](auto& target, Known& known) {
                target->bulkhead().resize(op.limit);
                known->has.limit = op.limit;
                return true;
            });
        case Kind::reconfigure:
            return find(op, [&](auto& target, Known& known) {
                const bool is_bad = op.options == bad;
                if (ending_of([&] { target->reconfigure(given(op)); }) !=
                    (is_bad ? Ending::bad_option : Ending::well))
                    return false;
                if (!is_bad) known->reconfigure(rules_.equipment[op.options]);
                return true;
            });
        case Kind::acquire:
            return find(op, [&](auto& target, Known& known) {
                auto slot = target->bulkhead().try_acquire();
                if (static_cast<bool>(slot) != (known->in_flight < known->has.limit)) return false;
                if (slot) {
                    ++known->in_flight;
                    slots_.push_back({known, std::move(slot)});
                }
                return true;
            });
        case Kind::release: return release(op);
        case Kind::listen:
            return find(op, [&](auto& target, Known& known) {
                auto& added = listeners_.emplace_back(std::make_unique<Listener>());
                added->to = known;
                ++known->listeners;
                added->subscription = target->breaker().on_transition(
                    [&heard = added->heard, name = op.name](const dashpot::Transition& event) {
                        heard.emplace_back(name, event.reason);
                    });
                return true;
            });
        case Kind::listen_to_all: {
            auto& added = listeners_.emplace_back(std::make_unique<Listener>());
            added->subscription = registry_.on_transition(
                [&heard = added->heard](std::string_view name, const dashpot::Transition& event) {
                    heard.emplace_back(name, event.reason);
                });
            return true;
        }
        case Kind::stop_listening: return stop_listening(op);
        case Kind::remove: return remove(op);
        case Kind::configure:
            return is_among(
                ending_of([&] { registry_.configure(op.name, given(op)); }), op,
                [&](const auto& equipment) { return table_.configure(op.name, equipment); });
        case Kind::configure_prefix:
            return is_among(
                ending_of([&] { registry_.configure_prefix(op.name, given(op)); }), op,
                [&](const auto& equipment) { return table_.configure_prefix(op.name, equipment); });
        case Kind::evict_idle: return evict_idle(op);
        case Kind::advance:
            clock_.advance(std::chrono::nanoseconds{op.time});
            if (op.time < 0) table_.clock_stepped_back(now());
            return true;
        case Kind::for_each: break;
        }
        return table_.are(there()) && registry_.size() == table_.size() && everybody_heard_all();
    }

  private:
    /// A share of a target, and what entered by it.
    struct Hand {
        std::shared_ptr<Target> target;
        Known known;
        std::optional<typename Target::Entry> entry{}; // after target: it goes first
    };
    struct Slot {
        Known known;
        dashpot::Bulkhead::Permit permit;
    };
    struct Listener {
        Known to{}; // all if null
        std::vector<std::pair<std::string, Reason>> heard{}, expected{};
        dashpot::Subscription subscription{}; // after what it writes to
    };
    struct UsersOwn {};

    static dashpot::RegistryOptions options_of_registry(const Rules<P>& rules) {
        dashpot::RegistryOptions options{.max_targets = rules.max_targets};
        if (rules.evict_after) options.evict_after = std::chrono::nanoseconds{*rules.evict_after};
        return options;
    }

    [[nodiscard]] Time now() const { return time_of(clock_.now()); }

    [[nodiscard]] dashpot::TargetOptions<P> given(const Operation& op) const {
        if (op.options < several) return options_of(rules_.equipment[op.options]);
        dashpot::TargetOptions<P> wrong{};
        wrong.breaker.half_open.probes = 0;
        return wrong;
    }

    template <class F>
    static Ending ending_of(F&& f) {
        try {
            f();
        } catch (const UsersOwn&) {
            return Ending::users_own;
        } catch (const std::invalid_argument&) {
            return Ending::bad_option;
        } catch (const std::length_error&) {
            return Ending::no_room;
        } catch (const std::logic_error&) {
            return Ending::conflict;
        }
        return Ending::well;
    }

    template <class F>
    bool is_among(Ending ending, const Operation& op, F may_end) {
        if (op.options == bad) return ending == Ending::bad_option;
        const auto endings = may_end(rules_.equipment[op.options]);
        return std::find(endings.begin(), endings.end(), ending) != endings.end();
    }

    [[nodiscard]] typename Table::Addresses there() const {
        typename Table::Addresses all;
        registry_.for_each([&](const Target& each) { all.emplace(each.name(), &each); });
        return all;
    }

    // Getting and losing targets.

    bool get(const Operation& op) {
        Known known = table_.find(op.name);
        const bool is_new = known == nullptr, is_full = table_.is_full();
        const bool finds_room = table_.has_room(now());
        const auto* const own = table_.configured(op.name);
        const bool asks = is_new && finds_room && own == nullptr && op.kind == Kind::get_with;
        const std::size_t size = table_.size() - (is_full ? 1 : 0); // while it is made
        int calls = 0;
        bool is_same = true;
        const auto function = [&](std::string_view name) {
            ++calls;
            is_same = name == op.name && !registry_.find(name) && !registry_.remove(name) &&
                      registry_.size() == size &&
                      ending_of([&] { registry_.configure(name, given({})); }) == Ending::conflict;
            if (op.options == throws) throw UsersOwn{};
            if (op.options == asks_for_itself) (void)registry_.get(name);
            return given(op);
        };
        std::shared_ptr<Target> target;
        const Ending ending = ending_of([&] {
            target = op.kind == Kind::get ? registry_.get(op.name) : registry_.get(op.name, function);
        });
        Ending expected = Ending::well;
        if (is_new && !finds_room) expected = Ending::no_room;
        if (asks) {
            expected = op.options == bad               ? Ending::bad_option
                       : op.options == throws          ? Ending::users_own
                       : op.options == asks_for_itself ? Ending::conflict
                                                       : Ending::well;
        }
        const bool is_well = expected == Ending::well;
        if (!is_same || ending != expected || calls != (asks ? 1 : 0) || (target != nullptr) != is_well)
            return false;
        if (calls != 0) table_.is_not_kept(op.name); // the function called remove()
        if (is_new) {
            if (is_well) {
                const auto* const kept =
                    own == nullptr && op.kind == Kind::get ? table_.kept(op.name) : nullptr;
                const bool is_kept =
                    kept != nullptr && (!kept->may_be_gone ||
                                        target->bulkhead().max_concurrent() == kept->equipment.limit);
                const auto has = own != nullptr ? *own
                                 : asks         ? rules_.equipment[op.options]
                                 : is_kept      ? kept->equipment
                                                : table_.defaults();
                if (kept != nullptr && !is_kept) table_.is_not_kept(op.name);
                known = table_.add(op.name, has, target.get(), now());
                known->was_given = (asks && has != table_.defaults()) || is_kept;
            }
            if (!table_.lost_some(there(), is_full && finds_room, is_well, op.name, now()) ||
                !table_.are(there()) || registry_.size() != table_.size())
                return false;
        }
        if (target == nullptr) return true;
        if (op.kind == Kind::get) known->was_relied_on = true;
        if (op.keeps) keep(target, known);
        return target.get() == known->address && is_same_now(*target, *known);
    }

    /// `f` does something with the target, if there is one.
    template <class F>
    bool find(const Operation& op, F f) {
        const std::shared_ptr<Target> target = registry_.find(op.name);
        Known known = table_.find(op.name);
        if ((target == nullptr) != (known == nullptr)) return false;
        if (target == nullptr) return true;
        return target.get() == known->address && f(target, known) && is_same_now(*target, *known);
    }

    bool remove(const Operation& op) {
        std::erase_if(slots_, [&](Slot& slot) { // they must not outlive their target
            if (slot.known->name != op.name) return false;
            --slot.known->in_flight;
            return true;
        });
        return registry_.remove(op.name) == table_.remove(op.name);
    }

    bool evict_idle(const Operation& op) {
        std::size_t said = 0;
        const Ending ending =
            ending_of([&] { said = registry_.evict_idle(std::chrono::nanoseconds{op.time}); });
        if (op.time < 0) return ending == Ending::bad_option && table_.are(there());
        return ending == Ending::well && table_.lost_idle(there(), said, op.time, now()) &&
               table_.are(there()) && registry_.size() == table_.size();
    }

    // What is done with targets.

    void keep(const std::shared_ptr<Target>& target, const Known& known) {
        hands_.push_back(std::make_unique<Hand>(Hand{target, known}));
        ++known->hands;
    }

    Hand& hand(const Operation& op) { return *hands_[op.which % hands_.size()]; }

    bool enter(Hand& hand) {
        if (hand.entry) return true;
        Known& known = hand.known;
        // Without a slot nothing changes in the breaker: no probe is taken, and OPEN stays OPEN.
        const bool has_slot = known->in_flight < known->has.limit;
        const Answer admitted = has_slot ? known->breaker.admit(true, now()) : Answer{};
        hear(known, admitted.moved_by);
        const bool is_let_in = admitted.counted;
        if (is_let_in) ++known->in_flight;
        hand.entry.emplace(hand.target->try_enter());
        const bool is_same = static_cast<bool>(*hand.entry) == is_let_in &&
                             hand.entry->generation() == known->breaker.generation();
        if (!is_let_in) hand.entry.reset();
        return is_same && is_same_now(*hand.target, *known);
    }

    bool answer(Hand& hand, const Operation& op) {
        if (!hand.entry) return true;
        Known& known = hand.known;
        const std::uint64_t generation = hand.entry->generation();
        --known->in_flight;
        if (op.outcome == Outcome::ignored) {
            (void)known->breaker.give_back(generation);
        } else {
            const FinishedCall call{op.outcome == Outcome::failure,
                                    op.slow && judges_slow_calls(known->has.policy), at(now())};
            hear(known, known->breaker.record(generation, call, now()).moved_by);
        }
        using namespace std::chrono_literals;
        (void)hand.entry->record(op.outcome, op.slow ? std::chrono::nanoseconds{2s} : 0ns);
        hand.entry.reset();
        return is_same_now(*hand.target, *known);
    }

    static bool judges_slow_calls(const P& policy) {
        if constexpr (requires { policy.slow_calls; }) return policy.slow_calls.has_value();
        return false;
    }

    bool drop(const Operation& op) {
        if (hands_.empty()) return true;
        auto dropped = taken_out(hands_, op.which);
        Life<P>& known = *dropped->known;
        if (dropped->entry) {
            --known.in_flight;
            (void)known.breaker.give_back(dropped->entry->generation());
        }
        --known.hands;
        dropped.reset();
        return everybody_heard_all();
    }

    bool release(const Operation& op) {
        if (slots_.empty()) return true;
        --taken_out(slots_, op.which).known->in_flight;
        return true;
    }

    bool stop_listening(const Operation& op) {
        if (listeners_.empty()) return true;
        const auto stopped = taken_out(listeners_, op.which);
        if (stopped->to) --stopped->to->listeners;
        return stopped->heard == stopped->expected;
    }

    // What is heard and seen.

    void hear(const Known& of, std::optional<Reason> moved_by) {
        if (!moved_by) return;
        for (const auto& each : listeners_) {
            if (each->to == of || (each->to == nullptr && of->is_in_table))
                each->expected.emplace_back(of->name, *moved_by);
        }
    }

    [[nodiscard]] bool everybody_heard_all() const {
        return std::all_of(listeners_.begin(), listeners_.end(),
                           [](const auto& each) { return each->heard == each->expected; });
    }

    [[nodiscard]] bool is_same_now(Target& target, const Life<P>& known) const {
        return target.name() == known.name && target.bulkhead().in_flight() == known.in_flight &&
               target.bulkhead().max_concurrent() == known.has.limit &&
               known.breaker.shows(target.breaker().snapshot(), now()) && everybody_heard_all();
    }

    const Rules<P> rules_;
    ManualClock clock_;
    Registry registry_;
    Table table_;
    std::vector<std::unique_ptr<Hand>> hands_;
    std::vector<Slot> slots_; // after registry_: they go before their targets
    std::vector<std::unique_ptr<Listener>> listeners_;
};

} // namespace model::registry_game

#endif
