// SPDX-License-Identifier: MIT
// Built with compiler flags that change how doubles are calculated: what is decided must not change.
#include <dashpot/policy/backoff.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace {

using namespace std::chrono_literals;
using dashpot::CountWindow;
using dashpot::ExponentialBackoff;
using dashpot::SlowCalls;
using dashpot::TimeWindow;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::exit(1);
}

/// As a caller passes it: the compiler does not know the value.
double unknown(double value) {
    volatile double hidden = value;
    return hidden;
}

bool opens(std::uint32_t failed, std::uint32_t of, double rate) {
    CountWindow::Tally tally{CountWindow{.size = of, .minimum_calls = of, .failure_rate = rate}};
    bool is_open = false;
    for (std::uint32_t i = 0; i != of; ++i) is_open = tally.record({.failed = i < failed}).has_value();
    return is_open;
}

bool drags(std::uint32_t slow, std::uint32_t of, double rate) {
    TimeWindow::Tally tally{
        TimeWindow{.minimum_calls = of, .slow_calls = SlowCalls{.longer_than = 0ns, .rate = rate}}};
    bool is_open = false;
    for (std::uint32_t i = 0; i != of; ++i) is_open = tally.record({.slow = i < slow}).has_value();
    return is_open;
}

void rates_are_exact() {
    for (std::uint32_t percent = 1; percent <= 100; ++percent) {
        const double rate = unknown(dashpot::detail::ratio(percent, 100));
        expect(opens(percent, 100, rate) && !opens(percent - 1, 100, rate), "opens at the rate");
        expect(drags(percent, 100, rate) && !drags(percent - 1, 100, rate), "drags at the rate");
    }
    expect(opens(1, 5, unknown(0.2)) && opens(3, 10, unknown(0.3)), "1 of 5 and 3 of 10 open");
    const CountWindow::Tally tally = [] {
        CountWindow::Tally some{CountWindow{.size = 3, .minimum_calls = 1}};
        (void)some.record({.failed = true});
        (void)some.record({});
        (void)some.record({});
        return some;
    }();
    const double third = *tally.counts({}).failure_rate;
    expect(third == unknown(0.33333333333333331), "the rate shown is a double");
}

template <class P>
bool is_refused(const P& policy) {
    try {
        policy.validate();
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

void what_is_no_number_is_refused() {
    for (const double bad : {unknown(std::numeric_limits<double>::quiet_NaN()),
                             unknown(-std::numeric_limits<double>::quiet_NaN()),
                             unknown(std::numeric_limits<double>::infinity()), unknown(-0.5)}) {
        expect(is_refused(CountWindow{.failure_rate = bad}), "CountWindow::failure_rate");
        expect(is_refused(TimeWindow{.failure_rate = bad}), "TimeWindow::failure_rate");
        expect(is_refused(SlowCalls{.longer_than = 0ns, .rate = bad}), "SlowCalls::rate");
        expect(is_refused(dashpot::Backoff{ExponentialBackoff{.factor = bad}}), "factor");
        expect(is_refused(dashpot::Backoff{ExponentialBackoff{.jitter = bad}}), "jitter");
        // Not validated: a wait nevertheless, and no conversion of what no integer can hold.
        const dashpot::Backoff worst{ExponentialBackoff{.factor = bad, .cap = 1h, .jitter = bad}};
        expect(worst.delay(5) == 1h, "the cap");
    }
}

void waits_are_the_same_everywhere() {
    const dashpot::Backoff slow{ExponentialBackoff{.initial = 1s, .factor = unknown(1.1), .cap = 100h}};
    expect(slow.delay(100) == 13780612339822ns, "1 s * 1.1 ^ 100");
    const dashpot::Backoff jittery{ExponentialBackoff{
        .initial = 123456789ns, .factor = unknown(1.3), .cap = 1000h, .jitter = unknown(0.3)}};
    expect(jittery.delay(60, 0xDEADBEEFCAFEF00D) == 626309500266016ns, "a wait with jitter");
    const dashpot::Backoff steep{ExponentialBackoff{
        .initial = 1ns, .factor = 1e9, .cap = std::chrono::hours::max(), .jitter = 1.0}};
    expect(steep.delay(1'000'000, 0) == std::chrono::nanoseconds::max(), "the longest wait");
    expect(steep.delay(1'000'000, ~std::uint64_t{0}) > 0ns, "what jitter leaves of it");
}

} // namespace

int main() {
    rates_are_exact();
    what_is_no_number_is_refused();
    waits_are_the_same_everywhere();
    std::puts("ok");
}
