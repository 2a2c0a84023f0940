// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIGURED_LIMIT_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_CONFIGURED_LIMIT_HPP

#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/gradient.hpp>
#include <dashpot/policy/limit_policy.hpp>
#include <dashpot/policy/vegas.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>
#include <variant>

namespace relay_hub {

/// A limit policy that limits nothing.
struct Unlimited {
    friend bool operator==(const Unlimited&, const Unlimited&) = default;

    void validate() const noexcept {}

    struct Estimator {
        explicit Estimator(const Unlimited&) noexcept {}
        void record(const dashpot::Sample&) noexcept {}
        [[nodiscard]] std::uint32_t limit() const noexcept {
            return (std::numeric_limits<std::uint32_t>::max)();
        }
    };
};

/// One of the library's limit policies, chosen when the program runs, or none.
///
/// So a limiter stands before every target, and a new config only changes what it does. The calls in
/// flight are counted in any case.
///
/// **Threads.** A value. **Cost.** The chosen policy's, and a jump.
/// **Errors.** validate() refuses what the chosen policy refuses, in its words.
struct ConfiguredLimit {
    class Estimator;

    std::variant<Unlimited, dashpot::Gradient, dashpot::Vegas, dashpot::Aimd> rule;

    friend bool operator==(const ConfiguredLimit&, const ConfiguredLimit&) = default;

    [[nodiscard]] bool is_limited() const noexcept { return !std::holds_alternative<Unlimited>(rule); }

    /// The highest limit that it may come to. To be asked only where it is limited.
    [[nodiscard]] std::uint32_t highest() const noexcept {
        return std::visit(
            [](const auto& chosen) {
                if constexpr (requires { chosen.max; }) return chosen.max;
                return (std::numeric_limits<std::uint32_t>::max)();
            },
            rule);
    }

    void validate() const {
        std::visit([](const auto& chosen) { chosen.validate(); }, rule);
    }
};

/// The estimator of the chosen policy.
class ConfiguredLimit::Estimator {
  public:
    explicit Estimator(const ConfiguredLimit& policy) noexcept
        : chosen_{std::visit([](const auto& chosen) { return make(chosen); }, policy.rule)} {}

    void record(const dashpot::Sample& sample) noexcept {
        std::visit([&](auto& estimator) { estimator.record(sample); }, chosen_);
    }

    [[nodiscard]] std::uint32_t limit() const noexcept {
        return std::visit([](const auto& estimator) { return estimator.limit(); }, chosen_);
    }

    /// As the policy does, if it is still of the same kind; otherwise it begins at its `initial`.
    void take_over(const Estimator& before) noexcept {
        std::visit(
            [](auto& estimator, const auto& old) {
                if constexpr (std::is_same_v<std::remove_cvref_t<decltype(estimator)>,
                                             std::remove_cvref_t<decltype(old)>> &&
                              requires { estimator.take_over(old); })
                    estimator.take_over(old);
            },
            chosen_, before.chosen_);
    }

  private:
    using Chosen = std::variant<Unlimited::Estimator, dashpot::Gradient::Estimator,
                                dashpot::Vegas::Estimator, dashpot::Aimd::Estimator>;

    template <dashpot::LimitPolicy Rule>
    [[nodiscard]] static Chosen make(const Rule& chosen) noexcept {
        return typename Rule::Estimator{chosen};
    }

    Chosen chosen_; // nothing that could throw is assigned to it, so it is never without a value
};

static_assert(dashpot::LimitPolicy<ConfiguredLimit>);

} // namespace relay_hub

#endif
