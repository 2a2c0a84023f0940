// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_DEFERRED_HPP
#define DASHPOT_CORE_DETAIL_DEFERRED_HPP

#include <dashpot/core/abi.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Has a value or is empty, as std::optional and std::expected do.
template <class T>
concept MaybeValue = requires(const T& maybe) {
    static_cast<bool>(maybe.has_value());
    *maybe;
};

/// Holds a value or an error: std::expected and types with its interface.
template <class T>
concept ValueOrError = requires(const T& maybe) {
    static_cast<bool>(maybe.has_value());
    maybe.error();
    requires !std::is_void_v<decltype(maybe.error())>;
};

/// Has a value type other than void. A std::expected<void, E> does not satisfy this concept.
template <class T>
concept HasSomething =
    MaybeValue<T> && requires(const T& maybe) { requires !std::is_void_v<decltype(*maybe)>; };

/// A function that takes anything and returns anything.
struct AnyContinuation {
    struct Returned {
        template <class T>
        operator T() const;
    };
    template <class... Args>
    Returned operator()(Args&&...) const;
};

/// Has a public member function `then` that takes a continuation, after a scheduler or not.
template <class T>
concept TakesContinuation = requires(T& t, AnyContinuation f) { t.then(f); } ||
                            requires(T&& t, AnyContinuation f) { std::forward<T>(t).then(f); } ||
                            requires(T& t, AnyContinuation f) { t.then(f, f); };

/// Has the interface of std::future or std::shared_future.
template <class T>
concept FutureLike = requires(T& future) {
    future.get();
    future.wait();
} || TakesContinuation<T>;

template <class T>
concept Awaitable = requires(T&& t) { std::forward<T>(t).operator co_await(); } ||
                    requires(T&& t) { operator co_await(std::forward<T>(t)); } || requires(T& t) {
                        t.await_ready();
                        t.await_resume();
                    } || requires { typename std::coroutine_traits<T>::promise_type; };

template <class T>
concept SenderLike = requires { typename T::sender_concept; } || requires { typename T::is_sender; } ||
                     requires { typename T::completion_signatures; };

/// Is true for a type that is returned before the call is over: a future, an awaitable or a sender, or
/// one of these in an optional or an expected.
///
/// Types that hold a value or are empty are not awaitables, though some libraries let a coroutine
/// await them.
template <class T>
[[nodiscard]] consteval bool is_deferred() {
    if constexpr (!std::is_class_v<T> && !std::is_union_v<T>) {
        return false;
    } else if constexpr (MaybeValue<T>) {
        return is_deferred<std::remove_cvref_t<decltype(*std::declval<const T&>())>>();
    } else {
        return FutureLike<T> || Awaitable<T> || SenderLike<T>;
    }
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
