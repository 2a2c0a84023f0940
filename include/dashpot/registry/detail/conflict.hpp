// SPDX-License-Identifier: MIT
#ifndef DASHPOT_REGISTRY_DETAIL_CONFLICT_HPP
#define DASHPOT_REGISTRY_DETAIL_CONFLICT_HPP

#include <dashpot/core/abi.hpp>

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace dashpot::inline DASHPOT_ABI::detail {

template <class Options>
concept Printable = requires(std::ostream& out, const Options& options) { out << options; };

/// Refuses two different sets of options for the same name or prefix.
///
/// **Errors.** Throws std::logic_error if the sets differ. If the options can be written, the message
/// contains both.
template <class Options>
void check_same_options(const char* what, std::string_view key, const Options& first,
                        const Options& second) {
    if (first == second) return;
    std::ostringstream text;
    text.imbue(std::locale::classic()); // a custom policy may write numbers itself
    text << what << " \"" << key << '"';
    if constexpr (Printable<Options>) {
        text << " was given " << first << " before, and now " << second;
    } else {
        text << " was given other options before; they cannot be shown, for the policy has no <<";
    }
    throw std::logic_error{text.str()};
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
