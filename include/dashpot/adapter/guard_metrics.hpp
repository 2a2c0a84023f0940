// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_GUARD_METRICS_HPP
#define DASHPOT_ADAPTER_GUARD_METRICS_HPP

#include <dashpot/adapter/detail/limit_families.hpp>
#include <dashpot/adapter/detail/retry_families.hpp>
#include <dashpot/adapter/detail/shadow_families.hpp>
#include <dashpot/adapter/detail/utf8.hpp>
#include <dashpot/adapter/metric_family.hpp>
#include <dashpot/adapter/transition_counter.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/clock.hpp>
#include <dashpot/core/state.hpp>
#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/guard/bulkhead.hpp>
#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/queued_bulkhead.hpp>
#include <dashpot/guard/rate_limiter.hpp>
#include <dashpot/guard/retry_budget.hpp>
#include <dashpot/guard/snapshot.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/guard/throttler.hpp>
#include <dashpot/pipeline/retry_stats.hpp>
#include <dashpot/policy/detail/shadow_tally.hpp>
#include <dashpot/policy/failure_policy.hpp>
#include <dashpot/policy/limit_policy.hpp>
#include <dashpot/registry/registry.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// Is true if the metrics of a T have names of their own, so that add() takes no name.
template <class T>
inline constexpr bool has_names = false;
template <Clock C, FailurePolicy P>
inline constexpr bool has_names<Registry<C, P>> = true;
template <Clock C, FailurePolicy P>
inline constexpr bool has_names<Target<C, P>> = true;
template <>
inline constexpr bool has_names<TransitionCounter> = true;

} // namespace detail

/// A reading of guards, as metrics with the names that metrics systems use.
///
///     std::string page = to_prometheus_text(dashpot::GuardMetrics{targets, changes});
///
/// **Contract.** A guard is read when it is added.
/// - A name identifies one guard of each kind. If a guard is added under a used name, it
///   replaces the previous guard of the same kind.
/// - An unknown value has no sample, for example a rate below its minimum of calls.
/// - A byte of a name that is not UTF-8, and a control character, are shown as `\xNN`.
///
/// **Threads.** One thread at a time may use it; the guards may be in use. **Cost.** Each breaker
/// costs a snapshot(), and each target 16 samples or more. It allocates: use it for a scrape, not for
/// each call.
class GuardMetrics {
  public:
    GuardMetrics() = default;

    /// Adds each of `sources`: registries, targets and transition counters.
    template <class... Sources>
        requires(sizeof...(Sources) > 0 && (detail::has_names<Sources> && ...))
    explicit GuardMetrics(const Sources&... sources) {
        (add(sources), ...);
    }

    /// Adds every target of a registry.
    template <Clock C, FailurePolicy P>
    void add(const Registry<C, P>& registry) {
        has_breakers_ = true; // also for an empty registry
        registry.for_each([this](const Target<C, P>& target) { add(target); });
    }

    /// Adds a target's breaker and bulkhead, under the target's name.
    template <Clock C, FailurePolicy P>
    void add(const Target<C, P>& target) {
        add(target.name(), target.breaker());
        add(target.name(), target.bulkhead());
    }

    /// Adds a breaker that is in no registry.
    template <Clock C, FailurePolicy P>
    void add(std::string_view name, const CircuitBreaker<C, P>& breaker) {
        has_breakers_ = true;
        breakers_.insert_or_assign(detail::to_utf8(name), breaker.snapshot());
        if constexpr (detail::HasCandidates<P>) {
            shadows_.insert_or_assign(detail::to_utf8(name), detail::read_candidates(breaker));
        } else {
            shadows_.erase(detail::to_utf8(name));
        }
    }

    /// Adds a bulkhead that is in no registry.
    void add(std::string_view name, const Bulkhead& bulkhead) {
        bulkheads_.insert_or_assign(detail::to_utf8(name),
                                    detail::BulkheadReading{bulkhead.max_concurrent(),
                                                            bulkhead.available(), bulkhead.in_flight(),
                                                            bulkhead.refused()});
    }

    /// Adds a rate limiter.
    template <Clock C>
    void add(std::string_view name, const RateLimiter<C>& limiter) {
        rate_limiters_.insert_or_assign(detail::to_utf8(name), limiter.snapshot());
    }

    /// Adds a retry budget.
    void add(std::string_view name, const RetryBudget& budget) {
        retry_budgets_.insert_or_assign(detail::to_utf8(name), budget.snapshot());
    }

    /// Adds a bulkhead with a queue: the same metrics as of a bulkhead, and those of its queue.
    template <Clock C>
    void add(std::string_view name, const QueuedBulkhead<C>& bulkhead) {
        bulkheads_.insert_or_assign(
            detail::to_utf8(name),
            detail::BulkheadReading{bulkhead.max_concurrent(), bulkhead.available(),
                                    bulkhead.in_flight(), bulkhead.refused(),
                                    bulkhead.options().max_queued, bulkhead.queued()});
    }

    /// Adds an adaptive limiter.
    template <Clock C, LimitPolicy P>
    void add(std::string_view name, const AdaptiveLimiter<C, P>& limiter) {
        limiters_.insert_or_assign(
            detail::to_utf8(name),
            detail::LimiterReading{limiter.limit(), limiter.in_flight(), limiter.refused()});
    }

    /// Adds what the Retries and Fallbacks that share `stats` did, for example those of one target.
    void add(std::string_view name, const RetryStats& stats) {
        detail::RetryReading now{stats.attempts(), stats.retries(), stats.fallbacks(), {}};
        for (std::size_t i = 0; i != now.gave_up.size(); ++i)
            now.gave_up[i] = stats.gave_up(static_cast<GaveUp>(i));
        retries_.insert_or_assign(detail::to_utf8(name), now);
    }

    /// Adds a throttler.
    template <Clock C>
    void add(std::string_view name, const Throttler<C>& throttler) {
        throttlers_.insert_or_assign(detail::to_utf8(name), throttler.snapshot());
    }

    /// Adds the changes of state. The numbers of several counters are summed, so add each counter
    /// once.
    ///
    /// The usual four changes are shown for each breaker, with 0 before they happen: Prometheus does
    /// not see an increase if a series starts at 1. If a registry or a breaker is added, names without
    /// a breaker are not shown, because their targets have left.
    void add(const TransitionCounter& counter) {
        counter.for_each_kept(
            [this](std::string_view name, const TransitionCounts& counts, bool has_left) {
                Changes& changes = transitions_[detail::to_utf8(name)];
                changes.counts += counts;
                changes.is_present = changes.is_present || !has_left;
            });
        lost_transitions_ = lost_transitions_.value_or(0) + counter.lost();
    }

    /// Visits all metrics, family by family: `visitor.family(const MetricFamily&)`, then
    /// `visitor.sample(std::span<const MetricLabel>, double)` for each series of the family, by name.
    /// A family without a sample is left out. The arguments are valid during the call.
    template <class Visitor>
    void visit(Visitor&& visitor) const {
        const auto each_of = [&](const auto& readings) {
            return [&](const MetricFamily& about, auto show) {
                visit_family(visitor, readings, about, show);
            };
        };
        visit_breakers(visitor);
        detail::visit_shadows(each_of(shadows_));
        visit_transitions(visitor);
        detail::visit_bulkheads(each_of(bulkheads_));
        detail::visit_rate_limiters(each_of(rate_limiters_));
        detail::visit_throttlers(each_of(throttlers_));
        detail::visit_retry_budgets(each_of(retry_budgets_));
        detail::visit_adaptive_limiters(each_of(limiters_));
        detail::visit_retries(each_of(retries_));
    }

  private:
    struct Changes {
        TransitionCounts counts{};
        bool is_present = false;
    };

    /// The samples of one family. The first sample first passes the family to the visitor.
    template <class Visitor>
    class Series {
      public:
        Series(Visitor& visitor, const MetricFamily& family) : visitor_{visitor}, family_{family} {}

        template <class Number, std::same_as<MetricLabel>... Labels>
        void add(Number value, const Labels&... labels) {
            if (!is_announced_) visitor_.family(family_);
            is_announced_ = true;
            const std::array<MetricLabel, sizeof...(Labels)> all{labels...};
            visitor_.sample(std::span<const MetricLabel>{all}, static_cast<double>(value));
        }

        /// Adds a sample if there is a value.
        void add_known(const std::optional<double>& value, const MetricLabel& label) {
            if (value) add(*value, label);
        }

      private:
        Visitor& visitor_;
        const MetricFamily family_;
        bool is_announced_ = false;
    };

    struct NamedState {
        State state;
        std::string_view name;
    };
    static constexpr std::array<NamedState, detail::state_count> states{
        {{State::closed, "closed"},
         {State::open, "open"},
         {State::half_open, "half_open"},
         {State::disabled, "disabled"},
         {State::forced_open, "forced_open"},
         {State::metrics_only, "metrics_only"}}};

    /// Returns true for the changes that calls can cause without commands.
    [[nodiscard]] static constexpr bool is_usual(State from, State to) noexcept {
        return (from == State::closed && to == State::open) ||
               (from == State::open && to == State::half_open) ||
               (from == State::half_open && (to == State::open || to == State::closed));
    }

    /// Visits one family: calls `show(series, name label, reading)` for each of `readings`.
    template <class Visitor, class Readings, class Show>
    static void visit_family(Visitor& visitor, const Readings& readings, const MetricFamily& family,
                             Show show) {
        Series<Visitor> series{visitor, family};
        for (const auto& [name, reading] : readings) show(series, MetricLabel{"name", name}, reading);
    }

    template <class Visitor>
    void visit_breakers(Visitor& visitor) const;
    template <class Visitor>
    void visit_transitions(Visitor& visitor) const;

    // The keys are names in UTF-8, so that no series occurs twice.
    std::map<std::string, Snapshot> breakers_;
    std::map<std::string, detail::ShadowReading> shadows_;
    std::map<std::string, detail::BulkheadReading> bulkheads_;
    std::map<std::string, detail::RateCore::Snapshot> rate_limiters_;
    std::map<std::string, ThrottlerSnapshot> throttlers_;
    std::map<std::string, RetryBudget::Snapshot> retry_budgets_;
    std::map<std::string, detail::LimiterReading> limiters_;
    std::map<std::string, detail::RetryReading> retries_;
    std::map<std::string, Changes> transitions_;
    bool has_breakers_ = false;
    std::optional<std::uint64_t> lost_transitions_; // empty if there is no counter
};

template <class Visitor>
void GuardMetrics::visit_breakers(Visitor& visitor) const {
    using enum MetricFamily::Type;
    const auto family = [&](const MetricFamily& about, auto show) {
        visit_family(visitor, breakers_, about, show);
    };
    using Label = MetricLabel;

    family({"dashpot_circuit_breaker_state", gauge, "1 for the state that the circuit is in, else 0."},
           [](auto& series, Label name, const Snapshot& now) {
               for (const NamedState& each : states)
                   series.add(now.state == each.state ? 1 : 0, name, Label{"state", each.name});
           });
    family({"dashpot_circuit_breaker_calls_total", counter,
            "Calls whose answer counted, by how they ended."},
           [](auto& series, Label name, const Snapshot& now) {
               if (!now.totals) return;
               series.add(now.totals->successes, name, Label{"outcome", "success"});
               series.add(now.totals->failures, name, Label{"outcome", "failure"});
               series.add(now.ignored, name, Label{"outcome", "ignored"});
           });
    family({"dashpot_circuit_breaker_slow_calls_total", counter,
            "Calls that took longer than they may, whatever their outcome."},
           [](auto& series, Label name, const Snapshot& now) {
               if (now.totals) series.add(now.totals->slow, name);
           });
    family({"dashpot_circuit_breaker_not_permitted_total", counter,
            "Calls that the circuit breaker refused."},
           [](auto& series, Label name, const Snapshot& now) { series.add(now.refused, name); });
    family({"dashpot_circuit_breaker_failure_rate", gauge,
            "Failed calls per judged call, 0 to 1. Absent while not known."},
           [](auto& series, Label name, const Snapshot& now) {
               series.add_known(now.failure_rate, name);
           });
    family(
        {"dashpot_circuit_breaker_slow_call_rate", gauge,
         "Slow calls per judged call, 0 to 1. Absent while not known."},
        [](auto& series, Label name, const Snapshot& now) { series.add_known(now.slow_rate, name); });
    family({"dashpot_circuit_breaker_judged_calls", gauge,
            "Calls that the circuit is judged by now, by how they ended."},
           [](auto& series, Label name, const Snapshot& now) {
               series.add(now.calls - now.failures, name, Label{"outcome", "success"});
               series.add(now.failures, name, Label{"outcome", "failure"});
           });
    family(
        {"dashpot_circuit_breaker_probes_in_flight", gauge,
         "Calls under way that find out whether the target is well again."},
        [](auto& series, Label name, const Snapshot& now) { series.add(now.probes_in_flight, name); });
    family({"dashpot_circuit_breaker_retry_after_seconds", gauge,
            "Time until an open circuit lets a probe through, else 0.", "seconds"},
           [](auto& series, Label name, const Snapshot& now) {
               series.add(std::chrono::duration<double>{now.retry_after}.count(), name);
           });
    family(
        {"dashpot_circuit_breaker_would_have_opened_total", counter,
         "How often the circuit would have opened while it only measured."},
        [](auto& series, Label name, const Snapshot& now) { series.add(now.would_have_opened, name); });
}

template <class Visitor>
void GuardMetrics::visit_transitions(Visitor& visitor) const {
    if (!lost_transitions_) return;
    using enum MetricFamily::Type;
    std::map<std::string_view, TransitionCounts> all;
    for (const auto& [name, now] : breakers_) {
        if (const auto known = transitions_.find(name); known != transitions_.end()) {
            all.emplace(name, known->second.counts);
        } else if (*lost_transitions_ == 0 || now.generation <= 1) { // certainly 0
            all.try_emplace(name);
        }
    }
    if (!has_breakers_) {
        for (const auto& [name, changes] : transitions_)
            if (changes.is_present) all.emplace(name, changes.counts);
    }

    visit_family(
        visitor, all, {"dashpot_circuit_breaker_transitions_total", counter, "Changes of state."},
        [](auto& series, MetricLabel name, const TransitionCounts& counts) {
            for (const NamedState& from : states) {
                for (const NamedState& to : states) {
                    const std::uint64_t count = counts.at(from.state, to.state);
                    if (count == 0 && !is_usual(from.state, to.state)) continue;
                    series.add(count, name, MetricLabel{"from", from.name}, MetricLabel{"to", to.name});
                }
            }
        });
    Series<Visitor>{visitor,
                    {"dashpot_circuit_breaker_transitions_lost_total", counter,
                     "Changes of state that there was no room to count."}}
        .add(*lost_transitions_);
}

} // namespace dashpot::inline DASHPOT_ABI

#endif
