// SPDX-License-Identifier: MIT
#include "run.hpp"

#include "crowd.hpp"
#include "fixed_port.hpp"
#include "log_check.hpp"

#include "../../examples/common/text_file.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace soak {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::steady_clock;

// What the allocator does not give back varies by less: README.md.
constexpr std::size_t memory_bound = 8 * 1024 * 1024;
constexpr auto patience = 15s;

// CORE's calls end soon, so that its circuit has seen everything within a second. CLAIM has all the
// time that a loaded machine may need.
std::vector<std::string> hub_options(const std::filesystem::path& directory, int core, int claim,
                                     const std::vector<std::string>& more) {
    const std::filesystem::path config = directory / "hub.json";
    const auto url = [](int port) { return "http://127.0.0.1:" + std::to_string(port); };
    example::write_text_file(
        config, json{{"reset_timeout", 0.2},
                     {"targets",
                      {{"CORE", {{"url", url(core)}, {"max_inflight", 8}, {"call_timeout", 0.25}}},
                       {"CLAIM", {{"url", url(claim)}, {"call_timeout", 10}}}}}}
                    .dump());
    std::vector<std::string> options{"--config", config.string()};
    options.insert(options.end(), more.begin(), more.end());
    return options;
}

} // namespace

Run::Run(const RunOptions& options)
    : options_{options}, began_{steady_clock::now()}, random_{options.seed},
      programs_{example::own_directory()},
      wall_clock_{programs_ / "libclock_shift.so", directory_.path() / "clock"},
      core_port_{fixed_port()},
      core_{programs_ / "target_simulator", directory_.path() / "core.err", core_port_},
      claim_{programs_ / "target_simulator",
             {"--port", "0", "--name", "CLAIM"},
             directory_.path() / "claim.err"},
      hub_{programs_ / "relay_hub",
           hub_options(directory_.path(), core_port_, claim_.port(), options.hub_options),
           directory_.path() / "hub.err", fixed_port()},
      load_{hub_.port(), ledger_, options.seed} {}

void Run::play() {
    begin_hub(next_log());
    one_hub_for_long();
    using Fault = void (Run::*)();
    std::vector<Fault> faults{&Run::kill_hub, &Run::fill_disk, &Run::exhaust_descriptors,
                              &Run::crowd_in, &Run::step_clock};
    steady_clock::duration longest{0};
    do {
        std::printf("%4lld s  troubles of the hub\n",
                    static_cast<long long>((steady_clock::now() - began_) / 1s));
        const auto begin = steady_clock::now();
        std::ranges::shuffle(faults, random_);
        for (const Fault fault : faults) (this->*fault)();
        longest = std::max(longest, steady_clock::now() - begin);
    } while (steady_clock::now() + longest < began_ + options_.length);
    end_hub();
    judge_phases();
}

void Run::one_hub_for_long() {
    // What is allocated once is allocated now: every kind of trouble, and every thread.
    round();
    crowd_in();
    const std::size_t first = hub_.resident();
    do {
        round();
        quiet("after a round");
    } while (steady_clock::now() < began_ + options_.length * 11 / 20);
    const std::size_t last = hub_.resident();
    std::printf("        memory: %zu KiB at the first quiet point, %zu KiB at the last\n", first / 1024,
                last / 1024);
    claims_.expect(Claim::memory, first > 0 && last <= first + memory_bound,
                   "the hub had " + std::to_string(first / 1024) + " KiB, then " +
                       std::to_string(last / 1024) + " KiB");
}

void Run::round() {
    std::printf("%4lld s  CORE:", static_cast<long long>((steady_clock::now() - began_) / 1s));
    auto order = troubles;
    std::ranges::shuffle(order, random_);
    for (const Trouble trouble : order) {
        std::printf(" %s", std::string{to_string(trouble)}.c_str());
        trouble_core(trouble);
    }
    std::puts("");
    recover("CORE recovers");
    trouble_core(Trouble::none);
}

void Run::trouble_core(Trouble trouble) {
    ledger_.begin_phase("CORE " + std::string{to_string(trouble)}, false);
    core_.become(trouble);
    const double before = changes_to("open");
    std::this_thread::sleep_for(800ms + Milliseconds{chance(600)});
    if (opens(trouble))
        claims_.expect(Claim::circuit, changes_to("open") > before,
                       std::string{to_string(trouble)} + ": CORE's circuit did not open");
    end_phase();
}

void Run::recover(const std::string& phase) {
    ledger_.begin_phase(phase, false);
    core_.become(Trouble::none);
    const auto deadline = steady_clock::now() + patience;
    // What was under way before may open it once more: it must stay closed for a while.
    int in_a_row = 0;
    while (in_a_row < 10 && steady_clock::now() < deadline) {
        in_a_row = hub_.targets().at("CORE").at("state") == "CLOSED" ? in_a_row + 1 : 0;
        std::this_thread::sleep_for(20ms);
    }
    claims_.expect(Claim::circuit, in_a_row == 10,
                   phase + ": CORE is well, and its circuit not closed");
    end_phase();
}

void Run::quiet(const std::string& when) {
    load_.pause();
    audit_->run(when);
    load_.resume();
}

void Run::kill_hub() {
    core_.become(troubles[chance(troubles.size())]);
    ledger_.begin_phase("hub killed", true);
    std::this_thread::sleep_for(500ms);
    const std::filesystem::path log = hub_.log();
    hub_.kill();
    std::this_thread::sleep_for(500ms); // the clients find nobody
    load_.pause();
    ledger_.end_phase(0);
    audit_->judge_killed(log);
    begin_hub(next_log());
    recover("hub is back");
    quiet("after the kill");
}

void Run::fill_disk() {
    end_hub();
    begin_hub("/dev/full");
    const std::string phase = "log on a full disk";
    for (const Trouble trouble : {Trouble::fails, Trouble::dead}) {
        ledger_.begin_phase(phase, false);
        core_.become(trouble);
        std::this_thread::sleep_for(1s);
        end_phase();
    }
    recover(phase);
    load_.pause();
    audit_->run(phase, false);
    const double lost = hub_.health().at("lost_log_lines");
    const double changes = count_changes(hub_.metrics());
    claims_.expect(Claim::full_disk, lost == changes && changes >= 3,
                   std::to_string(changes) + " changes of state, " + std::to_string(lost) +
                       " lost lines");
    end_hub();
    begin_hub(next_log());
}

void Run::exhaust_descriptors() {
    core_.become(Trouble::none);
    quiet("before the descriptors run out");
    // Enough for the clients, not for a crowd.
    const std::size_t few = audit_->open_files() + 60;
    ledger_.begin_phase("descriptors exhausted", true);
    const std::size_t before = hub_.limit_open_files(few);
    std::size_t most = 0;
    {
        const Crowd crowd{hub_.port(), 300};
        const auto end = steady_clock::now() + 1500ms;
        while (steady_clock::now() < end) {
            most = std::max(most, hub_.open_files());
            std::this_thread::sleep_for(10ms);
        }
    }
    claims_.expect(Claim::exhausted, most >= few,
                   "of " + std::to_string(few) + " descriptors the hub used " + std::to_string(most));
    const std::uint64_t served = claim_successes();
    const auto deadline = steady_clock::now() + patience;
    while (claim_successes() <= served + 20 && steady_clock::now() < deadline)
        std::this_thread::sleep_for(10ms);
    claims_.expect(Claim::exhausted, claim_successes() > served + 20,
                   "the crowd is gone, and CLAIM is not served");
    load_.pause();
    end_phase();
    hub_.limit_open_files(before);
    audit_->run("after descriptors ran out");
    load_.resume();
    recover("descriptors are back");
    quiet("with descriptors again");
}

void Run::crowd_in() {
    ledger_.begin_phase("crowd of idle clients", false);
    for (int i = 0; i < 2; ++i) {
        const Crowd crowd{hub_.port(), 700};
        std::this_thread::sleep_for(1s);
    }
    end_phase();
    quiet("after the crowd");
}

void Run::step_clock() {
    ledger_.begin_phase("clock steps", false);
    core_.become(Trouble::fails);
    const double before = changes_to("half_open");
    double longest_wait = 0;
    for (const auto shift : {24h, -24h, 1h, -8760h, 8760h, 0h}) {
        wall_clock_.shift(shift);
        const auto end = steady_clock::now() + 400ms;
        while (steady_clock::now() < end) {
            const json report = hub_.targets().at("CORE");
            const json& wait = report.at("retry_after_ms"); // null in HALF_OPEN
            if (wait.is_number()) longest_wait = std::max(longest_wait, wait.get<double>());
            std::this_thread::sleep_for(10ms);
        }
    }
    const double probes = changes_to("half_open") - before;
    claims_.expect(Claim::clock, longest_wait <= 200,
                   "a wait of " + std::to_string(longest_wait) + " ms instead of 200");
    claims_.expect(Claim::clock, probes >= 4,
                   "only " + std::to_string(probes) + " probes in 2.4 s, with a wait of 0.2 s");
    claims_.expect(Claim::clock, read_log(hub_.log()).years.size() >= 2,
                   "the hub's wall clock has not stepped: the log has one year");
    end_phase();
    recover("after clock steps");
    quiet("after clock steps");
}

void Run::begin_hub(const std::filesystem::path& log) {
    hub_.start(log);
    ledger_.open_accounts();
    audit_.emplace(claims_, hub_, ledger_, claim_.port());
    load_.resume();
}

void Run::end_hub() {
    load_.pause();
    const bool log_is_read = hub_.log() != "/dev/full";
    audit_->run("before the end", log_is_read);
    const int status = hub_.stop().value_or(-1);
    claims_.expect(Claim::exits, status == 0, "the hub ended with " + std::to_string(status));
}

std::filesystem::path Run::next_log() {
    return directory_.path() / ("breaker-" + std::to_string(++logs_) + ".log");
}

double Run::changes_to(const std::string& state) const {
    return count_changes(hub_.metrics(), "CORE", state);
}

std::uint64_t Run::claim_successes() const {
    const Accounts accounts = ledger_.accounts();
    const Counts& answers = accounts.at("CLAIM").answers;
    const auto found = answers.find("0000");
    return found == answers.end() ? 0 : found->second;
}

void Run::judge_phases() {
    for (const Phase& phase : ledger_.phases()) {
        if (phase.is_exempt) continue;
        for (const auto& [target, sample] : phase.samples)
            claims_.expect(Claim::connections, sample.count("") == 0,
                           phase.name + ": " + target + ": " + std::to_string(sample.count("")) +
                               " broken connections");
        const auto claim = phase.samples.find("CLAIM");
        const bool is_there = claim != phase.samples.end();
        if (!is_there && phase.name.empty()) continue;
        claims_.expect(Claim::claim, is_there && claim->second.rate("0000") == 1.0,
                       phase.name + ": CLAIM " + (is_there ? claim->second.codes() : "has no calls"));
    }
}

} // namespace soak
