// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIGURED_POLICY_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIGURED_POLICY_HPP

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/next_success.hpp>
#include <dashpot/policy/time_window.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace relay_hub {

/// One of the library's policies, chosen when the program runs and not when it is compiled.
///
/// To the library it is a policy like any other. So all compartments have one type and share one
/// registry, and each still has a rule of its own.
///
/// **Threads.** A value. **Cost.** The chosen rule's, and a jump. Each call that is told costs a clock
/// reading even where the rule needs none: whether one does is asked of the type.
/// **Errors.** validate() refuses what the chosen rule refuses, in its words.
struct ConfiguredPolicy {
    class Tally;

    std::variant<dashpot::ConsecutiveFailures, dashpot::CountWindow, dashpot::TimeWindow> rule;
    /// The next Tally of this policy or a copy, if it was made beforehand. It does not make a policy
    /// another.
    std::shared_ptr<std::optional<Tally>> next_tally{};

    friend bool operator==(const ConfiguredPolicy& left, const ConfiguredPolicy& right) {
        return left.rule == right.rule;
    }

    /// The same policy, whose next Tally needs no memory and cannot fail, for it is there already.
    ///
    /// The library makes a Tally for a breaker that it reconfigures. With this one, all breakers of a
    /// config can be reconfigured once nothing can go wrong any more.
    [[nodiscard]] ConfiguredPolicy with_tally() const;

    void validate() const {
        std::visit([](const auto& chosen) { chosen.validate(); }, rule);
    }

    [[nodiscard]] std::optional<std::chrono::nanoseconds> slow_after() const noexcept {
        return std::visit(
            [](const auto& chosen) -> std::optional<std::chrono::nanoseconds> {
                if constexpr (requires { chosen.slow_after(); }) return chosen.slow_after();
                return std::nullopt;
            },
            rule);
    }
};

/// The tally of the chosen rule.
class ConfiguredPolicy::Tally {
  public:
    explicit Tally(const ConfiguredPolicy& policy) : chosen_{take_or_make(policy)} {}

    std::optional<dashpot::Reason> record(const dashpot::FinishedCall& call) noexcept {
        return std::visit([&](auto& tally) { return tally.record(call); }, chosen_);
    }

    void clear() noexcept {
        std::visit([](auto& tally) { tally.clear(); }, chosen_);
    }

    [[nodiscard]] dashpot::Counts counts(dashpot::Instant now) const noexcept {
        return std::visit([&](const auto& tally) { return tally.counts(now); }, chosen_);
    }

    [[nodiscard]] dashpot::NextSuccess next_success() const noexcept {
        return std::visit([](const auto& tally) { return tally.next_success(); }, chosen_);
    }

    void record_successes(std::uint64_t count) noexcept {
        std::visit(
            [count](auto& tally) {
                if constexpr (requires { tally.record_successes(count); })
                    tally.record_successes(count);
            },
            chosen_);
    }

    /// As the rule does, where it is still the same kind of rule; else it begins empty.
    void take_over(const Tally& before) noexcept {
        std::visit(
            [](auto& tally, const auto& old) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(tally)>,
                                             std::remove_cvref_t<decltype(old)>>)
                    tally.take_over(old);
            },
            chosen_, before.chosen_);
    }

  private:
    using Chosen = std::variant<dashpot::ConsecutiveFailures::Tally, dashpot::CountWindow::Tally,
                                dashpot::TimeWindow::Tally>;

    [[nodiscard]] static Chosen take_or_make(const ConfiguredPolicy& policy) {
        static_assert(std::is_nothrow_move_constructible_v<Chosen>);
        if (policy.next_tally && *policy.next_tally) {
            Chosen taken = std::move((*policy.next_tally)->chosen_);
            policy.next_tally->reset();
            return taken;
        }
        return std::visit([](const auto& chosen) { return make(chosen); }, policy.rule);
    }

    template <dashpot::FailurePolicy Rule>
    [[nodiscard]] static Chosen make(const Rule& chosen) {
        return typename Rule::Tally{chosen};
    }

    Chosen chosen_; // nothing that could throw is assigned to it, so it is never without a value
};

inline ConfiguredPolicy ConfiguredPolicy::with_tally() const {
    ConfiguredPolicy result{rule};
    result.next_tally = std::make_shared<std::optional<Tally>>(Tally{result});
    return result;
}

static_assert(dashpot::FailurePolicy<ConfiguredPolicy>);

} // namespace relay_hub

#endif
