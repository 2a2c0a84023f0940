// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/keyed_hash.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace tests::registry_detail_keyed_hash {

using dashpot::detail::HashKey;
using dashpot::detail::keyed_hash;

TEST_CASE("keyed_hash: is SipHash-1-3 on every machine", "[registry]") {
    // Those of an all-zero key: Python 3.11's hash() of bytes, with PYTHONHASHSEED=0.
    STATIC_REQUIRE(keyed_hash("C", {}) == 0xe7094788287c5e9b);
    STATIC_REQUIRE(keyed_hash("CORE", {}) == 0xdb515c8cec1e6f79);
    STATIC_REQUIRE(keyed_hash("12345678", {}) == 0x3489982430560a87);
    STATIC_REQUIRE(keyed_hash("service/7", {}) == 0x29545f80379e2582);
    STATIC_REQUIRE(keyed_hash("123456789abcdef", {}) == 0xf3543d992ba71328);
    STATIC_REQUIRE(keyed_hash("", {0x0706050403020100, 0x0f0e0d0c0b0a0908}) == 0xabac0158050fc4dc);
    std::string bytes;
    for (int i = 200; i != 240; ++i) bytes += static_cast<char>(i);
    CHECK(keyed_hash(bytes, {}) == 0xb7d2f52a6db5ee2d);
}

TEST_CASE("keyed_hash: another key, another hash", "[registry]") {
    CHECK(keyed_hash("CORE", {1, 0}) != keyed_hash("CORE", {0, 1}));
    CHECK(keyed_hash("CORE", {1, 0}) != keyed_hash("CORE", {}));
}

TEST_CASE("keyed_hash: every byte counts, and so does the length", "[registry]") {
    std::set<std::uint64_t> hashes;
    std::size_t texts = 0;
    std::string text;
    for (std::size_t length = 0; length != 34; ++length) {
        hashes.insert(keyed_hash(text, {1, 2}));
        ++texts;
        for (char& each : text) { // one byte differs
            const char before = each;
            each = '\xFF';
            hashes.insert(keyed_hash(text, {1, 2}));
            ++texts;
            each = before;
        }
        text += '\0';
    }
    CHECK(hashes.size() == texts);
}

} // namespace tests::registry_detail_keyed_hash
