// SPDX-License-Identifier: MIT
#include <dashpot/registry/detail/name_map.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tests::registry_detail_name_map {

using dashpot::detail::HashedName;
using dashpot::detail::NameMap;
using dashpot::detail::NameMapEntry;

namespace {

struct Entry final : NameMapEntry {
    using NameMapEntry::NameMapEntry;
};

HashedName key(std::string_view name) { return {name, {1, 2}}; }

} // namespace

TEST_CASE("NameMap: finds a name by its hash and its bytes, and keeps a copy", "[registry]") {
    NameMap map;
    CHECK(map.find(key("CORE")) == nullptr);
    std::string text = "CORE";
    Entry core{key(text)};
    map.insert(core);
    text = "CLAIM";
    CHECK(map.find(key("CORE")) == &core);
    CHECK(core.key().name == "CORE");
    CHECK(map.find(key("CLAIM")) == nullptr);
    CHECK(map.find(HashedName{"CORE", {1, 3}}) == nullptr); // a name has one hash
}

TEST_CASE("NameMap: two names of one hash are two names", "[registry]") {
    Entry core{HashedName{"CORE", 42}};
    Entry claim{HashedName{"CLAIM", 42}};
    NameMap map;
    map.insert(core);
    CHECK(map.find({"CLAIM", 42}) == nullptr);
    map.insert(claim);
    CHECK(map.find({"CORE", 42}) == &core);
    CHECK(map.find({"CLAIM", 42}) == &claim);
    CHECK(map.take({"CORE", 42}) == &core);
    CHECK(map.take({"CORE", 42}) == nullptr);
    CHECK(map.find({"CLAIM", 42}) == &claim);
}

TEST_CASE("NameMap: finds every entry while it grows and shrinks", "[registry]") {
    NameMap map;
    std::vector<std::unique_ptr<Entry>> entries;
    for (std::size_t i = 0; i != 1'000; ++i) {
        entries.push_back(std::make_unique<Entry>(key(std::to_string(i))));
        map.insert(*entries.back());
        CHECK(map.size() == i + 1);
    }
    for (const auto& each : entries) CHECK(map.find(each->key()) == each.get());
    for (std::size_t i = 0; i != 1'000; i += 2)
        CHECK(map.take(key(std::to_string(i))) == entries[i].get());
    CHECK(map.size() == 500);
    for (std::size_t i = 0; i != 1'000; ++i) {
        CHECK(map.find(key(std::to_string(i))) == (i % 2 != 0 ? entries[i].get() : nullptr));
    }
    for (std::size_t left = 500; left != 0; --left) {
        CHECK(map.size() == left);
        CHECK(map.take_any() != nullptr);
    }
    CHECK(map.take_any() == nullptr);
}

TEST_CASE("NameMap: hashes that differ in their upper bits only share a bucket", "[registry]") {
    NameMap map;
    std::vector<std::unique_ptr<Entry>> entries;
    for (std::uint64_t i = 0; i != 100; ++i) {
        entries.push_back(std::make_unique<Entry>(HashedName{"same", i << 40U}));
        map.insert(*entries.back());
    }
    for (const auto& each : entries) CHECK(map.find(each->key()) == each.get());
    for (const auto& each : entries) CHECK(map.take(each->key()) == each.get());
    CHECK(map.size() == 0);
}

} // namespace tests::registry_detail_name_map
