// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_OPTION_CHECK_HPP
#define DASHPOT_EXAMPLES_COMMON_OPTION_CHECK_HPP

#include <stdexcept>
#include <string>
#include <utility>

namespace example {

/// A check for an option of CLI11: what `parse` refuses with a std::invalid_argument is refused, with
/// the option's name and in the words of `parse`.
template <class Parse>
[[nodiscard]] auto accepted_by(Parse parse) {
    return [parse = std::move(parse)](const std::string& text) -> std::string {
        try {
            static_cast<void>(parse(text));
            return {};
        } catch (const std::invalid_argument& error) {
            return error.what();
        }
    };
}

} // namespace example

#endif
