// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ENVELOPE_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_ENVELOPE_HPP

#include <optional>
#include <string>
#include <string_view>

namespace relay_hub {

/// One member of a JSON object, or why it cannot be had.
struct Field {
    std::optional<std::string> value;
    std::string problem; ///< empty if there is a value
};

/// Reads the string `key` from the JSON object that `body` is, without building the document.
///
/// The hub forwards bodies as they came and needs one member of each: `target` of a request, `code`
/// of an answer. All of the body must be JSON (RFC 8259, so valid UTF-8), nested 64 deep at most,
/// and the key must be there once: of two, the target might take the other one.
///
/// What the other members hold is not looked at: a number may be too large for any type, an escape may
/// be half of a surrogate pair, and a name may be there twice. The value of `key` must be Unicode text.
[[nodiscard]] Field read_field(std::string_view body, std::string_view key);

} // namespace relay_hub

#endif
