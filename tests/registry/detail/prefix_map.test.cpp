// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/prefix_map.hpp>

#include "catch.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_detail_prefix_map {

using dashpot::detail::AnyOptions;
using dashpot::detail::PrefixMap;

namespace {

AnyOptions number(int value) { return std::make_shared<const int>(value); }
int number_in(const AnyOptions& options) { return *static_cast<const int*>(options.get()); }

} // namespace

TEST_CASE("PrefixMap: finds a prefix as it was given, and nothing like it", "[registry]") {
    PrefixMap map;
    CHECK(map.longest("a") == nullptr);
    map.add("ab", number(1));
    CHECK(map.size() == 1);
    REQUIRE(map.find("ab") != nullptr);
    CHECK(number_in(map.find("ab")->options) == 1);
    CHECK(map.find("a") == nullptr);
    CHECK(map.find("abc") == nullptr);
}

TEST_CASE("PrefixMap: other prefixes between a name and its own do not hide it", "[registry]") {
    PrefixMap map;
    map.add("a", number(1));
    map.add("abb", number(2));
    map.add("abba", number(3));
    map.add("abc/", number(4));
    REQUIRE(map.longest("abd") != nullptr);
    CHECK(map.longest("abd")->prefix == "a");
    CHECK(map.longest("abc")->prefix == "a");
    CHECK(map.longest("abba")->prefix == "abba");
    CHECK(map.longest("abbz")->prefix == "abb");
    CHECK(map.longest("b") == nullptr);
    CHECK(map.longest("") == nullptr);
}

TEST_CASE("PrefixMap: any bytes are a prefix", "[registry]") {
    using namespace std::string_view_literals;
    PrefixMap map;
    map.add("\xFF"sv, number(1));
    map.add("\0"sv, number(2));
    map.add("a\0"sv, number(3));
    CHECK(number_in(map.longest("\xFFz"sv)->options) == 1);
    CHECK(number_in(map.longest("\0\0"sv)->options) == 2);
    CHECK(number_in(map.longest("a\0b"sv)->options) == 3);
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
        PrefixMap map;
        for (std::size_t i = 0; i != all.size(); ++i) {
            if ((set >> i & 1U) != 0) map.add(all[i], nullptr);
        }
        for (const std::string& name : names) {
            const std::string* expected = nullptr; // `all` is in order of length
            for (std::size_t i = 0; i != all.size(); ++i) {
                if ((set >> i & 1U) != 0 && name.starts_with(all[i])) expected = &all[i];
            }
            const auto* const got = map.longest(name);
            const bool agrees =
                got != nullptr ? expected != nullptr && got->prefix == *expected : expected == nullptr;
            wrong += agrees ? 0 : 1;
        }
    }
    CHECK(wrong == 0);
}

} // namespace tests::registry_detail_prefix_map
