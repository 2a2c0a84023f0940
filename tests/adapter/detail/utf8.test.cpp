// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/utf8.hpp>

#include "catch.hpp"

#include <set>
#include <string>
#include <string_view>

namespace tests::adapter_detail_utf8 {

using dashpot::detail::to_utf8;
using dashpot::detail::utf8_character;

TEST_CASE("to_utf8: leaves valid text as it is", "[adapter]") {
    for (const std::string_view text :
         {"", "CORE", "~", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
          "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
          "a\xC3\xBC\xE2\x82\xAC\xF0\x9F\x99\x82z"})
        CHECK(to_utf8(text) == text);
}

TEST_CASE("to_utf8: shows every byte that is no part of a character", "[adapter]") {
    CHECK(to_utf8("\x80") == "\\x80");
    CHECK(to_utf8("a\xFF"
                  "b") == "a\\xFFb");
    CHECK(to_utf8("\xC0\xAF") == "\\xC0\\xAF");                   // overlong
    CHECK(to_utf8("\xE0\x9F\xBF") == "\\xE0\\x9F\\xBF");          // overlong
    CHECK(to_utf8("\xED\xA0\x80") == "\\xED\\xA0\\x80");          // a surrogate
    CHECK(to_utf8("\xF0\x8F\xBF\xBF") == "\\xF0\\x8F\\xBF\\xBF"); // overlong
    CHECK(to_utf8("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80"); // above U+10FFFF
    CHECK(to_utf8("\xF5\x80\x80\x80") == "\\xF5\\x80\\x80\\x80");
    CHECK(to_utf8("\xE2\x82") == "\\xE2\\x82"); // cut off
    CHECK(to_utf8("\xE2\x82z") == "\\xE2\\x82z");
    CHECK(to_utf8("\xC3\xC3\xBC") == "\\xC3\xC3\xBC");
}

TEST_CASE("to_utf8: shows what is no character, and what controls, by its number", "[adapter]") {
    CHECK(to_utf8("a\xFF") == "a\\xFF");
    CHECK(to_utf8(std::string_view{"a\0b", 3}) == "a\\x00b"); // Prometheus would end the value there
    CHECK(to_utf8("a\tb\x7F") == "a\\x09b\\x7F");
    CHECK(to_utf8("a\nb") == "a\nb");
}

TEST_CASE("utf8_character: is of use at compile time", "[adapter]") {
    STATIC_REQUIRE(utf8_character("") == 0);
    STATIC_REQUIRE(utf8_character("ab") == 1);
    STATIC_REQUIRE(utf8_character("\xF0\x9F\x99\x82") == 4);
    STATIC_REQUIRE(utf8_character("\xF0\x9F\x99") == 0);
}

TEST_CASE("to_utf8: different texts stay different", "[adapter]") {
    const std::vector<std::string> texts{
        "pay\xFF",  "pay\\xFF", "pay\\x5CxFF", "pay\\\\xFF", "pay\xFE", std::string{"pay\0", 4},
        "pay\\x00", "pay\x7F",  "pay\\x7F",    "pay\n",      "pay\\n",  "pay\\x0A",
    };
    std::set<std::string> shown;
    for (const std::string& text : texts) shown.insert(to_utf8(text));
    CHECK(shown.size() == texts.size());
    CHECK(to_utf8("a\\b") == "a\\x5Cb");
}

} // namespace tests::adapter_detail_utf8
