// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_STRICT_JSON_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_SETTINGS_STRICT_JSON_HPP

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace relay_hub {

/// Reads a document that says everything once: no key twice in an object, nothing after the end, and no
/// deeper than 64.
///
/// The parser by itself lets the last of two equal keys win, without a word, and takes a zero byte for
/// the end. Asked to report as it builds, it takes a time that grows with the square of the members.
///
/// @throws std::invalid_argument  it is no such document; says why
[[nodiscard]] nlohmann::json parse_strictly(std::string_view text);

} // namespace relay_hub

#endif
