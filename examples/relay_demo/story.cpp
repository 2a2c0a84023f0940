// SPDX-License-Identifier: MIT
#include "story.hpp"

#include "contests.hpp"

#include "../common/log_line.hpp"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace relay_demo {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::size_t slow_core_callers = 250;
constexpr auto slow_core_time = 4s;
constexpr std::size_t callers_at_recovery = 20;

void print_times(const char* what, const Sample& sample, std::string_view code) {
    std::printf("   %-6s %zu x %s: p50 %.2f ms, p99 %.2f ms\n", what, sample.count(code),
                std::string{code}.c_str(), to_ms(sample.percentile(0.5, code)),
                to_ms(sample.percentile(0.99, code)));
}

} // namespace

Story::Story() {
    std::puts("A front office calls CORE (accounts) and CLAIM (insurance claims) through the hub.\n"
              "Hub and targets are processes, all traffic is HTTP.");
    std::printf("Per target: %u failures in a row open the circuit for %d s, %u calls in flight.\n",
                fail_threshold, reset_seconds, max_inflight);
    claim_callers_ = std::make_unique<Load>(claim_load());
    begin_scene();
}

LoadOptions Story::claim_load() const {
    return {.port = fleet_.hub_port(), .target = "CLAIM", .clients = 4, .pause = 5ms};
}

void Story::begin_scene() {
    static_cast<void>(claim_callers_->take());
    scene_began_ = steady_clock::now();
}

void Story::end_scene(const std::string& name) {
    const auto now = steady_clock::now();
    claim_table_.add({name, claim_callers_->take(), now - scene_began_});
}

void Story::normal() {
    std::puts("\n1  Normal: both targets answer.");
    begin_scene();
    Load core{{.port = fleet_.hub_port(), .target = "CORE", .clients = 4, .calls = 250}};
    const Sample sample = core.finish(10s);
    end_scene("1 normal");
    print_times("CORE", sample, "0000");
    verdicts_.add(sample.count() == 1000 && sample.rate("0000") == 1.0,
                  "normal: every call is answered by its target");
}

void Story::business_rejections() {
    std::puts("\n2  Business rejections: CORE answers B201, insufficient balance.");
    fleet_.set_core({{"mode", "reject"}});
    begin_scene();
    Load core{{.port = fleet_.hub_port(), .target = "CORE", .clients = 4, .calls = 100}};
    const Sample sample = core.finish(5s);
    end_scene("2 CORE rejects");
    const std::string state = fleet_.core_report().at("state");
    std::printf("   CORE   %s; its circuit is %s\n", sample.codes().c_str(), state.c_str());
    verdicts_.add(sample.count("B201") == 400 && state == "CLOSED" && fleet_.log_lines().empty(),
                  "business rejections: 400 in a row, and nothing trips");
}

void Story::core_is_dead() {
    std::puts("\n3  CORE is dead: every call ends in an HTTP 500.");
    fleet_.set_core({{"mode", "fail"}});
    begin_scene();
    Load first{{.port = fleet_.hub_port(), .target = "CORE", .clients = 1, .calls = fail_threshold}};
    const Sample failures = first.finish(5s);
    const std::string state = fleet_.core_report().at("state");
    std::printf("   CORE   %s; its circuit is %s\n", failures.codes().c_str(), state.c_str());
    Load flood{{.port = fleet_.hub_port(), .target = "CORE", .clients = 4, .calls = 1000}};
    const Sample refusals = flood.finish(2s);
    end_scene("3 CORE dead");
    const int calls = fleet_.core_stats().at("calls");
    print_times("hub", refusals, "E904");
    std::printf("   CORE   saw %d calls, by its own count\n", calls);
    verdicts_.add(failures.count("E500") == fail_threshold && state == "OPEN",
                  "CORE dead: the circuit opens after 5 failures");
    verdicts_.add(refusals.count() >= 1000 && refusals.rate("E904") == 1.0,
                  "CORE dead: then thousands of calls are refused with E904");
    verdicts_.add(refusals.percentile(0.99) < 50ms, "CORE dead: refused at once, p99 below 50 ms");
    verdicts_.add(calls == static_cast<int>(fail_threshold),
                  "CORE dead: not one call reaches it while the circuit is open");
}

void Story::recovery() {
    std::puts("\n4  Recovery: CORE is back, and 20 callers come at the end of the wait.");
    // Slow, so that all of them ask while the probe is under way.
    fleet_.set_core({{"mode", "slow"}, {"delay_ms", 700}});
    begin_scene();
    const auto give_up = steady_clock::now() + std::chrono::seconds{2 * reset_seconds};
    while (fleet_.core_report().at("retry_after_ms") > 0 && steady_clock::now() < give_up)
        std::this_thread::sleep_for(5ms);
    Load callers{
        {.port = fleet_.hub_port(), .target = "CORE", .clients = callers_at_recovery, .calls = 1}};
    const Sample sample = callers.finish(5s);
    end_scene("4 CORE recovers");
    const int calls = fleet_.core_stats().at("calls");
    const std::string state = fleet_.core_report().at("state");
    std::printf("   CORE   %s; it saw %d call; its circuit is %s\n", sample.codes().c_str(), calls,
                state.c_str());
    verdicts_.add(calls == 1 && sample.count("0000") == 1 && state == "CLOSED",
                  "recovery: one probe, no more, closes the circuit");
}

// Nearly three times the threads of the hub: in the control, they are all it has to offer.
LoadOptions Story::slow_core_load() const {
    return {.port = fleet_.hub_port(), .target = "CORE", .clients = slow_core_callers, .pause = 150ms};
}

void Story::core_is_slow() {
    std::puts("\n5  CORE is slow: a second per answer, and 250 callers.");
    fleet_.set_core({{"mode", "slow"}, {"delay_ms", 1000}});
    begin_scene();
    Load core{slow_core_load()};
    const Sample sample = core.finish(slow_core_time);
    end_scene("5 CORE slow, compartments");
    const auto highest = fleet_.core_stats().at("max_inflight").get<std::uint32_t>();
    print_times("CORE", sample, "0000");
    print_times("hub", sample, "E905");
    std::printf("   CORE   had %u calls in flight at most, by its own count\n", highest);
    verdicts_.add(sample.count("E905") > 0 && sample.percentile(0.99, "E905") < 250ms,
                  "CORE slow: what is too much is refused with E905, p99 below 250 ms");
    verdicts_.add(highest > 0 && highest <= max_inflight,
                  "CORE slow: never more than 10 calls in flight");
}

void Story::without_protection() {
    std::puts("\n6  Control: the same load on the same hub, started with --no-protection.");
    claim_callers_.reset();
    const int status = fleet_.restart_hub({"--no-protection"});
    verdicts_.add(status == 0, "the hub ends with exit status 0");
    fleet_.set_core({{"mode", "slow"}, {"delay_ms", 1000}});
    claim_callers_ = std::make_unique<Load>(claim_load());
    begin_scene();
    Load core{slow_core_load()};
    const Sample sample = core.finish(slow_core_time);
    end_scene("6 CORE slow, no compartments");
    const auto highest = fleet_.core_stats().at("max_inflight").get<std::uint32_t>();
    print_times("CORE", sample, "0000");
    std::printf("   CORE   had %u calls in flight at most, by its own count\n", highest);
    claim_callers_.reset();
}

void Story::contests() {
    compare_limits(verdicts_);
    compare_retries(verdicts_);
}

void Story::judge_control() {
    const auto& rows = claim_table_.rows();
    const auto& unprotected = rows.back();
    const auto& with_compartments = rows[rows.size() - 2];
    bool all_well = true;
    for (const auto& row : rows)
        if (&row != &unprotected)
            all_well = all_well && row.sample.count() > 0 && row.sample.rate("0000") == 1.0;
    verdicts_.add(all_well, "CLAIM: every call succeeds, whatever happens to CORE");
    verdicts_.add(with_compartments.sample.percentile(0.99) < 250ms,
                  "CLAIM: p99 below 250 ms while CORE is slow");
    verdicts_.add(with_compartments.per_second() > 5 * unprotected.per_second(),
                  "control: without compartments, CLAIM has less than a fifth of the calls");
}

void Story::judge_log() {
    const std::vector<std::string> lines = fleet_.log_lines();
    std::puts("\nbreaker.log");
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
    const std::vector<std::string> changes{"CLOSED->OPEN", "OPEN->HALF_OPEN", "HALF_OPEN->CLOSED"};
    bool is_right = lines.size() == changes.size();
    for (std::size_t i = 0; is_right && i < changes.size(); ++i)
        is_right = example::is_log_line(lines[i], "CORE", changes[i]);
    verdicts_.add(is_right, "the log has CORE's three changes of state, and nothing else");
}

void Story::end() {
    claim_table_.print();
    judge_control();
    judge_log();
    verdicts_.add(fleet_.stop(), "all programs end with exit status 0");
}

} // namespace relay_demo
