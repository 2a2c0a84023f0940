// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_COMMON_HTTP_FIELDS_HPP
#define DASHPOT_EXAMPLES_COMMON_HTTP_FIELDS_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace example {

[[nodiscard]] constexpr char lower_case(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lower_case(std::string_view text) {
    std::string result{text};
    for (char& c : result) c = lower_case(c);
    return result;
}

/// Returns the text without the spaces and tabs at its ends.
[[nodiscard]] constexpr std::string_view without_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Returns true if the character may be part of a token: of a method or of a field's name, for example.
[[nodiscard]] constexpr bool is_token_character(char c) noexcept {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
}

/// Returns true if the text is one token of HTTP (RFC 9110, 5.6.2). No text at all is none.
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
    return !text.empty() && std::ranges::all_of(text, is_token_character);
}

/// The header fields of a message, in their order. Names are compared without regard to case.
///
/// **Threads.** A value.
class HttpFields {
  public:
    using Field = std::pair<std::string, std::string>;

    void add(std::string name, std::string value) {
        fields_.emplace_back(std::move(name), std::move(value));
    }

    /// Replaces all fields of that name.
    void set(std::string_view name, std::string value) {
        std::erase_if(fields_, [&](const Field& field) { return is_name(field, name); });
        add(std::string{name}, std::move(value));
    }

    [[nodiscard]] bool has(std::string_view name) const {
        return std::ranges::any_of(fields_, [&](const Field& field) { return is_name(field, name); });
    }

    /// The value of each field of that name.
    [[nodiscard]] std::vector<std::string> all(std::string_view name) const {
        std::vector<std::string> result;
        for (const Field& field : fields_)
            if (is_name(field, name)) result.push_back(field.second);
        return result;
    }

    /// Several fields of one name mean what one field with a list means (RFC 9110, 5.3).
    ///
    /// @return the list; empty: there is no such field
    [[nodiscard]] std::string list(std::string_view name) const {
        std::string result;
        for (const std::string& value : all(name))
            result.append(result.empty() ? "" : ", ").append(value);
        return result;
    }

    /// The elements of that list in lower case, without empty ones.
    [[nodiscard]] std::vector<std::string> elements(std::string_view name) const {
        std::vector<std::string> result;
        const std::string all_of_them = list(name);
        std::string_view rest = all_of_them;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(','), rest.size());
            const std::string_view element = without_blanks(rest.substr(0, end));
            if (!element.empty()) result.push_back(lower_case(element));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return result;
    }

    [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
    [[nodiscard]] auto end() const noexcept { return fields_.end(); }

  private:
    [[nodiscard]] static bool is_name(const Field& field, std::string_view name) {
        return std::ranges::equal(field.first, name,
                                  [](char a, char b) { return lower_case(a) == lower_case(b); });
    }

    std::vector<Field> fields_;
};

} // namespace example

#endif
