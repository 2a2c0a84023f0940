// SPDX-License-Identifier: MIT
#ifndef DASHPOT_GUARD_RETRY_BUDGET_HPP
#define DASHPOT_GUARD_RETRY_BUDGET_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/contract.hpp>
#include <dashpot/core/detail/cache_line.hpp>
#include <dashpot/core/detail/exact_double.hpp>
#include <dashpot/core/detail/print.hpp>
#include <dashpot/core/rate.hpp>
#include <dashpot/core/threading.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <mutex>

namespace dashpot::inline DASHPOT_ABI {

/// How many extra attempts a RetryBudget pays for.
///
/// **Errors.** validate() refuses a ratio that is no multiple of 0.001 in (0, 1], and a capacity of 0.
struct RetryBudgetOptions {
    /// The part of a token that each successful call deposits. An extra attempt costs one token. Must
    /// be a multiple of 0.001 in (0, 1]. Default 0.1: one extra attempt for ten successes.
    double ratio = 0.1;
    /// The most tokens that the budget holds, and those it starts with. Must be 1 or more. Default 100.
    std::uint32_t capacity = 100;

    friend bool operator==(const RetryBudgetOptions&, const RetryBudgetOptions&) = default;

    /// Writes the options as the initializer that makes them.
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                                        const RetryBudgetOptions& options) {
        return detail::FieldPrinter{out, "RetryBudgetOptions"}
            .field("ratio", options.ratio)
            .field("capacity", options.capacity)
            .end();
    }

    constexpr void validate() const {
        if (thousandths() == 0) {
            refuse_option("RetryBudgetOptions::ratio", ratio,
                          "must be a multiple of 0.001 in (0, 1]; for 10 % write 0.1");
        }
        if (capacity == 0) {
            refuse_option("RetryBudgetOptions::capacity", capacity, "must be 1 or more");
        }
    }

    /// Returns the ratio in thousandths, or 0 if it is out of range. It may differ from a multiple of
    /// 0.001 by 1e-9, since few of these are doubles.
    [[nodiscard]] constexpr std::uint64_t thousandths() const noexcept {
        if (!is_rate(ratio)) return 0;
        constexpr std::int64_t thousandth = 1'000'000'000; // of 1e-12
        constexpr std::int64_t tolerance = 1'000;
        const std::int64_t given = detail::whole_part(detail::product(ratio, 1e12));
        const std::int64_t count = (given + thousandth / 2) / thousandth;
        const std::int64_t difference = given - count * thousandth;
        const bool is_multiple = -tolerance <= difference && difference <= tolerance;
        return is_multiple ? static_cast<std::uint64_t>(count) : 0;
    }
};

/// Limits retries and hedges to a part of the successful calls, so that an outage does not multiply the
/// load.
///
///     dashpot::RetryBudget budget{{.ratio = 0.1}}; // one extra attempt for ten successes
///     if (!budget.try_withdraw()) return last_reply; // do not try again
///     ...
///     budget.deposit(); // after each call that succeeded
///
/// **Contract.** It starts full. A call that ends in success calls deposit() once. Each extra attempt
/// needs a try_withdraw() that returned true, and calls give_back() if it never starts. The balance is
/// counted in whole thousandths of a token, never falls below 0 and never rises above the capacity. It
/// earns on success only, so that an outage does not fill it.
/// **Threads.** Every member may be called from any thread at any time, by any number of callers that
/// share it.
/// **Cost.** A deposit() into a full budget is one load. Otherwise each is one load and one
/// compare-exchange, repeated only if another thread wins it; a refusal is one load and one add. It has
/// no clock, never blocks and never allocates.
/// **Errors.** The constructor and reconfigure() throw std::invalid_argument that names the field out
/// of range.
/// **Source.** Retry throttling of gRPC (proposal A6); Finagle's retry budgets.
class RetryBudget {
  public:
    /// All numbers.
    struct Snapshot {
        RetryBudgetOptions options{};
        double balance = 0;        ///< Tokens.
        std::uint64_t refused = 0; ///< Extra attempts that were refused so far.
    };

    explicit RetryBudget(RetryBudgetOptions options = {}) noexcept(false) {
        options.validate();
        set(options);
        word_.store(capacity_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    }

    RetryBudget(const RetryBudget&) = delete;
    RetryBudget& operator=(const RetryBudget&) = delete;

    /// Earns the ratio, for a call that ended in success.
    void deposit() noexcept {
        add([this] { return ratio_.load(std::memory_order_acquire); });
    }

    /// Takes a token for an extra attempt.
    /// @return false if there is none: make no extra attempt
    [[nodiscard]] bool try_withdraw() noexcept {
        std::uint64_t word = word_.load(std::memory_order_acquire);
        while (balance_of(word) >= token) {
            if (word_.compare_exchange_weak(word, word - token, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
                return true;
        }
        refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }

    /// Gives a token back, because the extra attempt that it paid for never started.
    void give_back() noexcept {
        add([] { return token; });
    }

    /// Returns the tokens that are left.
    [[nodiscard]] double balance() const noexcept {
        return static_cast<double>(balance_of(word_.load(std::memory_order_acquire))) / 1000.0;
    }

    /// Returns the number of extra attempts that were refused so far.
    [[nodiscard]] std::uint64_t refused() const noexcept {
        return refused_.load(std::memory_order_relaxed);
    }

    /// Returns the options, as they were given.
    [[nodiscard]] RetryBudgetOptions options() const noexcept {
        const std::lock_guard lock{mutex_};
        return options_;
    }

    /// Returns all numbers.
    [[nodiscard]] Snapshot snapshot() const noexcept { return {options(), balance(), refused()}; }

    /// Continues with other options. The balance is kept, at most the new capacity; a bigger capacity
    /// adds nothing.
    void reconfigure(RetryBudgetOptions options) {
        options.validate();
        const std::lock_guard lock{mutex_};
        set(options);
        start_generation(); // a deposit with the old capacity came before, or its exchange fails
    }

  private:
    static constexpr std::uint64_t token = 1000;
    static constexpr int balance_bits = 42; // enough for the greatest capacity
    static constexpr std::uint64_t balance_mask = (std::uint64_t{1} << balance_bits) - 1;

    // The word is the balance in thousandths, and the number of the options above it: an exchange that
    // began with other options fails.
    [[nodiscard]] static constexpr std::uint64_t balance_of(std::uint64_t word) noexcept {
        return word & balance_mask;
    }

    template <class Amount>
    void add(Amount amount) noexcept {
        std::uint64_t word = word_.load(std::memory_order_acquire);
        for (;;) {
            const std::uint64_t balance = balance_of(word);
            const std::uint64_t most = capacity_.load(std::memory_order_acquire);
            if (balance >= most) return;
            const std::uint64_t more = (std::min)(amount(), most - balance);
            if (word_.compare_exchange_weak(word, word + more, std::memory_order_acq_rel,
                                            std::memory_order_acquire))
                return;
        }
    }

    void set(const RetryBudgetOptions& options) noexcept {
        options_ = options;
        // Pairs with the acquire loads in add().
        ratio_.store(options.thousandths(), std::memory_order_release);
        capacity_.store(token * options.capacity, std::memory_order_release);
    }

    void start_generation() noexcept {
        const std::uint64_t most = capacity_.load(std::memory_order_relaxed);
        std::uint64_t word = word_.load(std::memory_order_acquire);
        for (;;) {
            const std::uint64_t next = (word >> balance_bits) + 1;
            const std::uint64_t balance = (std::min)(balance_of(word), most);
            if (word_.compare_exchange_weak(word, next << balance_bits | balance,
                                            std::memory_order_acq_rel, std::memory_order_acquire))
                return;
        }
    }

    alignas(detail::cache_line) threading::atomic<std::uint64_t> word_{0};
    threading::atomic<std::uint64_t> ratio_{0};    // thousandths
    threading::atomic<std::uint64_t> capacity_{0}; // thousandths
    // Apart from the word: callers that are refused must not slow down those that deposit.
    alignas(detail::cache_line) threading::atomic<std::uint64_t> refused_{0};
    mutable threading::mutex mutex_;
    RetryBudgetOptions options_{}; // guarded by mutex_
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
