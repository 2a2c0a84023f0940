// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_FIELD_CASES_FORMS_HPP
#define DASHPOT_TESTS_FIELD_CASES_FORMS_HPP

// The ways to make one call through a breaker. What users of other libraries ran into in one of them
// must not happen in any. Each form has a `breaker`, a `clock`, and take(), which asks to make one
// call; Calls, which cannot hold one back, has succeed(), fail() and ignore() only.

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/target.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace field {

using namespace dashpot;
using namespace std::chrono_literals;

using testing::ManualClock;
using Breaker = CircuitBreaker<ManualClock>;
using Entrance = Target<ManualClock>;

inline constexpr Instant start{1000s};

/// The target's own trouble.
struct Trouble {};

/// Ten seconds open, so many probes, all of which must succeed.
constexpr BreakerOptions with_probes(std::uint32_t probes) {
    return {.reset_timeout = 10s, .half_open = {.probes = probes}};
}

/// allow() and record_*().
struct TwoStep {
    explicit TwoStep(BreakerOptions options = {}, ConsecutiveFailures policy = {3})
        : breaker{policy, options, clock} {}

    class Ticket {
      public:
        explicit Ticket(Breaker& breaker) : breaker_{breaker}, is_granted_{breaker.allow()} {}
        explicit operator bool() const { return is_granted_; }
        void success() { breaker_.record_success(); }
        void failure() { breaker_.record_failure(); }
        void ignore() { breaker_.record_ignored(); }

      private:
        Breaker& breaker_;
        bool is_granted_;
    };
    Ticket take() { return Ticket{breaker}; }

    ManualClock clock{start};
    Breaker breaker;
};

/// CircuitBreaker::Permit.
struct Permits {
    explicit Permits(BreakerOptions options = {}, ConsecutiveFailures policy = {3})
        : breaker{policy, options, clock} {}
    Breaker::Permit take() { return breaker.try_acquire(); }

    ManualClock clock{start};
    Breaker breaker;
};

/// Target::Entry.
struct Entries {
    explicit Entries(BreakerOptions options = {}, ConsecutiveFailures policy = {3})
        : target{"CORE", {.policy = policy, .breaker = options, .max_concurrent = 100}, clock},
          breaker{target.breaker()} {}
    Entrance::Entry take() { return target.try_enter(); }

    ManualClock clock{start};
    Entrance target;
    Breaker& breaker;
};

/// CircuitBreaker::call().
struct Calls {
    explicit Calls(BreakerOptions options = {}, ConsecutiveFailures policy = {3})
        : breaker{policy, options, clock} {}

    ManualClock clock{start};
    Breaker breaker;
};

/// Asks to make one call and answers it. Each returns whether it was let in.
template <class Form>
bool succeed(Form& form) {
    auto call = form.take();
    if (!call) return false;
    call.success();
    return true;
}
template <class Form>
bool fail(Form& form) {
    auto call = form.take();
    if (!call) return false;
    call.failure();
    return true;
}
template <class Form>
bool ignore(Form& form) {
    auto call = form.take();
    if (!call) return false;
    call.ignore();
    return true;
}
inline bool succeed(Calls& form) {
    return form.breaker.call([] { return 42; }).has_value();
}
inline bool fail(Calls& form) {
    try {
        return form.breaker.call([] { throw Trouble{}; }).has_value();
    } catch (const Trouble&) {
        return true;
    }
}
inline bool ignore(Calls& form) {
    return form.breaker.call([] { return 42; }, [](int) { return Outcome::ignored; }).has_value();
}

/// So many failures, as a policy of that threshold takes them to open.
template <class Form>
bool open(Form& form, int failures = 3) {
    bool were_let_in = true;
    for (int i = 0; i != failures; ++i) were_let_in = fail(form) && were_let_in;
    return were_let_in && form.breaker.state() == State::open;
}

/// Opens, and waits until a probe is due.
template <class Form>
bool open_and_wait(Form& form, int failures = 3) {
    const bool is_open = open(form, failures);
    form.clock.advance(10s);
    return is_open;
}

} // namespace field

#endif
