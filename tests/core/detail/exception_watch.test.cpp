// SPDX-License-Identifier: MIT
#include <dashpot/core/detail/exception_watch.hpp>

#include "catch.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

namespace tests::core_detail_exception_watch {

using dashpot::detail::exceptions_under_way;
using dashpot::detail::ExceptionWatch;

namespace {

/// Notes how many exceptions are under way when it dies.
struct Witness {
    int& seen;
    ~Witness() { seen = exceptions_under_way(); }
};

struct NestingWitness {
    int& inside;
    ~NestingWitness() {
        try {
            const Witness witness{inside};
            throw 2;
        } catch (int) {}
    }
};

template <class F>
struct Cleanup {
    F f;
    ~Cleanup() { f(); }
};
template <class F>
Cleanup(F) -> Cleanup<F>;

/// Calls `f` while an exception unwinds the stack.
template <class F>
void while_unwinding(F&& f) {
    try {
        const Cleanup cleanup{std::forward<F>(f)};
        throw std::runtime_error{"on its way"};
    } catch (const std::runtime_error&) {}
}

template <class F>
void on_another_thread(F&& f) {
    std::thread{std::forward<F>(f)}.join();
}

ExceptionWatch started() {
    ExceptionWatch watch;
    watch.start();
    return watch;
}

} // namespace

TEST_CASE("ExceptionWatch: sees an exception that was thrown later, and none before", "[core]") {
    auto watch = started();
    CHECK_FALSE(watch.sees_unwinding());
    bool later = false;
    bool sooner = true;
    while_unwinding([&] { later = watch.sees_unwinding(); });
    while_unwinding([&] { sooner = started().sees_unwinding(); });
    CHECK(later);
    CHECK_FALSE(sooner);
}

TEST_CASE("ExceptionWatch: a move while an exception unwinds the same thread forgets nothing",
          "[core]") {
    auto watch = started();
    bool seen = false;
    while_unwinding([&] {
        watch.follow();
        seen = watch.sees_unwinding();
    });
    CHECK(seen);
}

TEST_CASE("ExceptionWatch: kept beyond an unwinding, it sees the next one after a move", "[core]") {
    ExceptionWatch watch;
    while_unwinding([&] { watch.start(); });
    watch.follow();
    bool seen = false;
    while_unwinding([&] { seen = watch.sees_unwinding(); });
    CHECK(seen);
}

TEST_CASE("ExceptionWatch: on another thread, what was under way when it came there is older",
          "[core]") {
    auto watch = started();
    bool seen = true;
    on_another_thread([&] {
        while_unwinding([&] {
            watch.follow();
            seen = watch.sees_unwinding();
        });
    });
    CHECK_FALSE(seen);
}

TEST_CASE("ExceptionWatch: on another thread, what is thrown after it came there is seen", "[core]") {
    ExceptionWatch watch;
    bool seen = false;
    while_unwinding([&] { // started while this thread unwinds
        watch.start();
        on_another_thread([&] {
            watch.follow();
            while_unwinding([&] { seen = watch.sees_unwinding(); });
        });
    });
    CHECK(seen);
}

TEST_CASE("ExceptionWatch: on a thread that got it without a move, every exception is seen", "[core]") {
    ExceptionWatch watch;
    bool seen = false;
    bool idle = true;
    while_unwinding([&] {
        watch.start();
        on_another_thread([&] {
            idle = watch.sees_unwinding();
            while_unwinding([&] { seen = watch.sees_unwinding(); });
        });
    });
    CHECK(seen);
    CHECK_FALSE(idle);
}

TEST_CASE("exceptions_under_way: counts those that unwind this stack, not those that were caught",
          "[core]") {
    CHECK(exceptions_under_way() == 0);
    int seen = -1;
    try {
        const Witness witness{seen};
        throw 1;
    } catch (int) {
        CHECK(exceptions_under_way() == 0);
    }
    CHECK(seen == 1);
    { const Witness witness{seen}; }
    CHECK(seen == 0);
}

TEST_CASE("exceptions_under_way: counts an exception thrown while another unwinds", "[core]") {
    int inside = -1;
    try {
        const NestingWitness witness{inside};
        throw 1;
    } catch (int) {}
    CHECK(inside == 2);
}

} // namespace tests::core_detail_exception_watch
