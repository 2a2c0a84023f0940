// SPDX-License-Identifier: MIT
// A classifier that no call can ever reach judges nothing, and looks as if it did. CASE_<name> says
// which.
#include <dashpot/dashpot.hpp>

#include <exception>
#include <string>

using dashpot::Outcome;

struct Reply {
    int status = 200;
    std::string code;
};
struct Other {
    int status = 200;
};
enum class Status { ok };
struct Typed {
    Status status = Status::ok;
};
struct Both {
    Outcome operator()(const Other&) const { return Outcome::success; }
    Outcome operator()(std::exception_ptr) const { return Outcome::failure; }
};

bool ask(dashpot::CircuitBreaker<>& breaker, dashpot::Target<>& target) {
#ifndef MUST_FAIL
    return breaker.call([] { return Reply{}; }, dashpot::http_status(&Reply::status)) &&
           target.call([] {}, [] { return Outcome::success; }) &&
           breaker.call([] { return Other{}; }, Both{});
#elif defined(CASE_unrelated)
    return breaker.call([] { return Reply{}; }, [](const Other&) { return Outcome::success; })
        .has_value();
#elif defined(CASE_overload)
    return target.call([] { return Reply{}; }, Both{}).has_value();
#elif defined(CASE_no_outcome)
    return breaker.call([] { return Reply{}; }, [](const Reply&) { return true; }).has_value();
#elif defined(CASE_void_function)
    return breaker.call([] {}, [](const Reply&) { return Outcome::success; }).has_value();
#elif defined(CASE_void_rules)
    return breaker.call([] {}, dashpot::http_status(&Reply::status)).has_value();
#elif defined(CASE_other_type)
    return breaker.call([] { return Reply{}; }, dashpot::http_status(&Other::status)).has_value();
#elif defined(CASE_no_projection)
    return breaker.call([] { return Reply{}; }, dashpot::http_status()).has_value();
#elif defined(CASE_no_int)
    return breaker.call([] { return Typed{}; }, dashpot::http_status(&Typed::status)).has_value();
#elif defined(CASE_no_text)
    return breaker
        .call([] { return Reply{}; },
              dashpot::failure_codes({"E500"}, &Reply::status) | dashpot::http_status(&Reply::status))
        .has_value();
#endif
}
