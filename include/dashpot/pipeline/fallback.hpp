// SPDX-License-Identifier: MIT
#ifndef DASHPOT_PIPELINE_FALLBACK_HPP
#define DASHPOT_PIPELINE_FALLBACK_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/pipeline/retry_stats.hpp>

namespace dashpot::inline DASHPOT_ABI {

/// Answers a call that was refused or that failed.
///
///     auto protect =
///         dashpot::pipeline(dashpot::Fallback{[](const dashpot::Refusal&) { return Reply{}; }},
///         target);
///
/// **Contract.** The handler takes a `const Refusal&`. It may also take a std::exception_ptr, for
/// exceptions that were judged a failure, and a `const T&`, for values that were judged a failure.
/// - What the handler returns becomes the value. What it throws is passed through.
/// - A handler that returns a Result without a value declines: the caller gets that refusal.
/// - The handler is called at most once per call, and holds no guard inside.
/// - It is not called for `cancelled`, nor once a stop was requested.
/// - Guards and retries outside record how the call itself ended, as without the Fallback.
///
/// **A Retry outside a Fallback calls the handler at every attempt.** Write the Fallback first.
/// **Threads.** A value. The handler is called as const, on any thread that uses the pipeline.
/// **Cost.** A call that succeeds: one comparison.
///
/// @tparam F  the type of the handler; a lambda with an `auto` parameter takes all three
template <class F>
struct Fallback {
    F handler;
    /// Counts the answers. It must outlive the pipeline. Default: none.
    RetryStats* stats = nullptr;
};

template <class F>
Fallback(F) -> Fallback<F>;
template <class F>
Fallback(F, RetryStats*) -> Fallback<F>;

} // namespace dashpot::inline DASHPOT_ABI

#endif
