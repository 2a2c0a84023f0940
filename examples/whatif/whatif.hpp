// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_WHATIF_HPP
#define DASHPOT_EXAMPLES_WHATIF_WHATIF_HPP

#include "call.hpp"
#include "candidate.hpp"
#include "incidents.hpp"
#include "log_format.hpp"
#include "replay.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace whatif {

/// What the command line asks for.
struct Options {
    std::vector<std::string> files;
    std::vector<Candidate> candidates;
    std::vector<std::string> targets; ///< Of --target: one for all files, or one for each.
    LogOptions log;
    std::int64_t max_disorder = 0;
    bool is_strict = false;
    bool wants_json = false;
    bool wants_suggestions = false;
    std::string write_config;
    std::uint64_t incident_calls = 5; ///< The calls that a second of an incident has at least.
    std::vector<Incident> incidents;  ///< Given; empty: found in the log.
};

/// A candidate that was chosen from the log.
struct Suggestion {
    std::string name; ///< careful, balanced or quick.
    Candidate candidate;
    Outcomes first_half;  ///< By which it was chosen.
    Outcomes second_half; ///< By which it was judged.
};

/// What the log says about a target, and what the candidates would have done.
struct TargetReport {
    std::string name;
    std::uint64_t calls = 0; ///< That were replayed.
    std::uint64_t failures = 0;
    std::uint64_t refused = 0; ///< Lines of refused calls, which are not replayed.
    std::int64_t first = 0;    ///< When the first replayed call ended.
    std::int64_t last = 0;     ///< When the last one ended.
    std::vector<Incident> incidents{};
    std::vector<Outcomes> outcomes{}; ///< Of each candidate.
    std::vector<Suggestion> suggestions{};
};

struct Report {
    std::uint64_t malformed = 0;
    std::uint64_t dropped = 0; ///< Lines that the log says are missing.
    bool has_fractions = false;
    std::vector<TargetReport> targets{};
};

/// Reads the files once and calls `f` with each call in the order of their ends. What is wrong is
/// written to standard error.
/// @throws LogError, UsageError
void read_calls(const Options& options, Targets& targets, Report& report,
                const std::function<void(const Call&)>& f, bool is_quiet);

/// Reads the files and replays them.
[[nodiscard]] Report replay(const Options& options);

/// Reads the files again, replays a grid of candidates, and adds three of them for each target.
void suggest(const Options& options, Report& report);

} // namespace whatif

#endif
