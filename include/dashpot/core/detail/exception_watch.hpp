// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_EXCEPTION_WATCH_HPP
#define DASHPOT_CORE_DETAIL_EXCEPTION_WATCH_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/thread_number.hpp>

#include <cstdint>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Tells an exception that was thrown after some moment from those that were under way before it.
///
/// **Contract.** start() is that moment. The object that holds the watch calls follow() wherever it is
/// moved: on another thread, that is the moment from there on, since exceptions belong to threads. A
/// thread that was handed it without a move (inside a unique_ptr) is watched from its own beginning.
/// **Threads.** One at a time. **Cost.** Two thread-local reads. None without exceptions.
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
            // On the same thread only less counts: what was under way then is over.
            const std::uint16_t now = under_way_now();
            if (thread_ != this_thread() || now < under_way_) under_way_ = now;
            thread_ = this_thread();
        }
    }

    /// Returns true if an exception thrown since then unwinds the stack of this thread.
    [[nodiscard]] bool sees_unwinding() const noexcept {
        if constexpr (has_exceptions) {
            return under_way_now() > (thread_ == this_thread() ? under_way_ : 0);
        } else {
            return false;
        }
    }

  private:
    static constexpr bool has_exceptions = DASHPOT_EXCEPTIONS != 0;

    // const, as pthread_self() is: where nothing needs the watch, compilers leave the call out.
    [[nodiscard, gnu::noinline, gnu::const]] static std::uint32_t this_thread() noexcept {
        return static_cast<std::uint32_t>(thread_number());
    }
    [[nodiscard]] static std::uint16_t under_way_now() noexcept {
        return static_cast<std::uint16_t>(exceptions_under_way());
    }

    std::uint32_t thread_ = 0;
    std::uint16_t under_way_ = 0; // on that thread, at that moment
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
