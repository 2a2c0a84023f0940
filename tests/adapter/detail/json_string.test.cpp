// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/json_string.hpp>

#include "catch.hpp"

#include <string>
#include <string_view>

namespace tests::adapter_detail_json_string {

namespace {

std::string as_json(std::string_view value) {
    std::string text;
    dashpot::detail::append_json_string(text, value);
    return text;
}

} // namespace

TEST_CASE("JSON strings: plain text stays as it is", "[adapter]") {
    CHECK(as_json("") == "");
    CHECK(as_json("CORE a/b") == "CORE a/b");
    CHECK(as_json("\xE6\x94\xAF") == "\xE6\x94\xAF");
}

TEST_CASE("JSON strings: quotes, controls, backslashes and broken bytes are written out", "[adapter]") {
    CHECK(as_json("a\"b") == "a\\\"b");
    CHECK(as_json("a\nb") == "a\\u000Ab");
    CHECK(as_json("a\\b") == "a\\\\x5Cb");
    CHECK(as_json("a\xFF") == "a\\\\xFF");
}

} // namespace tests::adapter_detail_json_string
