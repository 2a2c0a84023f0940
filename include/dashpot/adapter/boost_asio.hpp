// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_BOOST_ASIO_HPP
#define DASHPOT_ADAPTER_BOOST_ASIO_HPP

#include <dashpot/adapter/detail/asio_entry.hpp>
#include <dashpot/core/abi.hpp>
#include <dashpot/core/by_exception.hpp>
#include <dashpot/pipeline/call_options.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/wait_traits.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <type_traits>
#include <typeinfo>
#include <utility>

// A keyword of Qt, and a member function of Asio's signals.
#pragma push_macro("emit")
#undef emit

namespace dashpot::inline DASHPOT_ABI {

namespace detail {

/// The names of Boost.Asio that the coroutines of adapter/detail/ use.
struct BoostAsio {
    template <class T, class Ex>
    using Awaitable = ::boost::asio::awaitable<T, Ex>;
    template <class Ex>
    using Timer =
        ::boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                            ::boost::asio::wait_traits<std::chrono::steady_clock>, Ex>;
    template <class T>
    using Allocator = ::boost::asio::recycling_allocator<T>;
    using CancellationSignal = ::boost::asio::cancellation_signal;
    using CancellationType = ::boost::asio::cancellation_type;
    using ErrorCode = ::boost::system::error_code;

    /// A cancellation that every operation understands.
    static constexpr CancellationType every_type =
        CancellationType::terminal | CancellationType::partial | CancellationType::total;

    template <class A>
    static constexpr bool is_awaitable = false;

    static auto executor() noexcept { return ::boost::asio::this_coro::executor; }
    static auto cancellation_state() noexcept { return ::boost::asio::this_coro::cancellation_state; }
    static auto hear_every_cancellation() noexcept {
        return ::boost::asio::this_coro::reset_cancellation_state(
            ::boost::asio::enable_total_cancellation{});
    }
    [[nodiscard]] static bool is_cancelled(const ::boost::asio::cancellation_state& state) noexcept {
        return state.cancelled() != CancellationType::none;
    }

    static void send(CancellationSignal& signal, CancellationType type) { signal.emit(type); }

    template <class Ex, class Function>
    static void post(const Ex& executor, Function&& function) {
        ::boost::asio::post(executor, std::forward<Function>(function));
    }
    template <class Ex, class Function>
    static void dispatch(const Ex& executor, Function&& function) {
        ::boost::asio::dispatch(executor, std::forward<Function>(function));
    }
    template <class Ex, class T, class Token>
    static auto co_spawn(const Ex& executor, ::boost::asio::awaitable<T, Ex> coroutine, Token&& token) {
        return ::boost::asio::co_spawn(executor, std::move(coroutine), std::forward<Token>(token));
    }
    template <class Token>
    static auto bound(::boost::asio::cancellation_slot slot, Token&& token) {
        return ::boost::asio::bind_cancellation_slot(slot, std::forward<Token>(token));
    }
    template <class Ex>
    static auto bound_token(::boost::asio::cancellation_slot slot) {
        return bound(slot, ::boost::asio::use_awaitable_t<Ex>{});
    }
    /// A token that keeps an error and throws nothing.
    template <class Ex>
    static auto quiet_token(ErrorCode& error) {
        return ::boost::asio::redirect_error(::boost::asio::use_awaitable_t<Ex>{}, error);
    }
    /// Suspends a coroutine, and passes what resumes it to `initiation`.
    template <class Ex, class Initiation>
    static auto suspend(Initiation&& initiation) {
        ::boost::asio::use_awaitable_t<Ex> token{};
        return ::boost::asio::async_initiate<::boost::asio::use_awaitable_t<Ex>, void()>(
            std::forward<Initiation>(initiation), token);
    }

    /// Returns true if the executor is known to be a strand.
    template <class Ex>
    [[nodiscard]] static bool is_strand(const Ex& executor) noexcept {
        if constexpr (requires { executor.target_type(); }) {
            const std::type_info& type = executor.target_type(); // target() does not compare types
            return type == typeid(::boost::asio::strand<Ex>) ||
                   type == typeid(::boost::asio::strand<::boost::asio::io_context::executor_type>) ||
                   type == typeid(::boost::asio::strand<::boost::asio::thread_pool::executor_type>);
        } else {
            return requires { executor.get_inner_executor(); };
        }
    }
    /// Returns a strand on the executor. An executor whose type cannot hold one is returned as it is.
    template <class Ex>
    [[nodiscard]] static Ex strand_of(const Ex& executor) {
        if constexpr (std::is_constructible_v<Ex, ::boost::asio::strand<Ex>>) {
            return Ex{::boost::asio::make_strand(executor)};
        } else {
            return executor;
        }
    }
};

template <class T, class Ex>
constexpr bool BoostAsio::is_awaitable<::boost::asio::awaitable<T, Ex>> = true;

} // namespace detail

namespace on_asio {

/// Awaits a call through a pipeline, or through a single guard.
///
///     auto protect = dashpot::pipeline(dashpot::Timeout{2s}, dashpot::Retry{}, target);
///     dashpot::Result<Reply> reply = co_await dashpot::on_asio::call(
///         protect, [&](const dashpot::Attempt&) -> boost::asio::awaitable<Reply> { ... });
///
/// For Boost.Asio, as adapter/asio.hpp does for standalone Asio. One program may include both: the
/// awaitable that the function returns decides.
///
/// **Contract.** The pipeline that serves synchronous calls does the same here, except that nothing
/// blocks a thread:
/// - A function that is under way at its deadline is cancelled. The attempt then ends as `timed_out`,
///   which is a failure. The call returns after the function has ended. A value that it still returns,
///   and that is no failure, is returned.
/// - A QueuedBulkhead and the waits of a Retry suspend. A Hedge may be used.
/// - If the coroutine is cancelled, or a stop is requested, the function is cancelled and no attempt
///   begins. The caller gets what the function ended with. Permits are given back as ignored, and so
///   they are if the coroutine is destroyed.
///
/// The call begins when it is awaited. `f` and `classify` are copied or moved into it. A guard or
/// pipeline that is a variable must outlive the call.
/// **Threads.** The coroutine may run on one thread, on a strand or on a pool. A call that may have to
/// be cancelled or woken runs on a strand of its own, unless its executor is a strand: one with a
/// Timeout, a Hedge, a QueuedBulkhead, a deadline or a stop token. As everywhere in Asio, the
/// coroutine's own cancellation signal must not be emitted beside the coroutine.
/// **Cost.** A call without those: one coroutine frame, no allocation beyond it.
/// **Errors.** Exceptions of the function, the classifier and a fallback's handler are passed through.
template <class P, class F, class Classify = ByException>
    requires detail::ProtectsCalls<P> && detail::ReturnsAwaitableOf<F, detail::BoostAsio>
[[nodiscard]] auto call(P&& protect, F&& f, Classify&& classify = {}) {
    return detail::asio_call<detail::BoostAsio>(std::forward<P>(protect), CallOptions{},
                                                std::forward<F>(f), std::forward<Classify>(classify));
}

/// As above, with a deadline and a stop token.
template <class P, class F, class Classify = ByException>
    requires detail::ProtectsCalls<P> && detail::ReturnsAwaitableOf<F, detail::BoostAsio>
[[nodiscard]] auto call(P&& protect, const CallOptions& options, F&& f, Classify&& classify = {}) {
    return detail::asio_call<detail::BoostAsio>(std::forward<P>(protect), options, std::forward<F>(f),
                                                std::forward<Classify>(classify));
}

} // namespace on_asio

} // namespace dashpot::inline DASHPOT_ABI

#pragma pop_macro("emit")

#endif
