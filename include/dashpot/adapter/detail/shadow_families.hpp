// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_DETAIL_SHADOW_FAMILIES_HPP
#define DASHPOT_ADAPTER_DETAIL_SHADOW_FAMILIES_HPP

#include <dashpot/adapter/metric_family.hpp>
#include <dashpot/core/abi.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dashpot::inline DASHPOT_ABI::detail {

// The families of the candidates of a Shadow, in the form of limit_families.hpp.

/// How often each candidate would have opened the circuit.
using ShadowReading = std::vector<std::uint64_t>;

template <class Breaker>
[[nodiscard]] ShadowReading read_candidates(const Breaker& breaker) {
    ShadowReading result;
    for (const auto& numbers : breaker.candidates()) result.push_back(numbers.would_have_opened);
    return result;
}

template <class Family>
void visit_shadows(Family&& family) {
    family({"dashpot_circuit_breaker_candidate_would_have_opened_total", MetricFamily::Type::counter,
            "How often a candidate beside the live policy would have opened the circuit."},
           [](auto& series, MetricLabel name, const ShadowReading& now) {
               for (std::size_t i = 0; i != now.size(); ++i) {
                   std::array<char, 20> digits{};
                   const auto [end, error] =
                       std::to_chars(digits.data(), digits.data() + digits.size(), i);
                   const auto length = static_cast<std::size_t>(end - digits.data());
                   series.add(now[i], name,
                              MetricLabel{"candidate", std::string_view{digits.data(), length}});
               }
           });
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
