// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/prefix_map.hpp>

#include "catch.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_detail_prefix_map {

using dashpot::detail::PrefixMap;

TEST_CASE("PrefixMap: finds a prefix as it was given, and nothing like it", "[registry]") {
    PrefixMap<int> map;
    CHECK(map.longest("a") == nullptr);
    map.add("ab", 1);
    CHECK(map.size() == 1);
    REQUIRE(map.find("ab") != nullptr);
    CHECK(map.find("ab")->second == 1);
    CHECK(map.find("a") == nullptr);
    CHECK(map.find("abc") == nullptr);
}

TEST_CASE("PrefixMap: other prefixes between a name and its own do not hide it", "[registry]") {
    PrefixMap<int> map;
    map.add("a", 1);
    map.add("abb", 2);
    map.add("abba", 3);
    map.add("abc/", 4);
    REQUIRE(map.longest("abd") != nullptr);
    CHECK(map.longest("abd")->first == "a");
    CHECK(map.longest("abc")->first == "a");
    CHECK(map.longest("abba")->first == "abba");
    CHECK(map.longest("abbz")->first == "abb");
    CHECK(map.longest("b") == nullptr);
    CHECK(map.longest("") == nullptr);
}

TEST_CASE("PrefixMap: any bytes are a prefix", "[registry]") {
    using namespace std::string_view_literals;
    PrefixMap<int> map;
    map.add("\xFF"sv, 1);
    map.add("\0"sv, 2);
    map.add("a\0"sv, 3);
    CHECK(map.longest("\xFFz"sv)->second == 1);
    CHECK(map.longest("\0\0"sv)->second == 2);
    CHECK(map.longest("a\0b"sv)->second == 3);
    CHECK(map.longest("ab"sv) == nullptr);
}

TEST_CASE("PrefixMap: agrees with a look at every prefix, for all sets of short ones",
          "[registry][long]") {
    const std::vector<std::string> all{"",   "a",   "b",   "aa",  "ab", "ba",
                                       "bb", "aab", "aba", "abb", "bab"};
    std::vector<std::string> names{""};
    for (std::size_t i = 0; names[i].size() < 4; ++i) {
        for (const char c : {'a', 'b', 'c'}) names.push_back(names[i] + c);
    }
    int wrong = 0;
    for (std::size_t set = 0; set != std::size_t{1} << all.size(); ++set) {
        PrefixMap<std::size_t> map;
        for (std::size_t i = 0; i != all.size(); ++i) {
            if ((set >> i & 1U) != 0) map.add(all[i], i);
        }
        for (const std::string& name : names) {
            const std::string* expected = nullptr; // `all` is in order of length
            for (std::size_t i = 0; i != all.size(); ++i) {
                if ((set >> i & 1U) != 0 && name.starts_with(all[i])) expected = &all[i];
            }
            const auto* const got = map.longest(name);
            const bool agrees =
                got != nullptr ? expected != nullptr && got->first == *expected : expected == nullptr;
            wrong += agrees ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
}

} // namespace tests::registry_detail_prefix_map
