// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_OPTION_CHECK_HPP
#define DASHPOT_EXAMPLES_COMMON_OPTION_CHECK_HPP

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
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

/// Parses, but refuses an option without its value: `--option=`, or `--option` before another option.
/// CLI11 would take the next word for the value.
///
/// @throws CLI::ParseError
inline void parse(CLI::App& app, int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1)
            throw CLI::ValidationError{std::string{word.substr(0, word.size() - 1)},
                                       "the value is empty"};
        if (word == "--") break;
        const CLI::Option* const option =
            word.starts_with("--") ? app.get_option_no_throw(std::string{word}) : nullptr;
        const bool takes_value = option != nullptr && option->get_items_expected_min() > 0;
        if (takes_value && i + 1 < argc && std::string_view{argv[i + 1]}.starts_with("--"))
            throw CLI::ValidationError{std::string{word},
                                       "the value is missing; a value that begins with -- is written "
                                       "as " +
                                           std::string{word} + "=VALUE"};
        if (takes_value) ++i;
    }
    app.parse(argc, argv);
}

} // namespace example

#endif
