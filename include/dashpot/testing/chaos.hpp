// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTING_CHAOS_HPP
#define DASHPOT_TESTING_CHAOS_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/deadline.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/detail/process_chance.hpp>
#include <dashpot/core/detail/sleep.hpp>
#include <dashpot/core/duration.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/result.hpp>
#include <dashpot/core/threading.hpp>
#include <dashpot/pipeline/detail/ending.hpp>
#include <dashpot/pipeline/detail/piece.hpp>
#include <dashpot/pipeline/detail/timeout_stage.hpp>
#include <dashpot/policy/backoff.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <iosfwd>
#include <optional>
#include <stdexcept>

namespace dashpot::inline DASHPOT_ABI {

namespace testing {

/// Injects failures and delays into a pipeline, for game days and tests.
///
///     auto protect = dashpot::pipeline(dashpot::Retry{}, target,
///                                      dashpot::testing::Chaos{.failure_rate = 0.3, .seed = 1});
///
/// **Contract.** It stands in for the called function. An injected failure is an exception, and what
/// is inside the Chaos is not called. The exception is judged like one of the function, and the attempt
/// counts as made. A delay comes first; it ends early if a stop is requested, and at the deadline.
/// **Threads.** Each pipeline draws its own numbers, and a copy continues where the original is.
/// **Cost.** One atomic increment for each call.
/// **Errors.** validate() refuses rates outside 0 to 1 and a negative delay. Without exceptions it
/// refuses a `failure_rate` above 0.
struct Chaos {
    /// The share of calls that fail. Range 0 to 1. Default 0.
    double failure_rate = 0.0;
    /// The share of calls that are delayed. Range 0 to 1. Default 0.
    double delay_rate = 0.0;
    /// How long a delayed call waits. Must be 0 or more. Default 0.
    Nanoseconds delay{};
    /// Makes the choices repeatable. Default: empty; each pipeline in each process makes its own.
    std::optional<std::uint64_t> seed = std::nullopt;
    /// Returns the exception of a failure. If it returns null, the call is made. Default: a
    /// std::runtime_error.
    std::exception_ptr (*make_failure)() = nullptr;

    friend bool operator==(const Chaos&, const Chaos&) = default;

    /// Writes the options as the initializer that makes them, without `make_failure`.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const Chaos& options) {
        return detail::FieldPrinter{out, "Chaos"}
            .field("failure_rate", options.failure_rate)
            .field("delay_rate", options.delay_rate)
            .field("delay", options.delay)
            .optional("seed", options.seed)
            .end();
    }

    constexpr void validate() const {
        if (!detail::is_in(failure_rate, 0.0, 1.0)) {
            refuse_option("Chaos::failure_rate", failure_rate, "must be in [0, 1]; for 50 % write 0.5");
        }
        if (!detail::is_in(delay_rate, 0.0, 1.0)) {
            refuse_option("Chaos::delay_rate", delay_rate, "must be in [0, 1]; for 50 % write 0.5");
        }
        if (delay.count() < 0) refuse_option("Chaos::delay", delay, "must be 0s or longer");
#if !DASHPOT_EXCEPTIONS
        if (failure_rate > 0.0) {
            refuse_option("Chaos::failure_rate", failure_rate, "must be 0 without exceptions");
        }
#endif
    }
};

} // namespace testing

namespace detail {

/// The Chaos of a pipeline.
class ChaosStage {
  public:
    explicit ChaosStage(const testing::Chaos& chaos)
        : chaos_{chaos}, base_{chaos.seed ? *chaos.seed : process_chance()} {
        chaos.validate();
    }
    ChaosStage(const ChaosStage& other) noexcept
        : chaos_{other.chaos_}, base_{other.base_}, calls_{other.calls()} {}
    ChaosStage& operator=(const ChaosStage& other) noexcept {
        chaos_ = other.chaos_;
        base_ = other.base_;
        calls_.store(other.calls(), std::memory_order_relaxed);
        return *this;
    }

    static constexpr bool may_repeat = false;

    template <class T, class Scope, class Next>
    Result<T> run(const Scope& scope, const Next& next) const {
        // Each call has its own numbers, whatever other threads draw meanwhile.
        std::uint64_t state = base_ + calls_.fetch_add(1, std::memory_order_relaxed);
        state = next_chance(state);
        if (is_drawn(chaos_.delay_rate, next_chance(state))) delay(scope);
#if DASHPOT_EXCEPTIONS
        if (is_drawn(chaos_.failure_rate, next_chance(state))) {
            if (const std::exception_ptr failure = make_failure()) return next.fail(scope, failure);
        }
#endif
        return next(scope);
    }

  private:
    [[nodiscard]] std::uint64_t calls() const noexcept {
        return calls_.load(std::memory_order_relaxed);
    }

    [[nodiscard]] static bool is_drawn(double rate, std::uint64_t chance) noexcept {
        return product(nearest_double(chance >> 11U), 0x1p-53) < rate;
    }

    template <class Scope>
    void delay(const Scope& scope) const {
        if (chaos_.delay.count() == 0) return;
        const Deadline end = earlier(scope.deadline, deadline_after(scope.now(), chaos_.delay));
        sleep_until(*scope.clock, end.at(), scope.stop_token());
    }

#if DASHPOT_EXCEPTIONS
    [[nodiscard]] std::exception_ptr make_failure() const {
        if (chaos_.make_failure != nullptr) return chaos_.make_failure();
        return std::make_exception_ptr(std::runtime_error{"dashpot::testing::Chaos"});
    }
#endif

    testing::Chaos chaos_;
    std::uint64_t base_;
    mutable threading::atomic<std::uint64_t> calls_{0};
};

template <>
struct StrategyStage<testing::Chaos> {
    using type = ChaosStage;
};

} // namespace detail

} // namespace dashpot::inline DASHPOT_ABI

#endif
