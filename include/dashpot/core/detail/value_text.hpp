// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_VALUE_TEXT_HPP
#define DASHPOT_CORE_DETAIL_VALUE_TEXT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// The text of one value, as the value is written in C++: `50`, `0.5`, `true`, `10s`.
///
/// **Contract.** The text does not depend on the locale or on the flags of a stream.
/// - A floating-point number has the fewest digits that read back as the same number; `nan` has no
///   sign.
/// - A duration has the largest unit that loses nothing.
/// - A string is its own text, and must outlive the ValueText.
///
/// **Cost.** It does not allocate.
class ValueText {
  public:
    ValueText(std::string_view text) noexcept : text_{text} {}
    ValueText(const char* text) noexcept : text_{text} {}
    ValueText(std::same_as<bool> auto value) noexcept : text_{value ? "true" : "false"} {}

    template <std::integral Number>
        requires(!std::same_as<Number, bool>)
    ValueText(Number value) noexcept {
        if constexpr (std::is_signed_v<Number>) {
            append(static_cast<std::int64_t>(value));
        } else {
            append(static_cast<std::uint64_t>(value));
        }
    }

    template <std::floating_point Number>
    ValueText(Number value) noexcept {
        append(value);
        if (view().find("nan") != std::string_view::npos) text_ = "nan";
    }

    ValueText(Nanoseconds length) noexcept {
        using Unit = std::pair<std::int64_t, std::string_view>;
        constexpr std::array units{
            Unit{3'600'000'000'000, "h"}, Unit{60'000'000'000, "min"}, Unit{1'000'000'000, "s"},
            Unit{1'000'000, "ms"},        Unit{1'000, "us"},           Unit{1, "ns"}};
        for (const auto& [size, name] : units) {
            if (length.count() % size != 0) continue;
            append(length.count() / size);
            name.copy(digits_.data() + length_, name.size());
            length_ += name.size();
            break;
        }
        if (length.count() == 0) text_ = "0s";
    }

    /// Returns the text. The view is valid as long as this object, and as long as the string that the
    /// object was made from.
    [[nodiscard]] std::string_view view() const noexcept {
        return text_.empty() ? std::string_view{digits_.data(), length_} : text_;
    }

  private:
    void append(auto number) noexcept {
        const auto [end, error] =
            std::to_chars(digits_.data() + length_, digits_.data() + digits_.size(), number);
        length_ = static_cast<std::size_t>(end - digits_.data());
    }

    std::string_view text_;         // if text_ is empty, the text is in `digits_`
    std::array<char, 64> digits_{}; // a long double needs fewer
    std::size_t length_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
