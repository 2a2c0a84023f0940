// SPDX-License-Identifier: MIT
// What f returns at once and completes later would be recorded as a success at once. RETURNS_<kind>
// says what f returns.
#include <dashpot/dashpot.hpp>

#include <coroutine>
#include <future>
#include <utility>

struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};

struct Sender {
    using sender_concept = struct SenderTag;
};

std::shared_future<int> shared;

#ifdef MUST_FAIL
auto send() {
#if defined(RETURNS_future)
    return std::async([] { return 1; });
#elif defined(RETURNS_coroutine)
    return []() -> Task { co_return; }();
#elif defined(RETURNS_sender)
    return Sender{};
#endif
}
#if defined(RETURNS_reference)
bool ask(dashpot::CircuitBreaker<>& breaker) {
    return breaker.call([]() -> std::shared_future<int>& { return shared; }).has_value();
}
#elif defined(RETURNS_optional)
bool ask(dashpot::Target<>& target) {
    return target
        .call([] { return std::optional{shared}; }, [](auto&) { return dashpot::Outcome::success; })
        .has_value();
}
#else
bool ask(dashpot::CircuitBreaker<>& breaker) { return breaker.call(send).has_value(); }
#endif
#else
// The way out.
void send(std::function<void(bool)> done);
bool ask(dashpot::CircuitBreaker<>& breaker) {
    auto permit = std::make_shared<dashpot::CircuitBreaker<>::Permit>(breaker.try_acquire());
    if (!*permit) return false;
    send([permit](bool ok) { (void)(ok ? permit->success() : permit->failure()); });
    return true;
}
#endif
