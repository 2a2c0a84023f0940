// SPDX-License-Identifier: MIT
#ifndef DASHPOT_ADAPTER_METRIC_FAMILY_HPP
#define DASHPOT_ADAPTER_METRIC_FAMILY_HPP

#include <dashpot/core/abi.hpp>

#include <cstdint>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI {

/// A metric: a name, a meaning, and a series for each set of labels.
struct MetricFamily {
    enum class Type : std::uint8_t { counter, gauge };

    std::string_view name; ///< A name by Prometheus' rules: a counter's name ends in `_total`.
    Type type = Type::gauge;
    std::string_view help;   ///< The meaning, in a sentence.
    std::string_view unit{}; ///< The unit at the end of the name, if there is one.
};

/// A label of a series; labels distinguish the series of a MetricFamily. The value is valid UTF-8.
struct MetricLabel {
    std::string_view name;  ///< The property, for example `name`, `state` or `candidate`.
    std::string_view value; ///< The value for this series.
};

} // namespace dashpot::inline DASHPOT_ABI

#endif
