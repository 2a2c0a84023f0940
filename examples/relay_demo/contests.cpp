// SPDX-License-Identifier: MIT
#include "contests.hpp"

#include "claim_table.hpp"
#include "contest.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace relay_demo {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using Results = std::vector<Contest::Result>;

// The circuits stay closed: what is shown are the limits and the retries.
constexpr int never_opens = 1'000'000;

// --- Limits

constexpr auto service_time = 60ms;
constexpr int full_capacity = 8;
constexpr auto caller_patience = 400ms;

double capacity_per_second(int capacity) {
    return capacity / std::chrono::duration<double>{service_time}.count();
}

json slow(int capacity) {
    return {{"mode", "slow"}, {"delay_ms", service_time.count()}, {"capacity", capacity}};
}

/// Of the calls that CORE got: those that were answered, and those that its callers gave up.
Sample made(const Contest::Result& result) {
    Sample all;
    result.sample.copy_to(all, "0000");
    result.sample.copy_to(all, "E901");
    return all;
}

void print_limits(const char* when, int capacity, const Results& results) {
    std::printf("   %s: CORE can answer %.0f calls/s\n", when, capacity_per_second(capacity));
    for (const Contest::Result& result : results)
        std::printf("     %-8s goodput %5.1f calls/s, p99 %5.0f ms; %s\n", result.name.c_str(),
                    result.per_second("0000"), to_ms(made(result).percentile(0.99)),
                    result.sample.codes().c_str());
}

// --- Retries

void print_retries(const char* when, const Results& results) {
    std::printf("   %s\n", when);
    for (const Contest::Result& result : results)
        std::printf("     %-8s %5.1f %% of %zu requests succeed, %.2f calls to CORE for each\n",
                    result.name.c_str(), 100 * result.sample.rate("0000"), result.sample.count(),
                    result.load());
}

json retry(const json& budget) {
    return {{"fail_threshold", never_opens},
            {"retry", {{"max_attempts", 3}, {"wait", 0.01}, {"idempotent", true}, {"budget", budget}}}};
}

} // namespace

void compare_limits(Verdicts& verdicts) {
    std::puts(
        "\n7  CORE's capacity halves. 50 callers wait 400 ms for an answer, and call again 250 ms\n"
        "   later. FIXED may have 60 calls in flight, LEARNED finds out.");
    Contest contest{{{"FIXED", {{"max_inflight", 60}, {"fail_threshold", never_opens}}},
                     {"LEARNED",
                      {{"adaptive", {{"initial", 4}, {"min", 2}, {"max", 60}, {"smoothing", 0.5}}},
                       {"fail_threshold", never_opens}}}}};
    contest.set_all(slow(full_capacity));
    contest.begin_load({.clients = 50, .pause = 250ms, .patience = caller_patience});
    Contest::settle(4s);
    print_limits("whole", full_capacity, contest.observe(2s));
    contest.set_all(slow(full_capacity / 2));
    Contest::settle(4s);
    const Results halved = contest.observe(3s);
    print_limits("half ", full_capacity / 2, halved);
    std::printf("     LEARNED has come to a limit of %d\n",
                contest.report("LEARNED").at("max_inflight").get<int>());
    const double possible = capacity_per_second(full_capacity / 2);
    const double fixed = halved[0].per_second("0000");
    const double learned = halved[1].per_second("0000");
    verdicts.add(fixed < 0.4 * possible,
                 "half the capacity: with a fixed limit, less than 40 % of what CORE can do is of use");
    verdicts.add(learned > 0.5 * possible && learned > 2 * fixed,
                 "half the capacity: with a learned one, more than half, and twice as much as with a "
                 "fixed one");
    verdicts.add(made(halved[1]).percentile(0.9) < made(halved[0]).percentile(0.9),
                 "half the capacity: with a learned one, CORE answers sooner");
    verdicts.add(contest.stop(), "half the capacity: all programs end with exit status 0");
}

void compare_retries(Verdicts& verdicts) {
    std::puts(
        "\n8  CORE fails. ONCE calls it once, AGAIN up to three times, BUDGET too, but half as often\n"
        "   again as calls succeed, and 20 times on credit.");
    Contest contest{{{"ONCE", {{"fail_threshold", never_opens}}},
                     {"AGAIN", retry(false)},
                     {"BUDGET", retry({{"ratio", 0.5}, {"capacity", 20}})}}};
    contest.set_all({{"mode", "fail"}, {"fail_rate", 0.3}});
    contest.begin_load({.clients = 5, .pause = 30ms});
    Contest::settle(300ms);
    const Results shaky = contest.observe(3s);
    print_retries("CORE fails three calls in ten:", shaky);
    contest.set_all({{"mode", "fail"}});
    Contest::settle(1s);
    const Results down = contest.observe(3s);
    print_retries("CORE is down:", down);
    verdicts.add(shaky[0].sample.rate("0000") < 0.82,
                 "CORE fails 30 %: without a retry, that is what callers see");
    verdicts.add(shaky[1].sample.rate("0000") > 0.9 && shaky[2].sample.rate("0000") > 0.9,
                 "CORE fails 30 %: with retries, more than 90 % succeed, also on a budget");
    verdicts.add(down[1].load() > 2.5, "CORE is down: retries without a budget multiply its load");
    verdicts.add(down[2].load() < 1.2, "CORE is down: with a budget it has the load of no retry");
    verdicts.add(contest.stop(), "retries: all programs end with exit status 0");
}

} // namespace relay_demo
