// SPDX-License-Identifier: MIT
// A part of a program, compiled several times with different settings and linked together. Checks what
// depends on the settings: a linker that mixes the parts up makes one of them fail.
#include <dashpot/guard/circuit_breaker.hpp>

#include "part.hpp"

#include <system_error>

#if DASHPOT_EXCEPTIONS
#include <stdexcept>
#endif

namespace {

using Breaker = dashpot::CircuitBreaker<>;

bool refuses_by_value() {
    Breaker breaker{{.threshold = 1}};
    const auto listening = breaker.on_transition([](const dashpot::Transition&) {});
    if (!breaker.try_acquire().failure()) return false;
    const auto result = breaker.call([] { return 1; });
    return !result && result.error().reason == dashpot::Error::circuit_open;
}

#if DASHPOT_EXCEPTIONS
bool counts_an_unwound_permit() {
    Breaker breaker{{.threshold = 1}};
    try {
        const auto permit = breaker.try_acquire();
        throw std::runtime_error{"target down"};
    } catch (const std::exception&) {
        return breaker.state() == dashpot::State::open;
    }
}

bool counts_a_call_that_throws() {
    Breaker breaker{{.threshold = 1}};
    try {
        static_cast<void>(breaker.call([]() -> int { throw std::runtime_error{"target down"}; }));
    } catch (const std::exception&) {
        return breaker.state() == dashpot::State::open;
    }
    return false;
}

bool ignores_a_refusal_further_in() {
    Breaker outer{{.threshold = 1}};
    Breaker inner;
    inner.force_open();
    try {
        static_cast<void>(outer.call([&] { return inner.call([] { return 1; }).value(); }));
    } catch (const dashpot::BadResultAccess& refused) {
        return outer.state() == dashpot::State::closed &&
               refused.error().reason == dashpot::Error::circuit_open;
    }
    return false;
}

bool refuses_an_option_by_exception() {
    try {
        const Breaker breaker{{.threshold = 0}};
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

bool contains_a_listener_that_throws() {
    Breaker breaker;
    const auto listening = breaker.on_transition([](const dashpot::Transition&) { throw 1; });
    breaker.trip();
    return true;
}

void throw_refusal() {
    Breaker breaker;
    breaker.force_open();
    static_cast<void>(breaker.call([] { return 1; }).value());
}
#endif

const char* fault() {
    if (!refuses_by_value()) return "a refusal is a value";
#if DASHPOT_EXCEPTIONS
    if (!counts_an_unwound_permit()) return "a permit that was unwound is a failure";
    if (!counts_a_call_that_throws()) return "a call that throws is a failure";
    if (!ignores_a_refusal_further_in()) return "a refusal further in is ignored";
    if (!refuses_an_option_by_exception()) return "a bad option is an exception";
    if (!contains_a_listener_that_throws()) return "a listener that throws is contained";
#endif
    return nullptr;
}

std::error_code code() { return make_error_code(dashpot::Error::circuit_open); }

} // namespace

/// PART is the name of the function, PART_NAME the same as text.
extern "C" DASHPOT_EXPORTED const Part* PART() {
#if DASHPOT_EXCEPTIONS
    static constexpr Part part{PART_NAME, fault, code, throw_refusal};
#else
    static constexpr Part part{PART_NAME, fault, code, nullptr};
#endif
    return &part;
}
