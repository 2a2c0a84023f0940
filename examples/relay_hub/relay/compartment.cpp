// SPDX-License-Identifier: MIT
#include "compartment.hpp"

#include "../../common/utc_time.hpp"
#include "../settings/guard_config.hpp"
#include "answer.hpp"
#include "ascii.hpp"
#include "codes.hpp"

#include "../../common/standard_streams.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace relay_hub {
namespace {

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

/// A longer wait than any retry takes upon itself: there is none.
constexpr dashpot::Nanoseconds never_again = std::chrono::nanoseconds::max();

/// The wait that the target asks for, if it says so in seconds.
std::optional<dashpot::Nanoseconds> wait_asked_for(const std::string& retry_after) {
    if (retry_after.empty() || !std::ranges::all_of(retry_after, is_digit)) return std::nullopt;
    return dashpot::Nanoseconds{std::chrono::seconds{std::stoll(retry_after)}};
}

nlohmann::json retry_report(const dashpot::RetryStats& stats) {
    nlohmann::json gave_up;
    for (const auto reason : {dashpot::GaveUp::attempts, dashpot::GaveUp::deadline,
                              dashpot::GaveUp::budget, dashpot::GaveUp::retry_after})
        gave_up[std::string{dashpot::to_string(reason)}] = stats.gave_up(reason);
    return {{"attempts", stats.attempts()}, {"retries", stats.retries()}, {"given_up", gave_up}};
}

} // namespace

/// What a call keeps of the config that it began with.
struct Compartment::Plan {
    dashpot::Retry retry;
    bool is_idempotent = false;
    std::optional<FallbackAnswer> fallback;
};

/// How an attempt ended, for the caller and for the guards.
struct Compartment::Answered {
    Reply reply;
    dashpot::Verdict verdict{dashpot::Outcome::success};

    struct Judge {
        dashpot::Verdict operator()(const Answered& answered) const noexcept {
            return answered.verdict;
        }
        /// The hub's own trouble says nothing of the target.
        dashpot::Verdict operator()(const std::exception_ptr&) const noexcept {
            return {dashpot::Outcome::ignored};
        }
    };
};

/// The configured answer in place of a refusal or a failure, if there is one.
class Compartment::AnswerInstead {
  public:
    AnswerInstead(Compartment& compartment, const Plan& plan) noexcept
        : compartment_{&compartment}, plan_{&plan} {}

    dashpot::Result<Answered> operator()(const dashpot::Refusal& refusal) const {
        if (!plan_->fallback) return dashpot::Refused{refusal};
        compartment_->count(refusal);
        return answer();
    }
    dashpot::Result<Answered> operator()(const Answered& failed) const {
        if (!plan_->fallback) return failed;
        return answer();
    }

  private:
    [[nodiscard]] Answered answer() const {
        compartment_->gate_.stats().count_fallback();
        return {{plan_->fallback->code, plan_->fallback->status, plan_->fallback->body}};
    }

    Compartment* compartment_;
    const Plan* plan_;
};

Compartment::Compartment(Registry& registry, const TargetOptions& options, bool is_protected)
    : name_{options.name}, client_{options.url, options.settings.most_in_flight()},
      gate_{registry, options, is_protected}, settings_{options.settings},
      plan_{prepare(options.settings).plan},
      opening_subscription_{gate_.guards().breaker().on_transition(
          [this](const dashpot::Transition& transition) { last_opening_.note(transition); })} {}

Compartment::Prepared Compartment::prepare(const TargetSettings& settings) {
    const bool is_idempotent = settings.retry && settings.retry->is_idempotent;
    return {settings,
            std::make_shared<const Plan>(Plan{gate_.retry(settings), is_idempotent, settings.fallback}),
            gate_.prepare(settings)};
}

void Compartment::reconfigure(Prepared prepared) noexcept {
    static_assert(std::is_nothrow_move_assignable_v<TargetSettings>);
    gate_.reconfigure(std::move(prepared.gate));
    settings_ = std::move(prepared.settings);
    {
        const std::lock_guard lock{plan_mutex_};
        plan_.swap(prepared.plan);
    }
    client_.set_max_connections(settings_.most_in_flight());
}

void Compartment::obey(Command command) {
    auto& breaker = gate_.guards().breaker();
    switch (command) {
    case Command::force_open: return breaker.force_open();
    case Command::disable: return breaker.disable();
    case Command::metrics_only: return breaker.metrics_only();
    case Command::reset: return breaker.reset();
    }
}

std::shared_ptr<const Compartment::Plan> Compartment::plan() const {
    const std::lock_guard lock{plan_mutex_};
    return plan_;
}

Reply Compartment::relay(const std::string& body, std::optional<std::chrono::milliseconds> patience) {
    dashpot::CallOptions options;
    if (patience) options.timeout = *patience;
    const std::shared_ptr<const Plan> plan = this->plan();
    CallTime time;
    Reply reply;
    try {
        auto answered = gate_.call(
            options, time, plan->retry,
            [&](const dashpot::Attempt& attempt) {
                return call_target(body, time, attempt, plan->is_idempotent);
            },
            Answered::Judge{}, AnswerInstead{*this, *plan});
        reply = answered ? std::move(answered->reply) : refuse(answered.error());
    } catch (const std::exception& error) {
        example::say("relay_hub", error.what());
        reply = own_reply(code::hub_failed, name_, "the hub failed");
        ++calls_;
    }
    example::compare_clocks(); // here and below: a history may show what has just happened
    answers_.add(reply.code);
    return reply;
}

Compartment::Answered Compartment::call_target(const std::string& body, CallTime& time,
                                               const dashpot::Attempt& attempt, bool is_idempotent) {
    using dashpot::Outcome;
    example::compare_clocks();
    const auto left = attempt.remaining();
    const auto timeout = std::min(time.timeout, left);
    std::optional<std::chrono::milliseconds> told;
    if (!attempt.deadline.is_never()) told = std::chrono::ceil<std::chrono::milliseconds>(timeout);
    CallResult result = post(body, timeout, told);
    time.took = result.took;
    const bool is_safe = is_idempotent || result.is_unsent;
    // A caller that is in a greater hurry than the config says nothing of the target. The target may
    // have noticed first that the time is over, if the hub was slow to look.
    const bool is_late = result.end == CallResult::End::timed_out || result.status == 504;
    const bool is_hurry = is_late && left < time.timeout && attempt.remaining().count() == 0;
    Answered answered{to_reply(std::move(result), name_)};
    answered.verdict.outcome = is_hurry ? Outcome::ignored : classify(answered.reply.code);
    const bool has_failed = answered.verdict.outcome == Outcome::failure;
    if (has_failed)
        answered.verdict.retry_after =
            is_safe ? wait_asked_for(answered.reply.retry_after) : std::optional{never_again};
    // Counted first: recording may change the state, and who then asks sees the numbers of it.
    ++calls_;
    if (has_failed) ++failures_;
    activity_.add(has_failed ? Activity::End::failure : Activity::End::success);
    if (traffic_ != nullptr) traffic_->record(name_, answered.verdict.outcome, time.took, in_flight());
    return answered;
}

CallResult Compartment::post(const std::string& body, std::chrono::nanoseconds timeout,
                             std::optional<std::chrono::milliseconds> told) {
    try {
        return client_.post_tx(body, timeout, told);
    } catch (...) { // the hub's own trouble says nothing of the target
        if (traffic_ != nullptr) traffic_->record(name_, dashpot::Outcome::ignored, {}, in_flight());
        throw;
    }
}

std::uint64_t Compartment::in_flight() const { return gate_.guards().bulkhead().in_flight(); }

void Compartment::count(const dashpot::Refusal& refusal) {
    activity_.add(Activity::End::refused);
    if (traffic_ != nullptr) traffic_->record_refused(name_, in_flight());
    ++refused_.at(static_cast<std::size_t>(refusal.reason));
}

Reply Compartment::refuse(const dashpot::Refusal& refusal) {
    count(refusal);
    switch (refusal.reason) {
    case dashpot::Error::bulkhead_full:
    case dashpot::Error::limit_reached:
        return own_reply(code::full, name_, "as many calls in flight as it may have");
    case dashpot::Error::queue_full:
        return own_reply(code::full, name_, "as many calls in flight and waiting as it may have");
    case dashpot::Error::queue_timeout:
        return own_reply(code::full, name_, "waited as long as a call may, and none in flight ended");
    case dashpot::Error::rate_limited:
        return try_later_reply(code::rate_limited, name_, "as many calls as may begin",
                               refusal.retry_after);
    case dashpot::Error::deadline_exceeded:
        return own_reply(code::no_answer, name_, "the time of X-Timeout-Ms was over before the call");
    case dashpot::Error::probes_in_flight:
        return try_later_reply(code::circuit_open, name_, "the circuit is being probed",
                               refusal.retry_after);
    default:
        return try_later_reply(code::circuit_open, name_, "the circuit is open", refusal.retry_after);
    }
}

nlohmann::json Compartment::refusals() const {
    using dashpot::Error;
    nlohmann::json result;
    const auto show = [&](Error reason, bool is_possible) {
        const std::uint64_t count = refused_.at(static_cast<std::size_t>(reason));
        if (is_possible || count > 0) result[std::string{dashpot::to_string(reason)}] = count;
    };
    show(Error::circuit_open, true);
    show(Error::probes_in_flight, true);
    show(Error::bulkhead_full, true);
    show(Error::queue_full, settings_.queue.has_value());
    show(Error::queue_timeout, settings_.queue.has_value());
    show(Error::limit_reached, settings_.adaptive.is_limited());
    show(Error::rate_limited, settings_.rate_limit.has_value());
    show(Error::deadline_exceeded, false);
    return result;
}

nlohmann::json Compartment::report() const {
    const dashpot::Snapshot snapshot = gate_.guards().breaker().snapshot();
    const dashpot::Bulkhead& bulkhead = gate_.guards().bulkhead();
    const bool is_learned = settings_.adaptive.is_limited();
    nlohmann::json result{
        {"url", to_url(client_.endpoint())},
        {"state", dashpot::to_string(snapshot.state)},
        {"since", example::to_utc(snapshot.since)},
        {"opened_at",
         snapshot.opened_at ? nlohmann::json(example::to_utc(*snapshot.opened_at)) : nullptr},
        {"last_opening", last_opening_.report()},
        {"generation", snapshot.generation},
        {"retry_after_ms", retry_after_ms(snapshot)},
        {"judged", judged_numbers(snapshot)},
        {"probes_in_flight", snapshot.probes_in_flight},
        {"in_flight", bulkhead.in_flight()},
        {"policy", to_config(settings_.policy)},
        {"reset_timeout", to_config(settings_.reset_timeout)},
        {"half_open", to_config(effective_half_open(settings_))},
        {"max_inflight", is_learned ? gate_.learned_limit() : bulkhead.max_concurrent()},
        {"call_timeout", in_seconds(settings_.call_timeout)},
        {"history", settings_.history},
        {"calls", calls_.load()},
        {"failures", failures_.load()},
        {"refused", refusals()},
        {"answers", answers_.counts()},
        {"recent", activity_.report()},
        {"transitions", history_.report()}};
    if (const auto* run = std::get_if<dashpot::ConsecutiveFailures>(&settings_.policy.rule))
        result["fail_threshold"] = run->threshold;
    if (settings_.queue) {
        result["queue"] = to_config(*settings_.queue);
        result["waiting"] = gate_.waiting();
    }
    if (is_learned) result["adaptive"] = to_config(settings_.adaptive);
    if (settings_.rate_limit) {
        result["rate_limit"] = to_config(*settings_.rate_limit);
        result["permits_available"] = gate_.permits_available();
    }
    if (settings_.retry) {
        result["retry"] = to_config(*settings_.retry);
        result["retries"] = retry_report(gate_.stats());
        if (settings_.retry->budget) result["retry_budget"] = gate_.budget().balance();
    }
    if (settings_.fallback) {
        result["fallback"] = to_config(*settings_.fallback);
        result["fallbacks"] = gate_.stats().fallbacks();
    }
    return result;
}

std::string Compartment::history() const {
    // Written piece by piece: as one document, thousands of events would take many times the memory.
    std::string text = "{\"events\":[";
    const char* separator = "\n";
    for (const dashpot::BreakerEvent& event : gate_.guards().breaker().history()) {
        text += separator + event_report(event).dump();
        separator = ",\n";
    }
    return text + "]}\n";
}

std::optional<nlohmann::ordered_json> Compartment::degradation() const {
    const dashpot::Snapshot snapshot = gate_.guards().breaker().snapshot();
    if (lets_a_call_in(snapshot, effective_half_open(settings_).probes)) return std::nullopt;
    nlohmann::ordered_json result;
    result["state"] = dashpot::to_string(snapshot.state);
    result["since"] = example::to_utc(snapshot.since);
    result["retry_after_ms"] = retry_after_ms(snapshot);
    return result;
}

} // namespace relay_hub
