// SPDX-License-Identifier: MIT
#include "compartment.hpp"

#include "codes.hpp"
#include "envelope.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <limits>
#include <string_view>
#include <utility>

namespace relay_hub {
namespace {

using namespace std::chrono_literals;

dashpot::TargetOptions<dashpot::ConsecutiveFailures> guard_options(const TargetSettings& settings) {
    dashpot::TargetOptions<dashpot::ConsecutiveFailures> result;
    result.policy.threshold = settings.fail_threshold;
    result.breaker.reset_timeout = settings.reset_timeout;
    // A probe is a call and ends within the call timeout. With the default, the reset timeout, a
    // short one would send a second probe after a first that is merely slow.
    result.breaker.half_open.probe_timeout = settings.call_timeout + 1s;
    result.max_concurrent = settings.max_inflight;
    return result;
}

std::shared_ptr<Guards> make_guards(Registry& registry, const TargetOptions& options) {
    registry.configure(options.name, guard_options(options.settings));
    return registry.get(options.name);
}

Reply to_reply(CallResult&& result, std::string_view target) {
    switch (result.end) {
    case CallResult::End::timed_out: return own_reply(code::no_answer, target, result.detail);
    case CallResult::End::broken: return own_reply(code::broken, target, result.detail);
    case CallResult::End::answered: break;
    }
    if (result.status >= 500 && result.status <= 599)
        return own_reply(code::target_error, target,
                         "the target answered " + std::to_string(result.status));
    if (result.status < 200 || result.status > 499)
        return own_reply(code::broken, target,
                         "the target answered with HTTP status " + std::to_string(result.status));
    Field answered = read_field(result.body, "code");
    if (!answered.value)
        return own_reply(code::broken, target, "the target's answer: " + answered.problem);
    return {std::move(*answered.value), result.status, std::move(result.body)};
}

} // namespace

Compartment::Compartment(Registry& registry, const TargetOptions& options)
    : options_{options}, address_{look_up(options.url)}, guards_{make_guards(registry, options)} {}

void Compartment::remove_protection() {
    guards_->breaker().disable();
    guards_->bulkhead().resize(std::numeric_limits<std::uint32_t>::max());
}

Reply Compartment::relay(const std::string& body) {
    Guards::Entry entry = guards_->try_enter();
    Reply reply = entry ? call_target(body) : refuse(entry.refusal());
    if (entry) {
        const dashpot::Outcome outcome = classify(reply.code);
        // Counted first: recording may change the state, and who then asks sees the numbers of it.
        ++calls_;
        if (outcome == dashpot::Outcome::failure) ++failures_;
        entry.record(outcome);
    }
    answers_.add(reply.code);
    return reply;
}

Reply Compartment::call_target(const std::string& body) const {
    return to_reply(post_tx(address_, body, options_.settings.call_timeout), options_.name);
}

Reply Compartment::refuse(const dashpot::Refusal& refusal) {
    switch (refusal.reason) {
    case dashpot::Error::bulkhead_full:
        ++refused_full_;
        return own_reply(code::full, options_.name, "as many calls in flight as it may have");
    case dashpot::Error::probes_in_flight:
        ++refused_probing_;
        return circuit_open_reply(options_.name, "the circuit is being probed", refusal.retry_after);
    default:
        ++refused_open_;
        return circuit_open_reply(options_.name, "the circuit is open", refusal.retry_after);
    }
}

nlohmann::json Compartment::report() const {
    const auto snapshot = guards_->breaker().snapshot();
    const auto seconds = [](std::chrono::nanoseconds time) {
        return std::chrono::duration<double>{time}.count();
    };
    return {
        {"url", to_url(options_.url)},
        {"state", dashpot::to_string(snapshot.state)},
        {"generation", snapshot.generation},
        {"retry_after_ms", std::chrono::ceil<std::chrono::milliseconds>(snapshot.retry_after).count()},
        {"in_flight", guards_->bulkhead().in_flight()},
        {"max_inflight", guards_->bulkhead().max_concurrent()},
        {"fail_threshold", options_.settings.fail_threshold},
        {"reset_timeout", seconds(options_.settings.reset_timeout)},
        {"call_timeout", seconds(options_.settings.call_timeout)},
        {"calls", calls_.load()},
        {"failures", failures_.load()},
        {"refused",
         {{"circuit_open", refused_open_.load()},
          {"probes_in_flight", refused_probing_.load()},
          {"bulkhead_full", refused_full_.load()}}},
        {"answers", answers_.counts()}};
}

} // namespace relay_hub
