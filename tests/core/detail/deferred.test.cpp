// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/deferred.hpp>

#include "catch.hpp"

#include <chrono>
#include <coroutine>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <variant>
#include <vector>

namespace tests::core_detail_deferred {

using dashpot::detail::is_deferred;

// What a call may return before it is over. They are declared and never called.
struct Task { // a coroutine
    struct promise_type {
        Task get_return_object();
        std::suspend_always initial_suspend();
        std::suspend_always final_suspend() noexcept;
        void return_void();
        void unhandled_exception();
    };
};
struct AwaitedByMember {
    std::suspend_always operator co_await() &&;
};
struct AwaitedByFunction {};
std::suspend_always operator co_await(AwaitedByFunction);
struct Awaited {
    bool await_ready();
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise>);
    int await_resume();
};
struct AwaitedByTraits {};

struct Future {
    int get();
    void wait();
};
struct FinalFuture final {
    int get();
    void wait();
};
struct Promise {
    template <class F>
    Promise then(F);
    template <class F, class G>
    Promise then(F, G);
};
struct Sender {
    using sender_concept = struct AnyTag;
};
struct OldSender {
    using is_sender = void;
};

// What looks like one of these and is an ordinary value.
struct Got {
    int get() const;
};
struct GotByName {
    std::string get(std::string name) const;
    void wait_for(std::chrono::seconds);
};
struct Rule {
    std::string when;
    std::string then;
};
class PrivateRule {
    std::string when;
    std::string then;
};
struct Builder {
    Builder& then(int);
};
struct NestedType {
    struct then {};
};
struct RuleByFunction {
    const std::string& then() const;
};
struct Client {
    bool connect(const std::string& host);
};
struct OptionalInCoroutines { // as folly::Expected: a coroutine may await it
    bool has_value() const;
    int operator*() const;
    std::suspend_never operator co_await() const;
};
struct Abstract {
    virtual ~Abstract() = default;
    virtual int get() = 0;
};
union Either {
    int whole;
    double part;
};
enum class Status { ok };

} // namespace tests::core_detail_deferred

template <class... Args>
struct std::coroutine_traits<tests::core_detail_deferred::AwaitedByTraits, Args...> {
    struct promise_type {};
};

namespace tests::core_detail_deferred {

TEST_CASE("Deferred: a future is, the standard's and any other", "[core]") {
    CHECK(is_deferred<std::future<int>>());
    CHECK(is_deferred<std::future<void>>());
    CHECK(is_deferred<std::shared_future<std::string>>());
    CHECK(is_deferred<Future>());
    CHECK(is_deferred<FinalFuture>());
    CHECK(is_deferred<Promise>());
}

TEST_CASE("Deferred: what a coroutine can await is", "[core]") {
    CHECK(is_deferred<Task>());
    CHECK(is_deferred<AwaitedByMember>());
    CHECK(is_deferred<AwaitedByFunction>());
    CHECK(is_deferred<Awaited>());
    CHECK(is_deferred<AwaitedByTraits>());
}

TEST_CASE("Deferred: a sender is", "[core]") {
    CHECK(is_deferred<Sender>());
    CHECK(is_deferred<OldSender>());
}

TEST_CASE("Deferred: an optional is if its value is", "[core]") {
    CHECK(is_deferred<std::optional<std::future<int>>>());
    CHECK_FALSE(is_deferred<std::optional<int>>());
    CHECK_FALSE(is_deferred<std::optional<std::optional<std::string>>>());
    CHECK_FALSE(is_deferred<OptionalInCoroutines>());
}

TEST_CASE("Deferred: an ordinary value is not", "[core]") {
    CHECK_FALSE(is_deferred<int>());
    CHECK_FALSE(is_deferred<int*>());
    CHECK_FALSE(is_deferred<Status>());
    CHECK_FALSE(is_deferred<Either>());
    CHECK_FALSE(is_deferred<std::string>());
    CHECK_FALSE(is_deferred<std::error_code>());
    CHECK_FALSE(is_deferred<std::unique_ptr<Got>>());
    CHECK_FALSE(is_deferred<std::shared_ptr<const Abstract>>());
    CHECK_FALSE(is_deferred<std::reference_wrapper<Got>>());
    CHECK_FALSE(is_deferred<std::vector<int>>());
    CHECK_FALSE(is_deferred<std::map<int, std::string>>());
    CHECK_FALSE(is_deferred<std::tuple<int, std::string>>());
    CHECK_FALSE(is_deferred<std::variant<int, std::string>>());
    CHECK_FALSE(is_deferred<std::chrono::milliseconds>());
    CHECK_FALSE(is_deferred<std::function<int()>>());
    CHECK_FALSE(is_deferred<Got>());
    CHECK_FALSE(is_deferred<GotByName>());
    CHECK_FALSE(is_deferred<Rule>());
    CHECK_FALSE(is_deferred<RuleByFunction>());
    CHECK_FALSE(is_deferred<PrivateRule>());
    CHECK_FALSE(is_deferred<Builder>());
    CHECK_FALSE(is_deferred<NestedType>());
    CHECK_FALSE(is_deferred<Client>());
    CHECK_FALSE(is_deferred<Abstract>());
}

} // namespace tests::core_detail_deferred
