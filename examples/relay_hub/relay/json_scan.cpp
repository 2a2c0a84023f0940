// SPDX-License-Identifier: MIT
#include "json_scan.hpp"

#include "ascii.hpp"

namespace relay_hub {
namespace {

bool is_space(unsigned char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_high_surrogate(unsigned unit) noexcept { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(unsigned unit) noexcept { return unit >= 0xDC00 && unit <= 0xDFFF; }

void append_utf8(std::string& text, unsigned point) {
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80 | ((point >> shift) & 0x3F));
    };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0 | (point >> 6));
        tail(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0 | (point >> 12));
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0 | (point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

} // namespace

char JsonScan::peek() noexcept {
    while (is_space(byte(at_))) ++at_;
    return static_cast<char>(byte(at_));
}

bool JsonScan::take(char expected) noexcept {
    if (peek() != expected || at_ == text_.size()) return false;
    ++at_;
    return true;
}

bool JsonScan::scan_string(std::string* value) {
    if (!take('"')) return false;
    for (;;) {
        const unsigned char c = byte(at_);
        if (c == '"') {
            ++at_;
            return true;
        }
        if (c < 0x20) return false; // the end of the text, too
        if (c == '\\') {
            if (!scan_escape(value)) return false;
        } else if (c < 0x80) {
            if (value != nullptr) *value += static_cast<char>(c);
            ++at_;
        } else if (!scan_utf8(value)) {
            return false;
        }
    }
}

bool JsonScan::scan_escape(std::string* value) {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    ++at_;
    const auto found = letters.find(static_cast<char>(byte(at_)));
    if (found != std::string_view::npos) {
        if (value != nullptr) *value += meanings[found];
        ++at_;
        return true;
    }
    unsigned unit = 0;
    if (!scan_hex(unit)) return false;
    if (is_high_surrogate(unit) && byte(at_) == '\\' && byte(at_ + 1) == 'u') {
        const std::size_t second = at_;
        ++at_;
        unsigned low = 0;
        if (!scan_hex(low)) return false;
        if (is_low_surrogate(low))
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        else
            at_ = second; // another character, after half of one
    }
    const bool is_half = is_high_surrogate(unit) || is_low_surrogate(unit);
    has_lone_surrogate_ = has_lone_surrogate_ || is_half;
    if (value != nullptr) append_utf8(*value, is_half ? 0xFFFD : unit);
    return true;
}

bool JsonScan::scan_hex(unsigned& unit) noexcept {
    if (byte(at_) != 'u') return false;
    ++at_;
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const unsigned char c = byte(at_);
        unsigned digit = 0;
        if (is_digit(c))
            digit = c - unsigned{'0'};
        else if (c >= 'a' && c <= 'f')
            digit = c - unsigned{'a'} + 10;
        else if (c >= 'A' && c <= 'F')
            digit = c - unsigned{'A'} + 10;
        else
            return false;
        unit = unit * 16 + digit;
    }
    return true;
}

/// The well-formed sequences of table 3-7 of the Unicode standard.
bool JsonScan::scan_utf8(std::string* value) {
    const unsigned char lead = byte(at_);
    std::size_t length = 0;
    unsigned char lowest = 0x80; // of the second byte
    unsigned char highest = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF) {
        length = 2;
    } else if (lead >= 0xE0 && lead <= 0xEF) {
        length = 3;
        if (lead == 0xE0) lowest = 0xA0;
        if (lead == 0xED) highest = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        length = 4;
        if (lead == 0xF0) lowest = 0x90;
        if (lead == 0xF4) highest = 0x8F;
    } else {
        return false;
    }
    const std::size_t begin = at_;
    ++at_;
    for (std::size_t i = 1; i < length; ++i, ++at_) {
        const unsigned char c = byte(at_);
        if (c < lowest || c > highest) return false;
        lowest = 0x80;
        highest = 0xBF;
    }
    if (value != nullptr) value->append(text_.substr(begin, length));
    return true;
}

bool JsonScan::skip_scalar() noexcept {
    switch (peek()) {
    case 't': return skip_word("true");
    case 'f': return skip_word("false");
    case 'n': return skip_word("null");
    default: return skip_number();
    }
}

bool JsonScan::skip_word(std::string_view word) noexcept {
    for (const char c : word) {
        if (byte(at_) != static_cast<unsigned char>(c)) return false;
        ++at_;
    }
    return true;
}

bool JsonScan::scan_digits() noexcept {
    if (!is_digit(byte(at_))) return false;
    while (is_digit(byte(at_))) ++at_;
    return true;
}

bool JsonScan::skip_number() noexcept {
    if (byte(at_) == '-') ++at_;
    if (byte(at_) == '0')
        ++at_;
    else if (!scan_digits())
        return false;
    if (byte(at_) == '.') {
        ++at_;
        if (!scan_digits()) return false;
    }
    if (byte(at_) == 'e' || byte(at_) == 'E') {
        ++at_;
        if (byte(at_) == '+' || byte(at_) == '-') ++at_;
        if (!scan_digits()) return false;
    }
    return true;
}

} // namespace relay_hub
