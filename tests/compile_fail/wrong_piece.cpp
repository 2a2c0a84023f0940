// SPDX-License-Identifier: MIT
// What is no piece of a pipeline, or no function for one, fails with one sentence. CASE_<name> says
// which.
#include <dashpot/dashpot.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <functional>
#include <memory>
#include <string>

using dashpot::Attempt;
using dashpot::Bulkhead;
using dashpot::CallOptions;
using dashpot::Fallback;
using dashpot::pipeline;
using dashpot::Refusal;
using dashpot::Retry;
using dashpot::Timeout;

struct NoRefusal {
    bool try_acquire() { return true; }
};
struct OnlyRvalue {
    int operator()() && { return 1; }
};

bool call(Bulkhead& hull, std::function<int()> f, const CallOptions& options) {
    const dashpot::testing::ManualClock clock;
#ifndef MUST_FAIL
    const auto inner = pipeline(Retry{}, hull);
    const auto protect = pipeline(Fallback{[](const Refusal&) { return 9; }}, inner,
                                  std::make_shared<Bulkhead>(1U), Timeout{std::chrono::seconds{1}})
                             .with(clock);
    return protect.call(options, f) && pipeline(hull).call(OnlyRvalue{}) &&
           protect.call([](const Attempt&) { return 1; });
#elif defined(CASE_number)
    return pipeline(Retry{}, 3, hull).call(f).has_value();
#elif defined(CASE_no_refusal)
    NoRefusal guard;
    return pipeline(guard).call(options, f).has_value();
#elif defined(CASE_const_guard)
    return pipeline(std::as_const(hull)).call(f).has_value();
#elif defined(CASE_shared_string)
    return pipeline(std::make_shared<std::string>()).call(f).has_value();
#elif defined(CASE_temporary_guard)
    return pipeline(Retry{}, Bulkhead{3}).call(f).has_value();
#elif defined(CASE_moved_guard)
    dashpot::Bulkhead other{1};
    return pipeline(std::move(other)).call(options, f).has_value();
#elif defined(CASE_temporary_pipeline)
    return pipeline(Timeout{std::chrono::seconds{1}}, pipeline(hull)).call(f).has_value();
#elif defined(CASE_other_function)
    return pipeline(hull).call([](int number) { return number; }).has_value();
#elif defined(CASE_other_function_with_options)
    return pipeline(hull).call(options, [](int number) { return number; }).has_value();
#elif defined(CASE_mutable_attempt)
    return pipeline(Retry{}, hull).call([](Attempt&) { return 1; }).has_value();
#elif defined(CASE_rvalue_function)
    return pipeline(Retry{}, hull).call(OnlyRvalue{}).has_value();
#elif defined(CASE_rvalue_function_inside)
    const auto inner = pipeline(Retry{}, hull);
    return pipeline(hull, inner).call(OnlyRvalue{}).has_value();
#elif defined(CASE_no_refusal_handler)
    return pipeline(Fallback{[](int) { return 9; }}, hull).call(f).has_value();
#elif defined(CASE_mutable_handler)
    return pipeline(Fallback{[n = 1](const Refusal&) mutable { return ++n; }}, hull)
        .call(f)
        .has_value();
#elif defined(CASE_handler_of_other_type)
    return pipeline(Fallback{[](const Refusal&) { return std::string{}; }}, hull).call(f).has_value();
#elif defined(CASE_handler_of_value)
    static int there = 1;
    return pipeline(Fallback{[](const Refusal&) { return 9; }}, hull)
        .call([]() -> int& { return there; })
        .has_value();
#elif defined(CASE_hedge)
    return pipeline(dashpot::Hedge{}, hull).call(f).has_value();
#elif defined(CASE_two_clocks)
    const auto inner = pipeline(Retry{}).with(clock);
    return pipeline(inner, hull).call(f).has_value();
#elif defined(CASE_two_clocks_given)
    const auto inner = pipeline(Retry{}).with(dashpot::SteadyClock{});
    return pipeline(inner, hull).with(clock).call(f).has_value();
#endif
}
