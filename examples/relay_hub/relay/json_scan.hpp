// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_HUB_RELAY_JSON_SCAN_HPP
#define DASHPOT_EXAMPLES_RELAY_HUB_RELAY_JSON_SCAN_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace relay_hub {

/// Reads one JSON text (RFC 8259) from front to back and keeps nothing of it.
///
/// It checks the grammar alone, and that the text is UTF-8. A number may be of any size and an escape
/// may be half of a surrogate pair: both are JSON, and a reader that has no use for the value has no
/// reason to refuse it. nlohmann/json refuses both, since it makes values of them.
///
/// **Contract.** Each member function reads what it is named after from where the one before ended. The
/// first that returns false has set position(), and nothing may be called after it.
/// **Cost.** One pass. No recursion, and no allocation but for the text that string() returns.
class JsonScan {
  public:
    explicit JsonScan(std::string_view text) noexcept : text_{text} {}

    /// Where the scan stands: after a failure, the number of the byte that does not fit, from 1.
    [[nodiscard]] std::size_t position() const noexcept { return at_ + 1; }
    /// Skips white space. @return the next byte; '\0' at the end, where no valid text has one
    [[nodiscard]] char peek() noexcept;
    /// Returns true if nothing but white space is left.
    [[nodiscard]] bool is_at_end() noexcept { return peek() == '\0' && at_ == text_.size(); }
    /// Takes `expected`, which peek() may have shown.
    [[nodiscard]] bool take(char expected) noexcept;

    /// A string that nothing reads.
    [[nodiscard]] bool skip_string() noexcept { return scan_string(nullptr); }
    /// A string. @param value  its text in UTF-8, with U+FFFD for half of a surrogate pair
    [[nodiscard]] bool string(std::string& value) {
        value.clear();
        has_lone_surrogate_ = false;
        return scan_string(&value);
    }
    /// Returns true if the last string() had half of a surrogate pair in it, and so is no Unicode text.
    [[nodiscard]] bool has_lone_surrogate() const noexcept { return has_lone_surrogate_; }
    /// A number, `true`, `false` or `null`.
    [[nodiscard]] bool skip_scalar() noexcept;

  private:
    [[nodiscard]] bool scan_string(std::string* value);
    [[nodiscard]] bool scan_escape(std::string* value);
    [[nodiscard]] bool scan_hex(unsigned& unit) noexcept;
    [[nodiscard]] bool scan_utf8(std::string* value);
    [[nodiscard]] bool scan_digits() noexcept;
    [[nodiscard]] bool skip_number() noexcept;
    [[nodiscard]] bool skip_word(std::string_view word) noexcept;
    [[nodiscard]] unsigned char byte(std::size_t at) const noexcept {
        return at < text_.size() ? static_cast<unsigned char>(text_[at]) : 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool has_lone_surrogate_ = false;
};

} // namespace relay_hub

#endif
