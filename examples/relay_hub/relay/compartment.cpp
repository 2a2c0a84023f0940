// SPDX-License-Identifier: MIT
#include "compartment.hpp"

#include "../../common/utc_time.hpp"
#include "../settings/guard_config.hpp"
#include "answer.hpp"
#include "codes.hpp"

#include "../../common/standard_streams.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace relay_hub {
namespace {

// Without protection its breaker is disabled, and its bulkhead so large that it is none.
constexpr std::uint32_t no_limit = std::numeric_limits<std::uint32_t>::max();

dashpot::TargetOptions<ConfiguredPolicy> guard_options(const TargetSettings& settings,
                                                       bool is_protected) {
    dashpot::TargetOptions<ConfiguredPolicy> result;
    result.policy = settings.policy;
    result.breaker.reset_timeout =
        std::visit([](const auto& wait) { return dashpot::Backoff{wait}; }, settings.reset_timeout);
    result.breaker.half_open = effective_half_open(settings);
    result.breaker.count_totals = true; // for GET /metrics
    result.breaker.history = settings.history;
    result.max_concurrent = is_protected ? settings.max_inflight : no_limit;
    return result;
}

std::shared_ptr<Guards> make_guards(Registry& registry, const TargetOptions& options,
                                    bool is_protected) {
    registry.configure(options.name, guard_options(options.settings, is_protected));
    auto guards = registry.get(options.name);
    if (!is_protected) guards->breaker().disable();
    return guards;
}

std::optional<std::uint64_t> half_open_period(const Guards& guards) {
    const dashpot::Snapshot snapshot = guards.breaker().snapshot();
    if (snapshot.state != dashpot::State::half_open) return std::nullopt;
    return snapshot.generation;
}

/// When the circuit lets a call through. It cannot be known while probes are out, and depends on an
/// operator in FORCED_OPEN.
nlohmann::json retry_after_ms(const dashpot::Snapshot& snapshot) {
    using dashpot::State;
    if (snapshot.state == State::half_open || snapshot.state == State::forced_open) return nullptr;
    return in_milliseconds(snapshot.retry_after);
}

/// Returns true if the next call would be let in. Only a call moves a circuit on once its wait is over,
/// so a balancer that sends no calls to what is not ready must see such a circuit as ready.
bool lets_a_call_in(const dashpot::Snapshot& snapshot, std::uint32_t probes) {
    using dashpot::State;
    switch (snapshot.state) {
    case State::closed:
    case State::disabled:
    case State::metrics_only: return true;
    case State::open: return snapshot.retry_after.count() == 0;
    case State::half_open:
        // A period that began with more probes than are configured now has room whenever none is out.
        return snapshot.probes_in_flight == 0 || snapshot.calls + snapshot.probes_in_flight < probes;
    case State::forced_open: return false;
    }
    return false;
}

} // namespace

Compartment::Compartment(Registry& registry, const TargetOptions& options, bool is_protected)
    : name_{options.name}, client_{options.url, options.settings.max_inflight},
      is_protected_{is_protected}, guards_{make_guards(registry, options, is_protected)},
      settings_{options.settings}, call_timeout_{options.settings.call_timeout},
      opening_subscription_{guards_->breaker().on_transition(
          [this](const dashpot::Transition& transition) { last_opening_.note(transition); })} {}

Compartment::Prepared Compartment::prepare(const TargetSettings& settings) const {
    Prepared result{settings, guard_options(settings, is_protected_)};
    result.guards.validate();
    result.guards.policy = result.guards.policy.with_tally();
    return result;
}

void Compartment::reconfigure(Prepared prepared) noexcept {
    static_assert(std::is_nothrow_move_assignable_v<TargetSettings>);
    call_timeout_.change(prepared.settings.call_timeout, [&] {
        // It throws for bad options and for want of memory: both are past.
        guards_->reconfigure(std::move(prepared.guards));
        return half_open_period(*guards_);
    });
    settings_ = std::move(prepared.settings);
    client_.set_max_connections(settings_.max_inflight);
}

void Compartment::obey(Command command) {
    auto& breaker = guards_->breaker();
    switch (command) {
    case Command::force_open: return breaker.force_open();
    case Command::disable: return breaker.disable();
    case Command::metrics_only: return breaker.metrics_only();
    case Command::reset: return breaker.reset();
    }
}

Guards::Entry Compartment::enter(std::chrono::nanoseconds& timeout) {
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

Reply Compartment::relay(const std::string& body) {
    std::chrono::nanoseconds timeout{0};
    Guards::Entry entry = enter(timeout);
    example::compare_clocks(); // here and below: a history may show what has just happened
    Reply reply = entry ? call_target(std::move(entry), body, timeout) : refuse(entry.refusal());
    example::compare_clocks();
    answers_.add(reply.code);
    return reply;
}

Reply Compartment::call_target(Guards::Entry entry, const std::string& body,
                               std::chrono::nanoseconds timeout) {
    Reply reply;
    std::chrono::nanoseconds took{0};
    try {
        CallResult result = client_.post_tx(body, timeout);
        took = result.took;
        reply = to_reply(std::move(result), name_);
    } catch (const std::exception& error) {
        entry.ignore(); // the hub's own trouble says nothing of the target
        example::say("relay_hub", error.what());
        reply = own_reply(code::hub_failed, name_, "the hub failed");
        ++calls_;
        return reply;
    }
    const dashpot::Outcome outcome = classify(reply.code);
    const bool has_failed = outcome == dashpot::Outcome::failure;
    // Counted first: recording may change the state, and who then asks sees the numbers of it.
    ++calls_;
    if (has_failed) ++failures_;
    activity_.add(has_failed ? Activity::End::failure : Activity::End::success);
    entry.record(outcome, took);
    return reply;
}

Reply Compartment::refuse(const dashpot::Refusal& refusal) {
    activity_.add(Activity::End::refused);
    switch (refusal.reason) {
    case dashpot::Error::bulkhead_full:
        ++refused_full_;
        return own_reply(code::full, name_, "as many calls in flight as it may have");
    case dashpot::Error::probes_in_flight:
        ++refused_probing_;
        return circuit_open_reply(name_, "the circuit is being probed", refusal.retry_after);
    default:
        ++refused_open_;
        return circuit_open_reply(name_, "the circuit is open", refusal.retry_after);
    }
}

nlohmann::json Compartment::report() const {
    const dashpot::Snapshot snapshot = guards_->breaker().snapshot();
    nlohmann::json result{{"url", to_url(client_.endpoint())},
                          {"state", dashpot::to_string(snapshot.state)},
                          {"since", example::to_utc(snapshot.since)},
                          {"opened_at", snapshot.opened_at
                                            ? nlohmann::json(example::to_utc(*snapshot.opened_at))
                                            : nullptr},
                          {"last_opening", last_opening_.report()},
                          {"generation", snapshot.generation},
                          {"retry_after_ms", retry_after_ms(snapshot)},
                          {"judged", judged_numbers(snapshot)},
                          {"probes_in_flight", snapshot.probes_in_flight},
                          {"in_flight", guards_->bulkhead().in_flight()},
                          {"policy", to_config(settings_.policy)},
                          {"reset_timeout", to_config(settings_.reset_timeout)},
                          {"half_open", to_config(effective_half_open(settings_))},
                          {"max_inflight", guards_->bulkhead().max_concurrent()},
                          {"call_timeout", in_seconds(settings_.call_timeout)},
                          {"history", settings_.history},
                          {"calls", calls_.load()},
                          {"failures", failures_.load()},
                          {"refused",
                           {{"circuit_open", refused_open_.load()},
                            {"probes_in_flight", refused_probing_.load()},
                            {"bulkhead_full", refused_full_.load()}}},
                          {"answers", answers_.counts()},
                          {"recent", activity_.report()},
                          {"transitions", history_.report()}};
    if (const auto* run = std::get_if<dashpot::ConsecutiveFailures>(&settings_.policy.rule))
        result["fail_threshold"] = run->threshold;
    return result;
}

std::string Compartment::history() const {
    // Written piece by piece: as one document, thousands of events would take many times the memory.
    std::string text = "{\"events\":[";
    const char* separator = "\n";
    for (const dashpot::BreakerEvent& event : guards_->breaker().history()) {
        text += separator + event_report(event).dump();
        separator = ",\n";
    }
    return text + "]}\n";
}

std::optional<nlohmann::ordered_json> Compartment::degradation() const {
    const dashpot::Snapshot snapshot = guards_->breaker().snapshot();
    if (lets_a_call_in(snapshot, effective_half_open(settings_).probes)) return std::nullopt;
    nlohmann::ordered_json result;
    result["state"] = dashpot::to_string(snapshot.state);
    result["since"] = example::to_utc(snapshot.since);
    result["retry_after_ms"] = retry_after_ms(snapshot);
    return result;
}

} // namespace relay_hub
