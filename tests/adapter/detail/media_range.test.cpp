// SPDX-License-Identifier: MIT
#include <dashpot/adapter/detail/media_range.hpp>

#include "catch.hpp"

namespace tests::adapter_detail_media_range {

using dashpot::detail::preference_of;
using dashpot::detail::thousandths;

namespace {

int quality_of(std::string_view type, std::string_view accept) {
    return preference_of(type, accept).quality;
}

} // namespace

TEST_CASE("preference_of: is 1 for a type that is named without a quality", "[adapter]") {
    for (const auto* accept : {"text/plain", " text/plain ", "TEXT/Plain", "a/b, text/plain",
                               "text/plain;version=0.0.4", "text/plain ; version=0.0.4, a/b;q=0.1"})
        CHECK(quality_of("text/plain", accept) == 1000);
}

TEST_CASE("preference_of: is what the client says", "[adapter]") {
    CHECK(quality_of("text/plain", "text/plain;q=0.5") == 500);
    CHECK(quality_of("text/plain", "text/plain; version=0.0.4; Q = 0.25, a/b") == 250);
    CHECK(quality_of("text/plain", "text/plain;q=0.5,text/plain;q=0.75") == 750);
    CHECK(quality_of("text/plain", "text/plain;q=0") == 0);
    CHECK(quality_of("text/plain", "text/plain;q=much") == 0);
}

TEST_CASE("preference_of: is 0 for a type that is not named", "[adapter]") {
    for (const auto* accept : {"", ",", ";", "text/plainer", "text", "a/b;x=text/plain", ";q=1", "*",
                               "/*", "t/*", "texts/*", "*/plain", "application/*"}) {
        INFO(accept);
        CHECK(preference_of("text/plain", accept).closeness == 0);
        CHECK(quality_of("text/plain", accept) == 0);
    }
}

TEST_CASE("preference_of: what names the type more closely counts, in whatever order", "[adapter]") {
    CHECK(quality_of("text/plain", "*/*;q=0.3") == 300);
    CHECK(quality_of("text/plain", "Text/*;q=0.2, */*") == 200);
    CHECK(quality_of("text/plain", "*/*, text/*;q=0.2") == 200);
    CHECK(quality_of("text/plain", "text/plain;q=0.1, text/*;q=0.2, */*") == 100);
    CHECK(quality_of("text/plain", "*/*, text/*, text/plain;q=0") == 0);
    CHECK(preference_of("text/plain", "*/*").closeness == 1);
    CHECK(preference_of("text/plain", "*/*, text/*").closeness == 2);
    CHECK(preference_of("text/plain", "*/*, text/plain, text/*").closeness == 3);
}

TEST_CASE("thousandths: reads qualities and nothing else", "[adapter]") {
    STATIC_REQUIRE(thousandths("0") == 0);
    STATIC_REQUIRE(thousandths("1") == 1000);
    STATIC_REQUIRE(thousandths("1.000") == 1000);
    STATIC_REQUIRE(thousandths("0.") == 0);
    STATIC_REQUIRE(thousandths("0.001") == 1);
    STATIC_REQUIRE(thousandths("0.999") == 999);
    for (const auto* text : {"", "2", "-1", ".5", "0,5", "0.5x", "0.0001", "1e3", "10"})
        CHECK(thousandths(text) == 0);
    CHECK(thousandths("1.999") == 1000);
}

} // namespace tests::adapter_detail_media_range
