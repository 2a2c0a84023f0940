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

/// Makes the error for two different sets of options for the same name or prefix. If the options can
/// be written, the message contains both.
template <class Options>
[[nodiscard]] std::logic_error conflict(std::string_view what, const Options& first,
                                        const Options& second) {
    std::ostringstream text;
    text.imbue(std::locale::classic()); // a custom policy may write numbers itself
    text << what;
    if constexpr (Printable<Options>) {
        text << " was given " << first << " before, and now " << second;
    } else {
        text << " was given other options before; they cannot be shown, for the policy has no <<";
    }
    return std::logic_error{text.str()};
}

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
