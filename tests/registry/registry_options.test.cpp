// SPDX-License-Identifier: MIT
#include <dashpot/registry/registry_options.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <optional>
#include <sstream>
#include <string>

namespace tests::registry_registry_options {

using namespace std::chrono_literals;
using dashpot::RegistryOptions;

namespace {

std::string text_of(const RegistryOptions& options) {
    std::ostringstream text;
    text << options;
    return text.str();
}

std::string refusal_of(const RegistryOptions& options) {
    return support::message_of([&] { options.validate(); });
}

} // namespace

TEST_CASE("RegistryOptions: a bound, and no eviction by age, by default", "[registry]") {
    STATIC_REQUIRE(RegistryOptions{}.max_targets == 10'000);
    STATIC_REQUIRE(RegistryOptions{}.evict_after == std::nullopt);
    STATIC_REQUIRE(RegistryOptions{.max_targets = 1} != RegistryOptions{});
    STATIC_REQUIRE(RegistryOptions{.evict_after = 1ns} != RegistryOptions{});
}

TEST_CASE("RegistryOptions: refuses a bound of nothing and an age of nothing, by name", "[registry]") {
    CHECK(refusal_of({.max_targets = 0}) == "RegistryOptions::max_targets is 0, must be 1 or more");
    CHECK(refusal_of({.max_targets = 1}).empty());
    CHECK(refusal_of({.evict_after = 0ns}) ==
          "RegistryOptions::evict_after is 0s, must be longer than 0s; "
          "to evict nothing by age leave it empty");
    CHECK(refusal_of({.evict_after = -1ns}) ==
          "RegistryOptions::evict_after is -1ns, must be longer than "
          "0s; to evict nothing by age leave it empty");
    CHECK(refusal_of({.evict_after = 1ns}).empty());
    CHECK(refusal_of({.evict_after = std::chrono::hours::max()}).empty());
}

TEST_CASE("RegistryOptions: write themselves as the initializer that makes them", "[registry]") {
    CHECK(text_of({.max_targets = 7}) == "RegistryOptions{.max_targets = 7}");
    CHECK(text_of({.max_targets = 7, .evict_after = 90s}) ==
          "RegistryOptions{.max_targets = 7, .evict_after = 90s}");
}

} // namespace tests::registry_registry_options
