// SPDX-License-Identifier: MIT
#ifndef DASHPOT_RELACY_SCHEDULES_HPP
#define DASHPOT_RELACY_SCHEDULES_HPP

#include "relacy_threading.hpp"

#include <dashpot/core/duration.hpp>

#include <chrono>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

/// The check of a program: false ends it, with the history that led there.
#define HOLDS(condition)                                                                               \
    do {                                                                                               \
        if (!(condition))                                                                              \
            rl::ctx().fail_test("broken: " #condition, rl::test_result_user_assert_failed,             \
                                dashpot_threading::info(dashpot_threading::Place::current()));         \
    } while (false)

namespace schedules {

using dashpot_threading::Mistake;
using dashpot_threading::plain;

/// A program that `threads` threads run together: before() in one of them, thread(i) in each, after()
/// when all are done. It is made anew for each schedule.
template <class Derived, int threads>
class Program : public rl::test_suite<Derived, threads> {
  public:
    // Relacy would have the address of each new object as another thing to choose, which is of no
    // interest here. asan sees to memory.
    Program() { ++(rl::ctx().*(&Allocations::disable_alloc_)); }
    ~Program() { --(rl::ctx().*(&Allocations::disable_alloc_)); }

  private:
    struct Allocations : rl::context {
        using rl::context::disable_alloc_;
    };
};

/// One time for all threads, set by the program; each thread knows what it read last. Reading it is no
/// step of its own: it lies between two that are.
struct Time {
    static inline std::int64_t now = 0;
    static inline std::int64_t last_read[4] = {};

    static void start() {
        now = 0;
        for (std::int64_t& read : last_read) read = 0;
    }
};

struct Clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = dashpot::Instant;
    static constexpr bool is_steady = true;

    [[nodiscard]] static time_point now() noexcept {
        return time_point{duration{Time::last_read[rl::thread_index()] = Time::now}};
    }
};

/// How to search: every schedule, every one with so many switches that no wait forces, or so many at
/// random.
struct Search {
    enum class Kind { every, bound, random } kind = Kind::every;
    unsigned amount = 0;
};

/// Runs P as told, and says what came of it.
/// @return true if it held in every schedule tried
template <class P>
bool holds(const char* name, Search search) {
    std::ostringstream unread;
    std::ostringstream history;
    rl::test_params params;
    params.progress_stream = &unread;
    params.output_stream = &history;
    params.execution_depth_limit = 20'000;
    std::string how = "every schedule";
    switch (search.kind) {
    case Search::Kind::every: params.search_type = rl::fair_full_search_scheduler_type; break;
    case Search::Kind::bound:
        params.search_type = rl::fair_context_bound_scheduler_type;
        params.context_bound = search.amount;
        how += " of " + std::to_string(search.amount) + " free switches";
        break;
    case Search::Kind::random:
        params.search_type = rl::random_scheduler_type;
        params.iteration_count = search.amount;
        how = "at random";
        break;
    }
    const std::clock_t begin = std::clock();
    const bool held = rl::simulate<P>(params);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::cout << name << ": " << (held ? "holds in " : "BROKEN in schedule ") << params.stop_iteration
              << " (" << how << ", " << P::params::thread_count << " threads, " << seconds << " s)"
              << std::endl;
    if (!held) std::cout << history.str();
    return held;
}

/// A program, and how to search it: in a short run and in a long one.
struct Case {
    const char* name;
    bool (*holds)(const char* name, Search search);
    Search in_short;
    Search in_long;
};

/// A mistake that the case of that name must find. One that is no operation's is written into a copy of
/// the headers, which asks for it by name: see CMakeLists.txt.
struct Seeded {
    const char* name;
    const char* found_by;
    Mistake mistake{};
};

/// main() of a group of cases: all of them; or with `--long`, for longer; or with `--mistake NAME`, the
/// one that must find it.
inline int run(int argc, char** argv, std::initializer_list<Case> cases,
               std::initializer_list<Seeded> mistakes) {
    const std::string_view how = argc > 1 ? argv[1] : "";
    const std::string_view wanted = argc > 2 ? argv[2] : "";
    if (how == "--mistake") {
        for (const Seeded& seeded : mistakes) {
            if (seeded.name != wanted) continue;
            dashpot_threading::mistake = seeded.mistake;
            dashpot_threading::patch = seeded.name;
            for (const Case& each : cases) {
                if (std::string_view{each.name} != seeded.found_by) continue;
                return each.holds(each.name, each.in_short) ? 0 : 1;
            }
        }
        std::cerr << "no such mistake, or no case that finds it: " << wanted << '\n';
        return 2;
    }
    bool all_hold = true;
    for (const Case& each : cases) {
        if (how == "--case" && each.name != wanted) continue;
        all_hold = each.holds(each.name, how == "--long" ? each.in_long : each.in_short) && all_hold;
    }
    return all_hold ? 0 : 1;
}

} // namespace schedules

#endif
