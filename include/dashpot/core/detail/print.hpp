// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_PRINT_HPP
#define DASHPOT_CORE_DETAIL_PRINT_HPP

#include <dashpot/core/abi.hpp>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <utility>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Writes a duration as one writes it in C++, in the largest unit that loses nothing: `10s`, `1500ms`.
template <class Traits>
void print_duration(std::basic_ostream<char, Traits>& out, std::chrono::nanoseconds length) {
    using Unit = std::pair<std::int64_t, const char*>;
    constexpr std::array units{
        Unit{3'600'000'000'000, "h"}, Unit{60'000'000'000, "min"}, Unit{1'000'000'000, "s"},
        Unit{1'000'000, "ms"},        Unit{1'000, "us"},           Unit{1, "ns"}};
    if (length.count() == 0) {
        out << "0s";
        return;
    }
    for (const auto& [size, name] : units) {
        if (length.count() % size != 0) continue;
        out << length.count() / size << name;
        return;
    }
}

/// Writes options as the initializer that makes them: `CountWindow{.size = 100, .failure_rate = 0.5}`.
template <class Traits>
class FieldPrinter {
  public:
    FieldPrinter(std::basic_ostream<char, Traits>& out, const char* type) : out_{out} {
        out_ << type << '{';
    }

    template <class T>
    FieldPrinter& field(const char* name, const T& value) {
        out_ << (is_first_ ? "." : ", .") << name << " = ";
        is_first_ = false;
        if constexpr (std::is_convertible_v<const T&, std::chrono::nanoseconds>) {
            print_duration(out_, value);
        } else if constexpr (std::is_floating_point_v<T>) {
            std::array<char, 32> text; // the shortest that reads back as the same number
            const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
            out_.write(text.data(), end - text.data());
        } else {
            out_ << value;
        }
        return *this;
    }

    /// Nothing, if there is no value.
    template <class Optional>
    FieldPrinter& optional(const char* name, const Optional& value) {
        return value ? field(name, *value) : *this;
    }

    std::basic_ostream<char, Traits>& end() { return out_ << '}'; }

  private:
    std::basic_ostream<char, Traits>& out_;
    bool is_first_ = true;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
