// SPDX-License-Identifier: MIT
#include "whatif.hpp"

#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <unordered_map>

namespace whatif {
namespace {

using namespace std::chrono_literals;

/// The candidates that are tried.
std::vector<Candidate> make_grid() {
    std::vector<Rule> rules;
    for (const std::uint32_t threshold : {3U, 5U, 10U})
        rules.push_back(dashpot::ConsecutiveFailures{threshold});
    for (const double rate : {0.3, 0.5, 0.7})
        rules.push_back(dashpot::CountWindow{.size = 50, .minimum_calls = 20, .failure_rate = rate});
    for (const auto length : {5s, 10s})
        for (const double rate : {0.3, 0.5, 0.7})
            rules.push_back(
                dashpot::TimeWindow{.length = length, .minimum_calls = 20, .failure_rate = rate});
    std::vector<Candidate> grid;
    for (const Rule& rule : rules) {
        for (const auto wait : {2s, 5s, 10s}) {
            for (const std::uint32_t probes : {1U, 3U}) {
                const dashpot::BreakerOptions breaker{.reset_timeout = wait,
                                                      .half_open = {.probes = probes}};
                grid.push_back({to_words(rule, breaker), rule, breaker});
            }
        }
    }
    return grid;
}

/// A part of a log, replayed by all candidates of the grid.
class GridReplay {
  public:
    GridReplay(const std::vector<Candidate>& grid, std::int64_t max_elapsed)
        : grid_{grid}, queue_{max_elapsed} {}

    void add(const Call& call) {
        last_ = call.end;
        if (queue_.add(call)) play(false);
    }

    [[nodiscard]] std::vector<Outcomes> finish() {
        play(true);
        std::vector<Outcomes> result;
        for (const auto& replayer : replayers_) result.push_back(replayer->finish(last_));
        result.resize(grid_.size());
        return result;
    }

  private:
    void play(bool all) {
        const auto events = queue_.take(all);
        if (events.empty()) return;
        if (replayers_.empty()) {
            for (const Candidate& candidate : grid_)
                replayers_.push_back(make_replayer(candidate, events.front().at));
        }
        for (const auto& replayer : replayers_) replayer->play(events, queue_.places());
    }

    const std::vector<Candidate>& grid_;
    EventQueue queue_;
    std::int64_t last_ = 0;
    std::vector<std::unique_ptr<Replayer>> replayers_;
};

/// The whole log of a target, and its halves by time, each replayed from the beginning.
struct Halves {
    Halves(const std::vector<Candidate>& grid, std::int64_t max_elapsed, const TargetReport& about)
        : middle{about.first + (about.last - about.first) / 2},
          parts{GridReplay{grid, max_elapsed}, GridReplay{grid, max_elapsed},
                GridReplay{grid, max_elapsed}} {}

    void add(const Call& call) {
        parts[call.end < middle ? 0 : 1].add(call);
        parts[2].add(call);
    }

    std::int64_t middle;
    std::array<GridReplay, 3> parts;
};

using Results = std::array<std::vector<Outcomes>, 3>;
constexpr std::size_t first = 0;
constexpr std::size_t second = 1;

/// Returns true if `quick` spares no less than `careful` and refuses no fewer good calls, in each part.
bool are_ordered(const Results& results, std::size_t careful, std::size_t quick) {
    return std::all_of(results.begin(), results.end(), [&](const std::vector<Outcomes>& part) {
        return part[quick].spared >= part[careful].spared &&
               part[careful].refused_good <= part[quick].refused_good;
    });
}

/// The candidates that no other beats in both, by the first half: the Pareto front, the most careful
/// first.
std::vector<std::size_t> front_of(const std::vector<Outcomes>& outcomes) {
    std::vector<std::size_t> front;
    for (std::size_t i = 0; i != outcomes.size(); ++i) {
        const Outcomes& mine = outcomes[i];
        bool is_beaten = false;
        for (std::size_t j = 0; j != outcomes.size() && !is_beaten; ++j) {
            const Outcomes& other = outcomes[j];
            const bool is_equal =
                other.spared == mine.spared && other.refused_good == mine.refused_good;
            is_beaten = other.spared >= mine.spared && other.refused_good <= mine.refused_good &&
                        (!is_equal || j < i);
        }
        if (!is_beaten) front.push_back(i);
    }
    std::sort(front.begin(), front.end(), [&](std::size_t one, std::size_t other) {
        return outcomes[one].refused_good < outcomes[other].refused_good;
    });
    return front;
}

struct Choice {
    std::size_t careful;
    std::size_t balanced;
    std::size_t quick;
};

/// Chooses by the first half. The second half can only reject a choice: `quick` and `careful` keep
/// their order there, and `balanced` is not the worst of the three.
Choice choose(const Results& results) {
    const std::vector<Outcomes>& half = results[first];
    const auto worst = std::min_element(
        results[second].begin(), results[second].end(),
        [](const Outcomes& one, const Outcomes& other) { return one.worth() < other.worth(); });
    const std::vector<std::size_t> front = front_of(half);
    std::vector<std::size_t> by_worth = front;
    std::stable_sort(by_worth.begin(), by_worth.end(), [&](std::size_t one, std::size_t other) {
        return half[one].worth() > half[other].worth();
    });
    std::size_t balanced = by_worth.front();
    for (const std::size_t each : by_worth) {
        if (results[second][each].worth() <= worst->worth()) continue;
        balanced = each;
        break;
    }
    const std::int64_t worth = results[second][balanced].worth();
    // The most careful one that spares at least half as much, and the one that spares most.
    for (const std::size_t careful : front) {
        if (half[careful].spared * 2 < half[balanced].spared) continue;
        for (auto quick = front.rbegin(); quick != front.rend(); ++quick) {
            const std::int64_t least =
                std::min(results[second][careful].worth(), results[second][*quick].worth());
            const bool is_alike = careful == balanced && *quick == balanced;
            if (are_ordered(results, careful, *quick) && are_ordered(results, careful, balanced) &&
                are_ordered(results, balanced, *quick) && (worth > least || is_alike))
                return {careful, balanced, *quick};
        }
    }
    return {balanced, balanced, balanced};
}

} // namespace

void suggest(const Options& options, Report& report) {
    const std::vector<Candidate> grid = make_grid();
    std::unordered_map<std::string, std::unique_ptr<Halves>> by_name;
    for (const TargetReport& target : report.targets)
        by_name.emplace(target.name, std::make_unique<Halves>(grid, options.log.max_elapsed, target));
    Targets targets;
    Report again;
    std::vector<Halves*> by_number;
    read_calls(
        options, targets, again,
        [&](const Call& call) {
            if (call.ending == Ending::refused) return;
            while (by_number.size() <= call.target) {
                const auto number = static_cast<std::uint32_t>(by_number.size());
                const auto found = by_name.find(targets.name_of(number));
                by_number.push_back(found == by_name.end() ? nullptr : found->second.get());
            }
            if (Halves* const halves = by_number[call.target]) halves->add(call);
        },
        true);
    for (TargetReport& target : report.targets) {
        Halves& halves = *by_name.at(target.name);
        const Results results{halves.parts[0].finish(), halves.parts[1].finish(),
                              halves.parts[2].finish()};
        const Choice choice = choose(results);
        const auto add = [&](const char* name, std::size_t which) {
            target.suggestions.push_back(
                {name, grid[which], results[first][which], results[second][which]});
        };
        add("careful", choice.careful);
        add("balanced", choice.balanced);
        add("quick", choice.quick);
    }
}

} // namespace whatif
