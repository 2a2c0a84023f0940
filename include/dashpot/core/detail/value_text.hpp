// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_VALUE_TEXT_HPP
#define DASHPOT_CORE_DETAIL_VALUE_TEXT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/duration.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

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
        struct Unit {
            std::int64_t size;
            std::string_view name;
        };
        constexpr Unit units[] = {
            {3'600'000'000'000, "h"}, {60'000'000'000, "min"}, {1'000'000'000, "s"},
            {1'000'000, "ms"},        {1'000, "us"},           {1, "ns"}};
        const Unit* unit = units;
        while (length.count() % unit->size != 0) ++unit;
        append(static_cast<std::int64_t>(length.count() / unit->size));
        unit->name.copy(digits_ + length_, unit->name.size());
        length_ += unit->name.size();
        if (length.count() == 0) text_ = "0s";
    }

    /// Returns the text. The view is valid as long as this object, and as long as the string that the
    /// object was made from.
    [[nodiscard]] std::string_view view() const noexcept {
        return text_.empty() ? std::string_view{digits_, length_} : text_;
    }

  private:
    void append(std::uint64_t number) noexcept {
        char reversed[20];
        std::size_t count = 0;
        do {
            reversed[count++] = static_cast<char>('0' + number % 10);
            number /= 10;
        } while (number != 0);
        while (count != 0) digits_[length_++] = reversed[--count];
    }

    void append(std::int64_t number) noexcept {
        if (number < 0) digits_[length_++] = '-';
        const auto bits = static_cast<std::uint64_t>(number);
        append(number < 0 ? 0 - bits : bits);
    }

    void append(std::floating_point auto number) noexcept {
        const auto [end, error] = std::to_chars(digits_, digits_ + sizeof digits_, number);
        length_ = static_cast<std::size_t>(end - digits_);
    }

    std::string_view text_; // if text_ is empty, the text is in `digits_`
    char digits_[64]{};     // a long double needs fewer
    std::size_t length_ = 0;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
