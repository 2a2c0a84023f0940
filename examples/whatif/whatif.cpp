// SPDX-License-Identifier: MIT
#include "whatif.hpp"

#include "call_order.hpp"
#include "incidents.hpp"
#include "line_source.hpp"

#include "../common/printable.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace whatif {
namespace {

constexpr std::uint64_t most_messages = 10;

/// The replays of one target.
class TargetReplay {
  public:
    TargetReplay(const Options& options, std::string name)
        : options_{options}, queue_{options.log.max_elapsed}, finder_{options.incident_calls} {
        report_.name = std::move(name);
    }

    void add(const Call& call) {
        if (call.ending == Ending::refused) {
            ++report_.refused;
            return;
        }
        if (report_.calls++ == 0) report_.first = call.end;
        if (call.ending == Ending::failure) ++report_.failures;
        report_.last = call.end;
        finder_.add(call);
        if (queue_.add(call)) play(false);
    }

    [[nodiscard]] TargetReport finish() {
        play(true);
        for (const auto& replayer : replayers_)
            report_.outcomes.push_back(replayer->finish(report_.last));
        report_.outcomes.resize(options_.candidates.size());
        report_.incidents = options_.incidents.empty() ? finder_.finish() : options_.incidents;
        return std::move(report_);
    }

  private:
    void play(bool all) {
        const auto events = queue_.take(all);
        if (events.empty()) return;
        if (replayers_.empty()) {
            for (const Candidate& candidate : options_.candidates)
                replayers_.push_back(make_replayer(candidate, events.front().at));
        }
        for (const auto& replayer : replayers_) replayer->play(events, queue_.places());
    }

    const Options& options_;
    TargetReport report_;
    EventQueue queue_;
    IncidentFinder finder_;
    std::vector<std::unique_ptr<Replayer>> replayers_;
};

} // namespace

void read_calls(const Options& options, Targets& targets, Report& report,
                const std::function<void(const Call&)>& f, bool is_quiet) {
    CallOrder order{options.max_disorder};
    for (std::size_t i = 0; i != options.files.size(); ++i) {
        const std::string& path = options.files[i];
        const std::string name = path == "-" ? "stdin" : path;
        const std::string target = options.targets.empty()       ? std::string{}
                                   : options.targets.size() == 1 ? options.targets.front()
                                                                 : options.targets[i];
        LineSource source{path};
        const auto format = detect_format(source.peek(), options.log, targets, target, name);
        std::uint64_t number = 0;
        while (const auto line = format->has_records() ? source.next_record() : source.next()) {
            if (line->text.empty() && !line->is_too_long) continue;
            std::string_view text = line->text;
            if (number++ == 0 && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
            Parsed parsed;
            if (line->is_too_long) {
                parsed.why = "the line is longer than 1 MiB";
            } else {
                parsed = format->parse(text);
            }
            if (parsed.call) {
                if (order.add(*parsed.call)) {
                    order.release(f);
                    continue;
                }
                throw LineError{example::printable(name) + ":" + std::to_string(line->number) +
                                ": the call ended more than --max-disorder before an earlier line's"};
            }
            report.dropped += static_cast<std::uint64_t>(parsed.dropped);
            if (parsed.why == nullptr) continue;
            ++report.malformed;
            if (!is_quiet && (report.malformed <= most_messages || options.is_strict))
                std::fprintf(stderr, "%s:%ju: %s\n", example::printable(name).c_str(),
                             std::uintmax_t{line->number}, parsed.why);
            if (options.is_strict) throw LogError{"a line is malformed, and --strict is given"};
        }
        report.has_fractions = report.has_fractions || format->has_fractions();
    }
    order.finish(f);
}

Report replay(const Options& options) {
    Report report;
    Targets targets;
    std::vector<std::unique_ptr<TargetReplay>> replays;
    read_calls(
        options, targets, report,
        [&](const Call& call) {
            while (replays.size() <= call.target) {
                const auto number = static_cast<std::uint32_t>(replays.size());
                replays.push_back(std::make_unique<TargetReplay>(options, targets.name_of(number)));
            }
            replays[call.target]->add(call);
        },
        false);
    for (const auto& each : replays) report.targets.push_back(each->finish());
    std::sort(report.targets.begin(), report.targets.end(),
              [](const auto& one, const auto& other) { return one.name < other.name; });
    return report;
}

} // namespace whatif
