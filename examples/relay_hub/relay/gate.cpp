// SPDX-License-Identifier: MIT
#include "gate.hpp"

#include "../settings/guard_config.hpp"

#include <limits>
#include <string>
#include <type_traits>
#include <variant>

namespace relay_hub {
namespace {

// Without protection a target's breaker is disabled, and its limits are so large that they are none.
constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();
constexpr dashpot::RateLimit no_rate_limit{.permits = 1'000'000'000, .per = std::chrono::seconds{1}};

dashpot::TargetOptions<ConfiguredPolicy> guard_options(const TargetSettings& settings,
                                                       bool is_protected) {
    dashpot::TargetOptions<ConfiguredPolicy> result;
    result.policy = settings.policy;
    result.breaker.reset_timeout =
        std::visit([](const auto& wait) { return dashpot::Backoff{wait}; }, settings.reset_timeout);
    result.breaker.half_open = effective_half_open(settings);
    result.breaker.count_totals = true; // for GET /metrics
    result.breaker.history = settings.history;
    result.max_concurrent = is_protected ? settings.most_in_flight() : no_limit;
    return result;
}

std::shared_ptr<Guards> make_guards(Registry& registry, const TargetOptions& options,
                                    bool is_protected) {
    registry.configure(options.name, guard_options(options.settings, is_protected));
    auto guards = registry.get(options.name);
    if (!is_protected) guards->breaker().disable();
    return guards;
}

/// Without a queue of its own a target's calls are only counted in it: the bulkhead refuses.
dashpot::QueueOptions queue_options(const TargetSettings& settings, bool is_protected) {
    if (!settings.queue || !is_protected) return {.max_concurrent = no_limit, .max_queued = 0};
    return {.max_concurrent = settings.max_inflight,
            .max_queued = settings.queue->max_queued,
            .max_wait = settings.queue->max_wait};
}

ConfiguredLimit adaptive_limit(const TargetSettings& settings, bool is_protected) {
    return is_protected ? settings.adaptive : ConfiguredLimit{};
}

dashpot::RateLimit rate_limit(const TargetSettings& settings, bool is_protected) {
    return is_protected ? settings.rate_limit.value_or(no_rate_limit) : no_rate_limit;
}

/// All that hold a thread. Without a retry they are those in flight and in the queue, which have
/// limits.
std::uint32_t most_callers(const TargetSettings& settings, bool is_protected) {
    if (!settings.retry || !is_protected) return no_limit;
    return settings.most_in_flight() + settings.most_waiting();
}

dashpot::RetryBudgetOptions budget_options(const TargetSettings& settings) {
    const bool has_budget = settings.retry && settings.retry->budget;
    return has_budget ? *settings.retry->budget : dashpot::RetryBudgetOptions{};
}

std::optional<std::uint64_t> half_open_period(const Guards& guards) {
    const dashpot::Snapshot snapshot = guards.breaker().snapshot();
    if (snapshot.state != dashpot::State::half_open) return std::nullopt;
    return snapshot.generation;
}

} // namespace

Gate::Gate(Registry& registry, const TargetOptions& options, bool is_protected)
    : is_protected_{is_protected}, guards_{make_guards(registry, options, is_protected)},
      call_timeout_{options.settings.call_timeout},
      callers_{most_callers(options.settings, is_protected)}, budget_{budget_options(options.settings)},
      queue_{queue_options(options.settings, is_protected)},
      limiter_{adaptive_limit(options.settings, is_protected)},
      rate_limiter_{rate_limit(options.settings, is_protected)} {}

Gate::Prepared Gate::prepare(const TargetSettings& settings) const {
    Prepared result{guard_options(settings, is_protected_),
                    queue_options(settings, is_protected_),
                    adaptive_limit(settings, is_protected_),
                    rate_limit(settings, is_protected_),
                    budget_options(settings),
                    most_callers(settings, is_protected_),
                    settings.call_timeout};
    result.guards.validate();
    result.guards.policy = result.guards.policy.with_tally();
    result.queue.validate();
    result.adaptive.validate();
    result.rate_limit.validate();
    result.budget.validate();
    return result;
}

void Gate::reconfigure(Prepared prepared) noexcept {
    static_assert(std::is_nothrow_move_assignable_v<ConfiguredLimit>);
    call_timeout_.change(prepared.call_timeout, [&] {
        // These throw for bad options and for want of memory: both are past.
        guards_->reconfigure(std::move(prepared.guards));
        limiter_.reconfigure(prepared.adaptive);
        rate_limiter_.reconfigure(prepared.rate_limit);
        budget_.reconfigure(prepared.budget);
        callers_.resize(prepared.max_callers);
        return half_open_period(*guards_);
    });
    // Afterwards: it lets waiting calls in, which ask for the time-out.
    queue_.reconfigure(prepared.queue);
}

dashpot::Retry Gate::retry(const TargetSettings& settings) noexcept {
    if (!settings.retry) return {.max_attempts = 1, .stats = &stats_};
    return {.max_attempts = settings.retry->max_attempts,
            .wait = std::visit([](const auto& wait) { return dashpot::Backoff{wait}; },
                               settings.retry->wait),
            .budget = settings.retry->budget ? &budget_ : nullptr,
            .stats = &stats_};
}

Gate::OpenCircuit::Answer Gate::OpenCircuit::try_acquire() const {
    if (gate_.queue_.available() > 0) return {};
    Guards::Entry entry = gate_.guards_->try_enter();
    if (!entry && entry.refusal() != dashpot::Error::bulkhead_full) return Answer{entry.refusal()};
    entry.release(); // a slot may have become free just now, and is for calls that wait
    return {};
}

Guards::Entry Gate::enter(std::chrono::nanoseconds& timeout) {
    for (;;) {
        const std::uint64_t config = call_timeout_.version();
        Guards::Entry entry = guards_->try_enter();
        if (!entry) return entry;
        if (const auto found = call_timeout_.of(entry.generation(), config)) {
            timeout = *found;
            return entry;
        }
        entry.release(); // by which config it was let in, nobody knows
    }
}

void Gate::add_to(dashpot::GuardMetrics& metrics, const TargetSettings& settings) const {
    const std::string name{guards_->name()};
    if (is_protected_) {
        if (settings.queue) metrics.add(name, queue_); // in place of the bulkhead, which never waits
        if (settings.adaptive.is_limited()) metrics.add(name, limiter_);
        if (settings.rate_limit) metrics.add(name, rate_limiter_);
    }
    if (settings.retry || settings.fallback) metrics.add(name, stats_);
    if (settings.retry && settings.retry->budget) metrics.add(name, budget_);
}

} // namespace relay_hub
