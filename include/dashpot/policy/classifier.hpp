// SPDX-License-Identifier: MIT
#ifndef DASHPOT_POLICY_CLASSIFIER_HPP
#define DASHPOT_POLICY_CLASSIFIER_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/deferred.hpp>
#include <dashpot/core/outcome.hpp>
#include <dashpot/core/result.hpp>

#include <algorithm>
#include <concepts>
#include <exception>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

template <class T>
using ValueIn = std::remove_cvref_t<decltype(*std::declval<const T&>())>;

template <class Rule, class T>
concept TakesWhole = requires(const Rule& rule, const T& subject) { rule(subject); };

/// Returns true if a rule applies to the value in an optional or an expected.
///
/// std::invoke() with a member pointer looks through an optional, even if the optional is empty. A
/// rule with a member pointer must therefore never receive the optional itself.
template <class Rule, class T>
[[nodiscard]] consteval bool is_for_value_within() {
    if constexpr (!HasSomething<T>) {
        return false;
    } else if constexpr (TakesWhole<Rule, T> && !Rule::looks_through) {
        return false;
    } else {
        return TakesWhole<Rule, ValueIn<T>> || is_for_value_within<Rule, ValueIn<T>>();
    }
}

template <class Rule, class T>
concept Takes = TakesWhole<Rule, T> || is_for_value_within<Rule, T>();

/// Returns the rule's result for a value, or for the value within the value.
template <class Rule, class T>
[[nodiscard]] constexpr std::optional<Outcome> ask(const Rule& rule, const T& subject) {
    if constexpr (is_for_value_within<Rule, T>()) {
        return subject.has_value() ? ask(rule, *subject) : std::nullopt;
    } else if constexpr (TakesWhole<Rule, T>) {
        return rule(subject);
    } else {
        return std::nullopt;
    }
}

} // namespace detail

/// Judges a finished call by rules. The rules are applied in order, and the first rule that returns an
/// outcome decides.
///
///     const auto judge = dashpot::on_exception<BadRequest>(Outcome::ignored) |
///                        dashpot::failure_codes({"E500", "E901", "E902"}, &Reply::code) |
///                        dashpot::http_status(&Reply::status);
///     auto reply = breaker.call(send, judge);
///
/// **Contract.** A classifier is made by the functions below, joined by `|`.
/// - If no rule returns an outcome, the classifier judges as ByException does.
/// - For an optional or an expected, a rule receives the whole object if the rule's function accepts
///   it, and otherwise the value within. If there is no value, the rule returns no outcome.
/// - A rule that accepts neither returns no outcome. If all rules for values are made for other types,
///   the call does not compile.
///
/// **Threads.** It is a value. Any thread may use the const members if the predicates allow concurrent
/// calls.
/// **Cost.** A call applies the rules in order and does not allocate. An exception is rethrown once
/// per rule.
/// **Errors.** Exceptions of a predicate are passed through.
template <class... Rules>
class Classifier {
  public:
    constexpr explicit Classifier(Rules... rules) : rules_{std::move(rules)...} {}
    constexpr explicit Classifier(std::tuple<Rules...> rules) : rules_{std::move(rules)} {}

    /// Is true if no rule judges exceptions. Then a call that returns nothing cannot be judged.
    static constexpr bool judges_only_values = sizeof...(Rules) != 0 && (Rules::judges_values && ...);

    template <class T>
    [[nodiscard]] constexpr Outcome operator()(const T& value) const {
        static_assert(!(Rules::judges_values || ...) || (detail::Takes<Rules, T> || ...),
                      "the classifier can never be called with this value: the projection or predicate "
                      "of each http_status(), failure_codes() and on_value() is made for another type");
        return first_opinion(value);
    }

    /// Judges a call that returned nothing. No rule applies to such a call.
    [[nodiscard]] constexpr Outcome operator()() const noexcept
        requires(!judges_only_values)
    {
        return Outcome::success;
    }

#if DASHPOT_EXCEPTIONS
    [[nodiscard]] Outcome operator()(std::exception_ptr thrown) const {
        return thrown ? first_opinion(thrown) : Outcome::success; // null: a returned value
    }
#endif

    /// Returns a classifier that applies the rules of `a`, then those of `b`.
    template <class... Others>
    [[nodiscard]] friend constexpr auto operator|(const Classifier& a, const Classifier<Others...>& b) {
        return Classifier<Rules..., Others...>{std::tuple_cat(a.rules_, b.rules())};
    }

    [[nodiscard]] constexpr const std::tuple<Rules...>& rules() const noexcept { return rules_; }

  private:
    template <class T>
    [[nodiscard]] constexpr Outcome first_opinion(const T& subject) const {
        if constexpr (detail::is_result<T>) { // a refused call returned nothing to judge
            if (!subject.has_value()) return detail::judge_error(subject.error());
        }
        std::optional<Outcome> opinion;
        const auto ask = [&](const auto& rule) {
            opinion = detail::ask(rule, subject);
            return opinion.has_value();
        };
        std::apply([&](const Rules&... rule) { (void)(ask(rule) || ...); }, rules_);
        return opinion ? *opinion : ByException{}(subject);
    }

    std::tuple<Rules...> rules_;
};

namespace detail {

/// Is true if a rule with this projection can be applied to T. Without a projection, T itself must be
/// the type that the rule examines.
template <class Projection, class T, class Seen>
concept Projects =
    !std::same_as<T, std::exception_ptr> && std::invocable<const Projection&, const T&> &&
    (!std::same_as<Projection, std::identity> || std::convertible_to<const T&, Seen>);

template <class E>
struct OnException {
    static constexpr bool judges_values = false;
    static constexpr bool looks_through = false;
    Outcome outcome;

#if DASHPOT_EXCEPTIONS
    std::optional<Outcome> operator()(const std::exception_ptr& thrown) const {
        try {
            std::rethrow_exception(thrown);
        } catch (const E&) {
            return outcome;
        } catch (...) {
            return std::nullopt;
        }
    }
#endif
};

template <class Predicate>
struct OnValue {
    static constexpr bool judges_values = true;
    static constexpr bool looks_through = std::is_member_pointer_v<Predicate>;
    Predicate predicate;
    Outcome outcome;

    template <class T>
        requires(!std::same_as<T, std::exception_ptr> && std::invocable<const Predicate&, const T&>)
    constexpr std::optional<Outcome> operator()(const T& value) const {
        static_assert(std::predicate<const Predicate&, const T&>,
                      "the predicate of on_value() must return bool");
        return std::invoke(predicate, value) ? std::optional{outcome} : std::nullopt;
    }
};

template <class Projection>
struct FailureCodes {
    static constexpr bool judges_values = true;
    static constexpr bool looks_through = std::is_member_pointer_v<Projection>;
    std::vector<std::string> codes;
    Projection projection;

    template <class T>
        requires Projects<Projection, T, std::string_view>
    std::optional<Outcome> operator()(const T& value) const {
        static_assert(
            std::convertible_to<std::invoke_result_t<const Projection&, const T&>, std::string_view>,
            "the projection of failure_codes() must give a string");
        const auto& code = std::invoke(projection, value); // by value it lives as long as the view
        return std::find(codes.begin(), codes.end(), std::string_view{code}) == codes.end()
                   ? std::nullopt
                   : std::optional{Outcome::failure};
    }
};

template <class Projection>
struct HttpStatus {
    static constexpr bool judges_values = true;
    static constexpr bool looks_through = std::is_member_pointer_v<Projection>;
    std::vector<int> failures;
    Projection projection;

    template <class T>
        requires Projects<Projection, T, int>
    std::optional<Outcome> operator()(const T& value) const {
        static_assert(std::convertible_to<std::invoke_result_t<const Projection&, const T&>, int>,
                      "the projection of http_status() must give an int");
        const int status = std::invoke(projection, value);
        const bool is_answer = status >= 100 && status <= 499;
        const bool is_listed = std::find(failures.begin(), failures.end(), status) != failures.end();
        return is_answer && !is_listed ? Outcome::success : Outcome::failure;
    }
};

} // namespace detail

/// Makes a rule: exceptions of type E, and of types derived from E, have this outcome.
template <class E>
[[nodiscard]] constexpr auto on_exception(Outcome outcome) {
    return Classifier{detail::OnException<E>{outcome}};
}

/// Makes a rule: values for which the predicate returns true have this outcome.
template <class Predicate>
[[nodiscard]] constexpr auto on_value(Predicate predicate, Outcome outcome) {
    return Classifier{detail::OnValue<Predicate>{std::move(predicate), outcome}};
}

/// Makes a rule: values whose code, as `projection` returns it, is in the list are failures.
template <class Projection = std::identity>
[[nodiscard]] auto failure_codes(std::initializer_list<std::string_view> codes,
                                 Projection projection = {}) {
    return Classifier{detail::FailureCodes<Projection>{
        std::vector<std::string>(codes.begin(), codes.end()), std::move(projection)}};
}

/// Makes a rule for the HTTP status that `projection` returns. All statuses that are not listed here
/// are successes, because the target answered: 4xx is the caller's fault. These are failures:
/// - 5xx;
/// - the listed statuses, for example 429;
/// - numbers that are no status, for example the 0 or -1 of a client that received no answer.
template <class Projection = std::identity>
[[nodiscard]] auto http_status(Projection projection = {},
                               std::initializer_list<int> also_failures = {}) {
    return Classifier{
        detail::HttpStatus<Projection>{std::vector<int>(also_failures), std::move(projection)}};
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
