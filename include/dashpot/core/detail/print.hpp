// SPDX-License-Identifier: MIT
#ifndef DASHPOT_CORE_DETAIL_PRINT_HPP
#define DASHPOT_CORE_DETAIL_PRINT_HPP

#include <dashpot/core/abi.hpp>
#include <dashpot/core/detail/value_text.hpp>

#include <ios>
#include <iosfwd>
#include <string_view>
#include <type_traits>

namespace dashpot::inline DASHPOT_ABI::detail {

/// Writes text unchanged. No width, fill, other flag or locale of the stream affects it.
template <class Traits>
void write_text(std::basic_ostream<char, Traits>& out, const ValueText& text) {
    const std::string_view view = text.view();
    out.width(0); // as every formatted output resets it
    out.write(view.data(), static_cast<std::streamsize>(view.size()));
}

/// Writes options as the initializer that makes them, for example `CountWindow{.size = 100,
/// .failure_rate = 0.5}`.
template <class Traits>
class FieldPrinter {
  public:
    FieldPrinter(std::basic_ostream<char, Traits>& out, const char* type) : out_{out} {
        write_text(out_, type);
        write_text(out_, "{");
    }

    template <class T>
    FieldPrinter& field(const char* name, const T& value) {
        write_text(out_, is_first_ ? "." : ", .");
        write_text(out_, name);
        write_text(out_, " = ");
        is_first_ = false;
        if constexpr (std::is_constructible_v<ValueText, const T&>) {
            write_text(out_, ValueText{value});
        } else {
            out_ << value;
        }
        return *this;
    }

    /// Writes nothing if the optional is empty.
    template <class Optional>
    FieldPrinter& optional(const char* name, const Optional& value) {
        return value ? field(name, *value) : *this;
    }

    std::basic_ostream<char, Traits>& end() {
        write_text(out_, "}");
        return out_;
    }

  private:
    std::basic_ostream<char, Traits>& out_;
    bool is_first_ = true;
};

} // namespace dashpot::inline DASHPOT_ABI::detail

#endif
