// SPDX-License-Identifier: MIT
#ifndef DASHPOT_RELACY_THREADING_HPP
#define DASHPOT_RELACY_THREADING_HPP

// What DASHPOT_THREADING_HEADER names to run the guards under Relacy. Before anything else of the
// program but its standard headers, since Relacy's own redefine words of the language; here they are
// put right again, so nothing has to be written differently for it.
#include <atomic>
#include <cassert>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include <relacy/relacy.hpp>

#undef VAR
#undef assert
#undef calloc
#undef delete
#undef errno
#undef free
#undef malloc
#undef memory_order_acq_rel
#undef memory_order_acquire
#undef memory_order_consume
#undef memory_order_relaxed
#undef memory_order_release
#undef memory_order_seq_cst
#undef new
#undef realloc
#include <cassert>
#define errno (*__errno_location())

namespace dashpot_threading {

/// Where in the code under test something is done. Not a std::source_location: clang 14 has none.
struct Place {
    const char* file;
    const char* function;
    unsigned line;

    [[nodiscard]] static constexpr Place current(const char* file = __builtin_FILE(),
                                                 const char* function = __builtin_FUNCTION(),
                                                 unsigned line = __builtin_LINE()) noexcept {
        return {file, function, line};
    }
};

[[nodiscard]] inline rl::debug_info info(const Place& at) noexcept {
    return {at.function, at.file, at.line};
}

/// A mistake to make in the code under test, to see it found: which operation, in which file and
/// function, and what becomes of it.
struct Mistake {
    enum class Kind {
        none,
        relaxed, // the operation loses its order
        torn,    // a read-modify-write becomes a load and a store
        left_out // the operation does not take place
    };
    Kind kind = Kind::none;
    std::string_view file{};     // the end of its path
    std::string_view function{}; // a part of its name
    std::string_view
        operation{}; // "load", "store", "exchange", "compare_exchange", "fetch", "lock" ...

    [[nodiscard]] bool is_at(std::string_view done, const Place& at) const noexcept {
        return kind != Kind::none && done == operation && std::string_view{at.file}.ends_with(file) &&
               (function.empty() || function == name_of(at));
    }

    /// Without the template arguments that g++ adds.
    [[nodiscard]] static std::string_view name_of(const Place& at) noexcept {
        const std::string_view name = at.function;
        return name.substr(0, name.find('<'));
    }
};

/// The mistake that is made now; none unless a test says so.
inline Mistake mistake{};

/// The name of it, for those that are written into a copy of the headers.
inline std::string_view patch{};

/// What to make of an operation, as the mistake would have it.
[[nodiscard]] inline Mistake::Kind done_as(std::string_view operation, const Place& at) noexcept {
    return mistake.is_at(operation, at) ? mistake.kind : Mistake::Kind::none;
}

[[nodiscard]] constexpr rl::memory_order order_of(std::memory_order order,
                                                  Mistake::Kind as = {}) noexcept {
    if (as == Mistake::Kind::relaxed) return rl::mo_relaxed;
    switch (order) {
    case std::memory_order_relaxed: return rl::mo_relaxed;
    case std::memory_order_consume: return rl::mo_consume;
    case std::memory_order_acquire: return rl::mo_acquire;
    case std::memory_order_release: return rl::mo_release;
    case std::memory_order_acq_rel: return rl::mo_acq_rel;
    case std::memory_order_seq_cst: break;
    }
    return rl::mo_seq_cst;
}

/// A std::atomic that Relacy sees: each operation is a step, and a load may read what is old.
template <class T>
class atomic {
  public:
    /// Nobody else sees it yet, so its first value is no step.
    atomic(T value = T{}) {
        const rl::preemption_disabler alone{rl::ctx()};
        value_.store(value, rl::mo_relaxed, info(Place::current()));
    }
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order order = std::memory_order_seq_cst, Place at = Place::current()) const {
        return value_.load(order_of(order, done_as("load", at)), info(at));
    }
    void store(T value, std::memory_order order = std::memory_order_seq_cst,
               Place at = Place::current()) {
        const auto as = done_as("store", at);
        if (as != Mistake::Kind::left_out) value_.store(value, order_of(order, as), info(at));
    }
    T exchange(T value, std::memory_order order = std::memory_order_seq_cst,
               Place at = Place::current()) {
        const auto as = done_as("exchange", at);
        if (as == Mistake::Kind::torn) return tear(order, at, [&](T) { return value; });
        return value_.exchange(value, order_of(order, as), info(at));
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                               std::memory_order failure, Place at = Place::current()) {
        return exchange_if<true>(expected, desired, success, failure, at);
    }
    bool compare_exchange_weak(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst,
                               Place at = Place::current()) {
        return exchange_if<true>(expected, desired, order, on_failure(order), at);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure, Place at = Place::current()) {
        return exchange_if<false>(expected, desired, success, failure, at);
    }
    bool compare_exchange_strong(T& expected, T desired,
                                 std::memory_order order = std::memory_order_seq_cst,
                                 Place at = Place::current()) {
        return exchange_if<false>(expected, desired, order, on_failure(order), at);
    }
    T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst,
                Place at = Place::current()) {
        const auto as = done_as("fetch", at);
        if (as == Mistake::Kind::torn) return tear(order, at, [&](T old) { return old + value; });
        return value_.fetch_add(value, order_of(order, as), info(at));
    }
    T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst,
                Place at = Place::current()) {
        const auto as = done_as("fetch", at);
        if (as == Mistake::Kind::torn) return tear(order, at, [&](T old) { return old - value; });
        return value_.fetch_sub(value, order_of(order, as), info(at));
    }
    operator T() const { return load(); }

  private:
    [[nodiscard]] static constexpr std::memory_order on_failure(std::memory_order order) noexcept {
        if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
        return order == std::memory_order_release ? std::memory_order_relaxed : order;
    }

    template <bool is_weak>
    bool exchange_if(T& expected, T desired, std::memory_order success, std::memory_order failure,
                     Place at) {
        const auto as = done_as("compare_exchange", at);
        if (as == Mistake::Kind::torn) {
            const T seen = value_.load(order_of(failure), info(at));
            if (seen == expected) value_.store(desired, storing(success), info(at));
            return seen == std::exchange(expected, seen);
        }
        return value_.compare_exchange(rl::bool_t<is_weak>{}, expected, desired, order_of(success, as),
                                       order_of(failure, as), info(at));
    }

    template <class F>
    T tear(std::memory_order order, const Place& at, F&& next) {
        const T old = value_.load(loading(order), info(at));
        value_.store(next(old), storing(order), info(at));
        return old;
    }
    [[nodiscard]] static constexpr rl::memory_order loading(std::memory_order order) noexcept {
        if (order == std::memory_order_acq_rel) return rl::mo_acquire;
        return order == std::memory_order_release ? rl::mo_relaxed : order_of(order);
    }
    [[nodiscard]] static constexpr rl::memory_order storing(std::memory_order order) noexcept {
        if (order == std::memory_order_acq_rel) return rl::mo_release;
        return order == std::memory_order_acquire ? rl::mo_relaxed : order_of(order);
    }

    mutable rl::atomic<T> value_;
};

/// A std::mutex that Relacy sees.
class mutex {
  public:
    mutex() = default;
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock(Place at = Place::current()) {
        if (done_as("lock", at) != Mistake::Kind::left_out) mutex_.lock(info(at));
    }
    bool try_lock(Place at = Place::current()) { return mutex_.try_lock(info(at)); }
    void unlock(Place at = Place::current()) {
        if (done_as("lock", at) != Mistake::Kind::left_out) mutex_.unlock(info(at));
    }

  private:
    rl::mutex mutex_;
};

/// A std::condition_variable that Relacy sees; under the random scheduler it wakes spuriously too.
class condition_variable {
  public:
    condition_variable() = default;
    condition_variable(const condition_variable&) = delete;
    condition_variable& operator=(const condition_variable&) = delete;

    void notify_one(Place at = Place::current()) {
        if (done_as("notify", at) != Mistake::Kind::left_out) ready_.notify_one(info(at));
    }
    void notify_all(Place at = Place::current()) {
        if (done_as("notify", at) != Mistake::Kind::left_out) ready_.notify_all(info(at));
    }
    void wait(std::unique_lock<mutex>& lock, Place at = Place::current()) {
        struct Held {
            std::unique_lock<mutex>& lock_;
            void lock(rl::debug_info_param) { lock_.lock(); }
            void unlock(rl::debug_info_param) { lock_.unlock(); }
        } held{lock};
        ready_.wait(held, info(at));
    }
    template <class Predicate>
    void wait(std::unique_lock<mutex>& lock, Predicate is_over, Place at = Place::current()) {
        if (done_as("wait", at) == Mistake::Kind::left_out) return;
        while (!is_over()) wait(lock, at);
    }
    /// Relacy has no time that passes by itself: a wait that ends only by time would never end.
    template <class Duration>
    void wait_for(std::unique_lock<mutex>& lock, const Duration&, Place at = Place::current()) {
        if (done_as("wait", at) != Mistake::Kind::left_out) wait(lock, at);
    }

  private:
    rl::condition_variable ready_;
};

/// Plain data that Relacy watches: two accesses, one of them a write, that no order holds apart are a
/// data race, and end the test.
template <class T>
class plain {
  public:
    plain(T value = T{}) : value_{std::move(value)}, accesses_{0} {}
    plain(const plain& other) : plain{static_cast<const T&>(other)} {}
    plain& operator=(const plain& other) { return *this = static_cast<const T&>(other); }
    plain& operator=(const T& value) {
        accesses_(info(Place::current())).store(0);
        value_ = value;
        return *this;
    }
    operator const T&() const {
        (void)accesses_(info(Place::current())).load();
        return value_;
    }

  private:
    T value_;
    rl::var<int> accesses_;
};

[[nodiscard]] inline std::size_t thread_number() noexcept {
    return rl::thread_index() + std::size_t{1};
}

} // namespace dashpot_threading

#endif
