// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_NUMBER_HPP
#define DASHPOT_EXAMPLES_COMMON_NUMBER_HPP

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace example {

/// The number that `text` is, all of it.
///
/// @return nothing: it is none, or not from `lowest` to `highest`
template <class Number>
[[nodiscard]] std::optional<Number> to_number(std::string_view text, Number lowest, Number highest) {
    const char* const end = text.data() + text.size();
    Number value{};
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    // Written so that NaN is refused too.
    const bool ok = error == std::errc{} && parsed == end && value >= lowest && value <= highest;
    return ok ? std::optional{value} : std::nullopt;
}

} // namespace example

#endif
