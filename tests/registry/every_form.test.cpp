// SPDX-License-Identifier: MIT
// The same life of a breaker through each form in which a call can be made.
#include <dashpot/guard/target.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>

namespace tests::registry_every_form {

using namespace std::chrono_literals;
using dashpot::BreakerOptions;
using dashpot::Outcome;
using dashpot::State;
using dashpot::testing::ManualClock;
using support::Breaker;

namespace {

/// A target whose breaker is asked in whatever form; a bulkhead wide enough not to matter.
struct Subject {
    Subject(std::uint32_t threshold, const BreakerOptions& options)
        : target{"CORE", {.policy = {threshold}, .breaker = options, .max_concurrent = 1000}, clock} {}

    Breaker& breaker() { return target.breaker(); }

    ManualClock clock;
    dashpot::Target<ManualClock> target;
};

// Each makes one call with the given outcome, and tells whether it was let in.

struct AllowAndRecord {
    static bool call(Subject& subject, Outcome outcome) {
        if (!subject.breaker().allow()) return false;
        switch (outcome) {
        case Outcome::success: subject.breaker().record_success(); break;
        case Outcome::failure: subject.breaker().record_failure(); break;
        case Outcome::ignored: subject.breaker().record_ignored(); break;
        }
        return true;
    }
};

struct PermitAnswered {
    static bool call(Subject& subject, Outcome outcome) {
        auto permit = subject.breaker().try_acquire();
        if (!permit) return false;
        CHECK(permit.record(outcome));
        return true;
    }
};

/// Failure by unwinding, ignored by dropping.
struct PermitForgotten {
    static bool call(Subject& subject, Outcome outcome) {
        try {
            auto permit = subject.breaker().try_acquire();
            if (!permit) return false;
            if (outcome == Outcome::success) CHECK(permit.success());
            if (outcome == Outcome::failure) throw 42;
        } catch (int) {}
        return true;
    }
};

struct CallJudged {
    static bool call(Subject& subject, Outcome outcome) {
        return subject.breaker()
            .call([&] { return outcome; }, [](Outcome judged) { return judged; })
            .has_value();
    }
};

struct CallThrowing {
    static bool call(Subject& subject, Outcome outcome) {
        try {
            return subject.breaker()
                .call(
                    [&] {
                        if (outcome != Outcome::success) throw outcome;
                    },
                    [](std::exception_ptr thrown) {
                        try {
                            std::rethrow_exception(thrown);
                        } catch (Outcome judged) {
                            return judged;
                        }
                    })
                .has_value();
        } catch (Outcome) {
            return true;
        }
    }
};

struct EntryAnswered {
    static bool call(Subject& subject, Outcome outcome) {
        auto entry = subject.target.try_enter();
        if (!entry) return false;
        CHECK(entry.record(outcome));
        return true;
    }
};

struct EntryForgotten {
    static bool call(Subject& subject, Outcome outcome) {
        try {
            auto entry = subject.target.try_enter();
            if (!entry) return false;
            if (outcome == Outcome::success) CHECK(entry.success());
            if (outcome == Outcome::failure) throw 42;
        } catch (int) {}
        return true;
    }
};

struct TargetCall {
    static bool call(Subject& subject, Outcome outcome) {
        return subject.target.call([&] { return outcome; }, [](Outcome judged) { return judged; })
            .has_value();
    }
};

template <class Form>
bool succeeds(Subject& subject) {
    return Form::call(subject, Outcome::success);
}
template <class Form>
bool fails(Subject& subject) {
    return Form::call(subject, Outcome::failure);
}
template <class Form>
bool is_ignored(Subject& subject) {
    return Form::call(subject, Outcome::ignored);
}

} // namespace

#define EVERY_FORM                                                                                     \
    AllowAndRecord, PermitAnswered, PermitForgotten, CallJudged, CallThrowing, EntryAnswered,          \
        EntryForgotten, TargetCall

TEMPLATE_TEST_CASE("Every form: opens at the threshold, probes at the deadline, closes at the success",
                   "[registry]", EVERY_FORM) {
    Subject subject{3, {.reset_timeout = 10s}};
    dashpot::testing::TransitionRecorder heard;
    const auto subscription = subject.breaker().on_transition(std::ref(heard));
    CHECK(fails<TestType>(subject));
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::closed);
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::open);
    CHECK_FALSE(succeeds<TestType>(subject));
    subject.clock.advance(10s - 1ns);
    CHECK_FALSE(succeeds<TestType>(subject));
    subject.clock.advance(1ns);
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::open);
    subject.clock.advance(10s - 1ns);
    CHECK_FALSE(succeeds<TestType>(subject));
    subject.clock.advance(1ns);
    CHECK(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::closed);
    CHECK(heard.path() ==
          "CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED");
    CHECK(subject.breaker().snapshot().refused == 3);
    CHECK(subject.target.bulkhead().in_flight() == 0);
}

TEMPLATE_TEST_CASE("Every form: a success ends the run, an ignored call does not", "[registry]",
                   EVERY_FORM) {
    Subject subject{2, {}};
    for (int i = 0; i != 5; ++i) {
        CHECK(fails<TestType>(subject));
        CHECK(is_ignored<TestType>(subject));
        CHECK(succeeds<TestType>(subject));
    }
    CHECK(subject.breaker().state() == State::closed);
    CHECK(subject.breaker().snapshot().ignored == 5);
    CHECK(fails<TestType>(subject));
    CHECK(is_ignored<TestType>(subject));
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::open);
}

TEMPLATE_TEST_CASE("Every form: an ignored probe gives its slot back", "[registry]", EVERY_FORM) {
    Subject subject{1, {.reset_timeout = 10s}};
    subject.breaker().trip();
    subject.clock.advance(10s);
    for (int i = 0; i != 5; ++i) {
        CHECK(is_ignored<TestType>(subject));
        CHECK(subject.breaker().state() == State::half_open);
        CHECK(subject.breaker().snapshot().probes_in_flight == 0);
    }
    CHECK(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::closed);
}

TEMPLATE_TEST_CASE("Every form: two successes of three probes close, two failures open", "[registry]",
                   EVERY_FORM) {
    Subject subject{1, {.reset_timeout = 10s, .half_open = {.probes = 3, .successes_to_close = 2}}};
    subject.breaker().trip();
    subject.clock.advance(10s);
    CHECK(succeeds<TestType>(subject));
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::half_open);
    CHECK(fails<TestType>(subject));
    CHECK(subject.breaker().state() == State::open);
    subject.clock.advance(10s);
    CHECK(fails<TestType>(subject));
    CHECK(is_ignored<TestType>(subject));
    CHECK(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::half_open);
    CHECK(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::closed);
}

TEMPLATE_TEST_CASE("Every form: a probe that never reports costs its timeout", "[registry]",
                   EVERY_FORM) {
    Subject subject{1, {.reset_timeout = 10s, .half_open = {.probe_timeout = 3s}}};
    subject.breaker().trip();
    subject.clock.advance(10s);
    const auto lost = subject.breaker().try_acquire();
    REQUIRE(lost);
    subject.clock.advance(3s - 1ns);
    CHECK_FALSE(succeeds<TestType>(subject));
    subject.clock.advance(1ns);
    CHECK(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::closed);
}

TEMPLATE_TEST_CASE("Every form: is refused while forced open, until the reset", "[registry]",
                   EVERY_FORM) {
    Subject subject{1, {}};
    subject.breaker().force_open();
    CHECK_FALSE(succeeds<TestType>(subject));
    CHECK(subject.breaker().state() == State::forced_open);
    subject.breaker().reset();
    CHECK(succeeds<TestType>(subject));
}

} // namespace tests::registry_every_form
