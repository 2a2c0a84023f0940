// SPDX-License-Identifier: MIT
#include "bounds.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <fstream>

namespace bench {

namespace {

constexpr double tolerated = 1.10;

double load(const Measurements& m) { return m.ns("atomic_load"); }
double mine(const Measurements& m) { return m.ns("private_fetch_add"); }
double mutex(const Measurements& m) { return m.ns("mutex_pair"); }
double steady(const Measurements& m) { return m.ns("steady_clock_now"); }
double coarse(const Measurements& m) { return m.ns("coarse_clock_now"); }

/// An empty pipeline, and what each of four pieces adds to it.
double sum_of_parts(const Measurements& m) {
    const double empty = m.ns("pipeline_empty");
    double sum = empty;
    for (const char* part :
         {"pipeline_retry", "pipeline_breaker", "pipeline_bulkhead", "pipeline_timeout"}) {
        sum += m.ns(part) - empty;
    }
    return sum;
}

} // namespace

const std::vector<Bound>& bounds() {
    using M = const Measurements&;
    static const std::vector<Bound> all{
        {"allow(), CLOSED", "allow_closed", "2.5 x load", [](M m) { return 2.5 * load(m); },
         "1 x one thread", [](M m) { return m.ns("allow_closed"); }},
        {"allow() + record_success(), ConsecutiveFailures", "consecutive_healthy", "5 x load",
         [](M m) { return 5 * load(m); }, "1 x one thread",
         [](M m) { return m.ns("consecutive_healthy"); }},
        {"allow() + record_success(), CountWindow full and clean", "count_window_healthy", "5 x load",
         [](M m) { return 5 * load(m); }, "1 x one thread",
         [](M m) { return m.ns("count_window_healthy"); }},
        {"try_acquire() + success()", "permit_healthy", "8 x load", [](M m) { return 8 * load(m); },
         "1 x one thread", [](M m) { return m.ns("permit_healthy"); }},
        {"call(f)", "call_healthy", "f + 10 x load",
         [](M m) { return m.ns("bare_function") + 10 * load(m); }, "1 x one thread",
         [](M m) { return m.ns("call_healthy"); }},
        {"CountWindow 100, 1 in 10 fails", "count_window_failing", "1.0 x mutex", mutex,
         "0.7 x textbook ring", [](M m) { return 0.7 * m.ns("textbook_ring", 2); }},
        {"TimeWindow 10 x 1 s, healthy", "time_window_healthy", "steady + 1.7 x private add",
         [](M m) { return steady(m) + 1.7 * mine(m); }, "1.15 x one thread",
         [](M m) { return 1.15 * m.ns("time_window_healthy"); }},
        {"TimeWindow, 1 in 10 fails", "time_window_failing", "steady + 1.2 x mutex",
         [](M m) { return steady(m) + 1.2 * mutex(m); }, "0.7 x textbook buckets",
         [](M m) { return 0.7 * m.ns("textbook_buckets", 2); }},
        {"TimeWindow, 1 in 10 fails, coarse clock", "time_window_failing_coarse", "1.3 x mutex",
         [](M m) { return 1.3 * mutex(m); }, "", nullptr},
        {"refused, OPEN", "open_refusal", "1.05 x (steady + private add)",
         [](M m) { return 1.05 * (steady(m) + mine(m)); }, "1 x one thread",
         [](M m) { return m.ns("open_refusal"); }},
        {"refused, OPEN, coarse clock", "open_refusal_coarse", "1.05 x (coarse + private add)",
         [](M m) { return 1.05 * (coarse(m) + mine(m)); }, "1 x one thread",
         [](M m) { return m.ns("open_refusal_coarse"); }},
        {"refused, HALF_OPEN, probe out", "half_open_refusal", "1.05 x (steady + private add)",
         [](M m) { return 1.05 * (steady(m) + mine(m)); }, "1 x one thread",
         [](M m) { return m.ns("half_open_refusal"); }},
        {"Bulkhead, acquire + release", "bulkhead", "1.1 x two shared adds",
         [](M m) { return 1.1 * 2 * m.ns("shared_fetch_add"); }, "1.2 x two shared adds",
         [](M m) { return 1.2 * 2 * m.ns("shared_fetch_add", 2); }},
        {"RateLimiter, granted", "rate_limiter", "1.15 x (steady + shared add)",
         [](M m) { return 1.15 * (steady(m) + m.ns("shared_fetch_add")); },
         "1.15 x (steady + shared add)",
         [](M m) { return 1.15 * (m.ns("steady_clock_now", 2) + m.ns("shared_fetch_add", 2)); }},
        {"RateLimiter, refused", "rate_limiter_refused", "1.05 x (steady + private add)",
         [](M m) { return 1.05 * (steady(m) + mine(m)); }, "", nullptr},
        {"Throttler, healthy", "throttler_healthy", "1 x TimeWindow, healthy",
         [](M m) { return m.ns("time_window_healthy"); }, "1 x TimeWindow, healthy",
         [](M m) { return m.ns("time_window_healthy", 2); }},
        {"Throttler, 1 in 10 fails", "throttler_failing", "1 x TimeWindow, 1 in 10 fails",
         [](M m) { return m.ns("time_window_failing"); }, "1 x TimeWindow, 1 in 10 fails",
         [](M m) { return m.ns("time_window_failing", 2); }},
        {"RetryBudget, deposit", "retry_budget_deposit", "1.2 x shared add",
         [](M m) { return 1.2 * m.ns("shared_fetch_add"); }, "1.2 x shared add",
         [](M m) { return 1.2 * m.ns("shared_fetch_add", 2); }},
        {"QueuedBulkhead, a slot is free", "queued_bulkhead", "1.3 x bulkhead",
         [](M m) { return 1.3 * m.ns("bulkhead"); }, "1.3 x bulkhead",
         [](M m) { return 1.3 * m.ns("bulkhead", 2); }},
        {"QueuedBulkhead, hand-over to a waiting thread", "hand_over_queued",
         "1.3 x condition variable", [](M m) { return 1.3 * m.ns("hand_over_bare"); }, "", nullptr},
        {"AdaptiveLimiter, acquire + success", "adaptive_limiter_gradient",
         "bulkhead + 2 x steady + 1.2 x mutex",
         [](M m) { return m.ns("bulkhead") + 2 * steady(m) + 1.2 * mutex(m); }, "", nullptr},
        {"Target, enter + settle", "target_healthy", "1.1 x (permit + bulkhead)",
         [](M m) { return 1.1 * (m.ns("permit_healthy") + m.ns("bulkhead")); }, "", nullptr},
        {"pipeline(breaker).call(f)", "pipeline_breaker", "1 x call(f)",
         [](M m) { return m.ns("pipeline_bare_call"); }, "", nullptr},
        {"pipeline(Retry).call(f), a success", "pipeline_retry", "pipeline() + 1 ns",
         [](M m) { return m.ns("pipeline_empty") + 1; }, "", nullptr},
        {"pipeline(Timeout).call(f)", "pipeline_timeout", "pipeline() + steady",
         [](M m) { return m.ns("pipeline_empty") + steady(m); }, "", nullptr},
        {"pipeline(Retry, breaker, bulkhead, Timeout)", "pipeline_all", "1.1 x the sum of its parts",
         [](M m) { return 1.1 * sum_of_parts(m); }, "", nullptr},
        {"Registry::get(name)", "registry_get", "1.2 x (map find + two private adds)",
         [](M m) { return 1.2 * (m.ns("map_find") + 2 * mine(m)); }, "1.15 x one thread",
         [](M m) { return 1.15 * m.ns("registry_get"); }},
    };
    return all;
}

bool judge(const Measurements& measured) {
    std::printf("\nFloors, ns (1 / 2 threads):");
    for (const char* const name :
         {"atomic_load", "private_fetch_add", "shared_fetch_add", "mutex_pair", "steady_clock_now",
          "coarse_clock_now", "map_find", "counting_semaphore", "bare_function", "textbook_breaker",
          "textbook_ring", "textbook_buckets"}) {
        std::printf("\n  %-20s %7.2f / %7.2f", name, measured.ns(name), measured.ns(name, 2));
    }
    std::printf("\n\n%-55s %8s  %-36s %6s  %-12s %8s  %-22s %6s\n", "path", "ns", "bound, 1 thread",
                "ratio", "verdict", "ns", "bound, 2 threads", "ratio");
    bool holds = true;
    for (const Bound& bound : bounds()) {
        const double took = measured.ns(bound.benchmark);
        const double ratio = took / bound.limit(measured);
        const bool is_met = ratio <= tolerated; // false for NaN: it did not run
        holds = holds && is_met;
        const char* const verdict = !is_met ? "MISSED" : ratio <= 1 ? "met" : "within 10 %";
        std::printf("%-55s %8.2f  %-36s %6.2f  %-12s", bound.path.c_str(), took,
                    bound.one_thread.c_str(), ratio, verdict);
        const double of_two = measured.ns(bound.benchmark, 2);
        std::printf(" %8.2f", of_two);
        if (bound.limit_of_two != nullptr) {
            std::printf("  %-22s %6.2f", bound.two_threads.c_str(),
                        of_two / bound.limit_of_two(measured));
        }
        std::printf("\n");
    }
    return holds;
}

double allocations_on_calls(const Measurements& measured) {
    double all = 0;
    for (const auto& [key, each] : measured.all()) {
        for (const double count : each.allocations) all += count;
    }
    return all;
}

void write_json(const Measurements& measured, const std::string& file) {
    nlohmann::json all{{"machine", Measurements::machine()}};
    for (const auto& [key, each] : measured.all()) {
        all["benchmarks"].push_back({{"name", key.name},
                                     {"threads", key.threads},
                                     {"argument", key.argument},
                                     {"median_ns", each.median()},
                                     {"ns", each.nanoseconds}});
    }
    for (const Bound& bound : bounds()) {
        const double limit = bound.limit(measured);
        if (std::isnan(limit)) continue;
        all["bounds"].push_back({{"path", bound.path},
                                 {"bound", bound.one_thread},
                                 {"limit_ns", limit},
                                 {"median_ns", measured.ns(bound.benchmark)},
                                 {"ratio", measured.ns(bound.benchmark) / limit}});
    }
    std::ofstream{file} << all.dump(2) << '\n';
}

} // namespace bench
