// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_WHATIF_CANDIDATE_HPP
#define DASHPOT_EXAMPLES_WHATIF_CANDIDATE_HPP

#include <dashpot/guard/breaker_options.hpp>
#include <dashpot/policy/consecutive_failures.hpp>
#include <dashpot/policy/count_window.hpp>
#include <dashpot/policy/time_window.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace whatif {

using Rule = std::variant<dashpot::ConsecutiveFailures, dashpot::CountWindow, dashpot::TimeWindow>;

/// A policy to try, with the options of its breaker.
struct Candidate {
    std::string text; ///< As it was given.
    Rule rule;
    dashpot::BreakerOptions breaker;
};

/// `time_window length=10s failure_rate=0.5 reset_timeout=5s half_open.probes=3`: a policy's name as in
/// the hub's config file, then its keys with dots. What is left out has the library's default.
/// @throws UsageError that names the word
[[nodiscard]] Candidate parse_candidate(std::string_view text);

/// The opposite: words that parse_candidate() takes.
[[nodiscard]] std::string to_words(const Rule& rule, const dashpot::BreakerOptions& breaker);

} // namespace whatif

#endif
