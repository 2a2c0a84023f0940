// SPDX-License-Identifier: MIT
// Includes every header of the library where others have defined their macros, and uses what is in
// them.
#include "other_headers.hpp"
#include "words.hpp"

#include "all_headers.hpp"

using namespace std::chrono_literals;

namespace {

template <class Policy>
bool opens_and_closes(Policy policy) {
    dashpot::testing::ManualClock clock;
    dashpot::CircuitBreaker<dashpot::testing::ManualClock, Policy> breaker{policy, {}, clock};
    for (int i = 0; i != 1000 && breaker.state() != dashpot::State::open; ++i) breaker.record_failure();
    if (breaker.state() != dashpot::State::open || breaker.allow()) return false;
    clock.advance(breaker.retry_after());
    return breaker.try_acquire().success() && breaker.state() == dashpot::State::closed;
}

bool registry_works() {
    dashpot::Registry<> targets;
    std::ostringstream seen;
    const auto subscription =
        targets.on_transition([&](std::string_view name, const dashpot::Transition& change) {
            seen << name << to_string(change.to);
        });
    targets.configure_prefix("CLAIM", {.max_concurrent = 2});
    const auto target = targets.get("CORE");
    const bool is_shown = !dashpot::to_prometheus_text(dashpot::GuardMetrics{targets}).empty();
    target->breaker().trip();
    const auto result = target->call([] { return 1; });
    return is_shown && !result && result.error().reason == dashpot::Error::circuit_open &&
           targets.find("CORE") && targets.remove("CORE") && targets.size() == 0;
}

} // namespace

int main() {
    const bool works = opens_and_closes(dashpot::ConsecutiveFailures{}) &&
                       opens_and_closes(dashpot::CountWindow{}) &&
                       opens_and_closes(dashpot::TimeWindow{}) && registry_works();
    return works ? 0 : 1;
}
