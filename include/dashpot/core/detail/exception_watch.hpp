// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_EXCEPTION_WATCH_HPP
#define DASHPOT_CORE_DETAIL_EXCEPTION_WATCH_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/thread_number.hpp>

#include <cstdint>

#if DASHPOT_EXCEPTIONS
#include <exception>
#endif

namespace dashpot::inline DASHPOT_ABI::detail {

#if DASHPOT_EXCEPTIONS
/// Returns the number of exceptions that are unwinding this thread's stack.
[[nodiscard]] inline int exceptions_under_way() noexcept { return std::uncaught_exceptions(); }
#else
[[nodiscard]] constexpr int exceptions_under_way() noexcept { return 0; }
#endif

/// Distinguishes an exception that was thrown after a given moment from exceptions that were already
/// unwinding the stack at that moment.
///
/// **Contract.** start() sets the moment.
/// - The object that holds the watch must call follow() wherever the object is moved.
/// - Exceptions belong to threads: after a move to another thread, follow() sets the moment for the
///   new thread.
/// - If the object reaches another thread without a move, for example inside a unique_ptr, that thread
///   is watched from its own beginning.
///
/// **Threads.** One thread at a time may use it. **Cost.** Each call reads two thread-local values.
/// Without exceptions there is no cost.
class ExceptionWatch {
  public:
    void start() noexcept {
        if constexpr (has_exceptions) {
            thread_ = this_thread();
            under_way_ = under_way_now();
        }
    }

    void follow() noexcept {
        if constexpr (has_exceptions) {
            // On the same thread only a smaller number counts: the exceptions of that moment are over.
            const std::uint16_t now = under_way_now();
            if (thread_ != this_thread() || now < under_way_) under_way_ = now;
            thread_ = this_thread();
        }
    }

    /// Returns true if an exception that was thrown after the moment unwinds the stack of this thread.
    [[nodiscard]] bool sees_unwinding() const noexcept {
        if constexpr (has_exceptions) {
            return under_way_now() > (thread_ == this_thread() ? under_way_ : 0);
        } else {
            return false;
        }
    }

  private:
    static constexpr bool has_exceptions = DASHPOT_EXCEPTIONS != 0;

    // This function is const, as pthread_self() is: compilers remove the call if nothing needs the
    // watch.
    [[nodiscard, gnu::noinline, gnu::const]] static std::uint32_t this_thread() noexcept {
        return static_cast<std::uint32_t>(thread_number());
    }
    [[nodiscard]] static std::uint16_t under_way_now() noexcept {
        return static_cast<std::uint16_t>(exceptions_under_way());
    }

    std::uint32_t thread_ = 0;
    std::uint16_t under_way_ = 0; // on thread_, at the moment that start() or follow() set
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
