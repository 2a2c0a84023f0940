// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_REGISTRY_HPP
#define DASHPOT_REGISTRY_REGISTRY_HPP

#include <dashpot/core/clock.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/detail/thread_number.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/guard/subscription.hpp>
#include <dashpot/guard/transition.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/registry/target.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dashpot::inline v0 {

/// What bounds a Registry.
struct RegistryOptions {
    /// Targets at most, and configured names at most: names may come from requests. 1 or more.
    /// Default 10 000.
    std::size_t max_targets = 10'000;

    friend bool operator==(const RegistryOptions&, const RegistryOptions&) = default;

    /// Writes it as the initializer that makes it.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const RegistryOptions& options) {
        return detail::FieldPrinter{out, "RegistryOptions"}
            .field("max_targets", options.max_targets)
            .end();
    }

    constexpr void validate() const {
        if (max_targets == 0) refuse_option("RegistryOptions::max_targets must be 1 or more");
    }
};

/// Gives every name its own Target, made at its first use, so that trouble with one target never
/// floods the next.
///
///     dashpot::Registry<> targets{{.policy = {.threshold = 5}, .max_concurrent = 20}};
///     auto balance = targets.get("CORE")->call([&] { return ask_core(account); });
///
/// **Contract.** One Target per name, whoever asks first. A removed target lives on in the hands that
/// hold it; the name then begins afresh, without its configuration.
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

    /// Finds the target, or makes it: exactly once per name. Never null.
    ///
    /// **Errors.** std::length_error naming `max_targets` when there are so many already.
    std::shared_ptr<target_type> get(std::string_view name) {
        Shard& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        const auto found = shard.members.find(name);
        return target_of(found != shard.members.end() ? found->second : add_locked(shard, name));
    }

    /// Finds the target; null if there is none.
    [[nodiscard]] std::shared_ptr<target_type> find(std::string_view name) const {
        const Shard& shard = shard_of(name);
        const std::lock_guard lock{shard.mutex};
        const auto found = shard.members.find(name);
        return found != shard.members.end() ? target_of(found->second) : nullptr;
    }

    /// Sets the options of one name, instead of the defaults, before its first get().
    ///
    /// **Errors.** std::invalid_argument for a bad option; std::logic_error when the target exists, or
    /// when other options were set for it; std::length_error when `max_targets` names are configured.
    void configure(std::string_view name, TargetOptions<P> options);

    /// Forgets the target and the configuration of a name. Its transitions from now on reach no
    /// listener of the registry; one that is being delivered on another thread may still.
    /// @return true if there was such a target
    bool remove(std::string_view name);

    /// Targets now.
    [[nodiscard]] std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

    /// Calls `f` with every target that exists when it begins, in no particular order: as a Target&, or
    /// as a shared_ptr to keep if that is what `f` takes. `f` may call the registry.
    template <class F>
    void for_each(F&& f) const {
        for (const std::shared_ptr<target_type>& target : targets()) {
            if constexpr (std::is_invocable_v<F&, target_type&>) {
                f(*target);
            } else {
                f(target);
            }
        }
    }

    /// Calls `listener` with every change of state of every target, those to come included, as long as
    /// the Subscription lives: as CircuitBreaker::on_transition(), one at a time across all targets.
    ///
    /// **Errors.** std::invalid_argument for an empty function.
    [[nodiscard]] Subscription
    on_transition(std::function<void(std::string_view name, const Transition&)> listener);

  private:
    /// How a target's transitions reach the registry's listeners, and whether they still may.
    struct Feed {
        std::string name;
        threading::atomic<bool> is_live{true};
    };

    struct Event {
        std::shared_ptr<const Feed> feed; // so that the name outlives a target destroyed meanwhile
        Transition transition;
    };

    using Channel = detail::EventChannel<Event>;

    /// A target and its feed, owned as one. What users hold is a share of it.
    struct Member {
        Member(std::string_view name, const TargetOptions<P>& options, const C& clock)
            : target{std::string{name}, options, clock}, feed{std::make_shared<Feed>()} {
            feed->name = name;
        }
        target_type target;
        std::shared_ptr<Feed> feed;
        Subscription forwarding; // after target: it goes first
    };

    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    template <class T>
    using ByName = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

    struct alignas(detail::cache_line) Shard {
        mutable threading::mutex mutex;
        ByName<std::shared_ptr<Member>> members; // guarded by mutex
        ByName<TargetOptions<P>> configured;     // guarded by mutex; of names not yet used
        std::shared_ptr<Channel> listeners;      // guarded by mutex; null until somebody listens
    };

    [[nodiscard]] Shard& shard_of(std::string_view name) noexcept {
        return shards_[Hash{}(name) % shards_.size()];
    }
    [[nodiscard]] const Shard& shard_of(std::string_view name) const noexcept {
        return shards_[Hash{}(name) % shards_.size()];
    }

    [[nodiscard]] static std::shared_ptr<target_type>
    target_of(const std::shared_ptr<Member>& member) noexcept {
        return {member, &member->target};
    }

    /// Takes one of `max_targets` places, given back unless kept.
    class Place {
      public:
        Place(threading::atomic<std::size_t>& taken, std::size_t max_targets, const char* refused)
            : taken_{taken} {
            std::size_t taken_now = taken_.load(std::memory_order_relaxed);
            while (taken_now < max_targets) { // never above it, not even for a moment
                if (taken_.compare_exchange_weak(taken_now, taken_now + 1, std::memory_order_relaxed)) {
                    return;
                }
            }
            throw std::length_error{std::string{refused} + ": there are max_targets (" +
                                    std::to_string(max_targets) + ") already"};
        }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        ~Place() {
            if (!is_kept_) taken_.fetch_sub(1, std::memory_order_relaxed);
        }
        void keep() noexcept { is_kept_ = true; }

      private:
        threading::atomic<std::size_t>& taken_;
        bool is_kept_ = false;
    };

    const std::shared_ptr<Member>& add_locked(Shard& shard, std::string_view name);
    static void forward(Member& member, const std::shared_ptr<Channel>& listeners);
    [[nodiscard]] std::vector<std::shared_ptr<target_type>> targets() const;
    [[nodiscard]] std::shared_ptr<Channel> listeners();

    const TargetOptions<P> defaults_;
    const RegistryOptions options_;
    [[no_unique_address]] const C clock_;
    threading::atomic<std::size_t> size_{0};
    threading::atomic<std::size_t> configured_{0};
    std::array<Shard, 16> shards_;
    threading::mutex listeners_mutex_;
    std::shared_ptr<Channel> listeners_; // guarded by listeners_mutex_
};

template <Clock C, FailurePolicy P>
auto Registry<C, P>::add_locked(Shard& shard, std::string_view name) -> const std::shared_ptr<Member>& {
    Place place{size_, options_.max_targets, "Registry::get: no room for another target"};
    const auto configured = shard.configured.find(name);
    const bool has_own = configured != shard.configured.end();
    const auto member =
        std::make_shared<Member>(name, has_own ? configured->second : defaults_, clock_);
    if (shard.listeners) forward(*member, shard.listeners);
    const auto& added = shard.members.emplace(name, member).first->second;
    if (has_own) {
        shard.configured.erase(configured);
        configured_.fetch_sub(1, std::memory_order_relaxed);
    }
    place.keep();
    return added;
}

template <Clock C, FailurePolicy P>
void Registry<C, P>::configure(std::string_view name, TargetOptions<P> options) {
    options.validate();
    Shard& shard = shard_of(name);
    const std::lock_guard lock{shard.mutex};
    if (shard.members.contains(name)) {
        throw std::logic_error{"Registry::configure: target \"" + std::string{name} +
                               "\" is in use; configure it before its first get()"};
    }
    if (const auto set = shard.configured.find(name); set != shard.configured.end()) {
        if (set->second == options) return;
        throw std::logic_error{"Registry::configure: target \"" + std::string{name} +
                               "\" was configured with other options before"};
    }
    Place place{configured_, options_.max_targets, "Registry::configure: no room for another name"};
    shard.configured.emplace(name, std::move(options));
    place.keep();
}

template <Clock C, FailurePolicy P>
bool Registry<C, P>::remove(std::string_view name) {
    std::shared_ptr<Member> removed; // dies, if nobody else holds it, after the lock is gone
    Shard& shard = shard_of(name);
    const std::lock_guard lock{shard.mutex};
    if (const auto configured = shard.configured.find(name); configured != shard.configured.end()) {
        shard.configured.erase(configured);
        configured_.fetch_sub(1, std::memory_order_relaxed);
    }
    const auto found = shard.members.find(name);
    if (found == shard.members.end()) return false;
    removed = std::move(found->second);
    shard.members.erase(found);
    size_.fetch_sub(1, std::memory_order_relaxed);
    removed->feed->is_live.store(false, std::memory_order_release);
    return true;
}

template <Clock C, FailurePolicy P>
Subscription
Registry<C, P>::on_transition(std::function<void(std::string_view, const Transition&)> listener) {
    if (!listener) refuse_option("on_transition: the listener must not be empty");
    return Channel::subscribe(listeners(), [listener = std::move(listener)](const Event& event) {
        if (!event.feed->is_live.load(std::memory_order_acquire)) return;
        listener(event.feed->name, event.transition);
    });
}

/// Passes the member's transitions on to the registry's listeners. In order, since its breaker
/// delivers one at a time; and one at a time across breakers, since the channel does.
template <Clock C, FailurePolicy P>
void Registry<C, P>::forward(Member& member, const std::shared_ptr<Channel>& listeners) {
    member.forwarding = member.target.breaker().on_transition(
        [feed = std::shared_ptr<const Feed>{member.feed}, listeners](const Transition& transition) {
            if (listeners->push({feed, transition})) listeners->deliver();
        });
}

template <Clock C, FailurePolicy P>
auto Registry<C, P>::targets() const -> std::vector<std::shared_ptr<target_type>> {
    std::vector<std::shared_ptr<target_type>> all;
    all.reserve(size());
    for (const Shard& shard : shards_) {
        const std::lock_guard lock{shard.mutex};
        for (const auto& [name, member] : shard.members) all.push_back(target_of(member));
    }
    return all;
}

/// The channel, made when the first listener comes: targets that nobody listens to pay nothing.
template <Clock C, FailurePolicy P>
auto Registry<C, P>::listeners() -> std::shared_ptr<Channel> {
    const std::lock_guard lock{listeners_mutex_};
    if (listeners_) return listeners_;
    const auto made = std::make_shared<Channel>();
    for (Shard& shard : shards_) {
        const std::lock_guard shard_lock{shard.mutex};
        shard.listeners = made; // from here on, who adds a target forwards it
        for (const auto& [name, member] : shard.members) forward(*member, made);
    }
    listeners_ = made;
    return made;
}

} // namespace dashpot::inline v0

#endif
