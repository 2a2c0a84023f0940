// SPDX-License-Identifier: MIT
// Options of their own, by name and by prefix.
#include <dashpot/registry/registry.hpp>

#include "guard/breaker_support.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tests::registry_registry_overrides {

using namespace std::chrono_literals;
using dashpot::TargetOptions;
using dashpot::testing::ManualClock;
using Registry = dashpot::Registry<ManualClock>;

namespace {

constexpr TargetOptions<> of_limit(std::uint32_t max_concurrent) {
    return {.max_concurrent = max_concurrent};
}

std::uint32_t limit_of(Registry& targets, std::string_view name) {
    return targets.get(name)->bulkhead().max_concurrent();
}

std::string printed(const TargetOptions<>& options) {
    std::ostringstream text;
    text << options;
    return text.str();
}

bool mentions(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// Never opens, and cannot be written.
struct Lenient {
    int mark = 0;
    bool operator==(const Lenient&) const = default;
    void validate() const {}
    struct Tally {
        explicit Tally(const Lenient&) noexcept {}
        std::optional<dashpot::Reason> record(const dashpot::FinishedCall&) noexcept { return {}; }
        void clear() noexcept {}
        dashpot::Counts counts(dashpot::Instant) const noexcept { return {}; }
        bool quiet() const noexcept { return true; }
    };
};

} // namespace

TEST_CASE("configure_prefix: is for names that begin with it, and no others", "[registry]") {
    Registry targets{of_limit(1)};
    targets.configure_prefix("pay/", of_limit(2));
    CHECK(limit_of(targets, "pay/") == 2);
    CHECK(limit_of(targets, "pay/visa") == 2);
    CHECK(limit_of(targets, "pay") == 1);
    CHECK(limit_of(targets, "Pay/visa") == 1);
    CHECK(limit_of(targets, "repay/visa") == 1);
    CHECK(limit_of(targets, "") == 1);
}

TEST_CASE("configure_prefix: the longest one wins, whichever was set first", "[registry]") {
    Registry targets{of_limit(1)};
    const bool longest_first = GENERATE(false, true);
    const auto set = [&](int which) {
        if (which == 0) targets.configure_prefix("a", of_limit(2));
        if (which == 1) targets.configure_prefix("a/b", of_limit(3));
        if (which == 2) targets.configure_prefix("a/b/c", of_limit(4));
    };
    for (int i = 0; i != 3; ++i) set(longest_first ? 2 - i : i);
    CHECK(limit_of(targets, "a/x") == 2);
    CHECK(limit_of(targets, "a/b") == 3);
    CHECK(limit_of(targets, "a/b/x") == 3);
    CHECK(limit_of(targets, "a/b/c") == 4);
    CHECK(limit_of(targets, "a/b/cd") == 4);
    CHECK(limit_of(targets, "b") == 1);
}

TEST_CASE("configure_prefix: a name's own options go before any prefix", "[registry]") {
    Registry targets{of_limit(1)};
    targets.configure("pay/visa", of_limit(7));
    targets.configure_prefix("pay/visa", of_limit(2));
    CHECK(limit_of(targets, "pay/visa") == 7);
    CHECK(limit_of(targets, "pay/visa/eu") == 2);
    CHECK_FALSE(targets.remove("pay/other"));
    CHECK(targets.remove("pay/visa"));
    CHECK(limit_of(targets, "pay/visa") == 2); // what was its own is forgotten, the prefix is not
}

TEST_CASE("configure_prefix: the empty prefix is for all names without a longer one", "[registry]") {
    Registry targets{of_limit(1)};
    targets.configure_prefix("", of_limit(2));
    targets.configure_prefix("a", of_limit(3));
    CHECK(limit_of(targets, "") == 2);
    CHECK(limit_of(targets, "b") == 2);
    CHECK(limit_of(targets, "a") == 3);
}

TEST_CASE("configure: two sets of options for one name are an error that shows both", "[registry]") {
    Registry targets;
    targets.configure("CORE", of_limit(3));
    CHECK_THROWS_AS(targets.configure("CORE", of_limit(4)), std::logic_error);
    const auto message = support::message_of([&] { targets.configure("CORE", of_limit(4)); });
    CHECK(message == "Registry::configure: target \"CORE\" was given " + printed(of_limit(3)) +
                         " before, and now " + printed(of_limit(4)));
    CHECK_NOTHROW(targets.configure("CORE", of_limit(3)));
    CHECK(limit_of(targets, "CORE") == 3);
}

TEST_CASE("configure_prefix: two sets of options for one prefix are an error that shows both",
          "[registry]") {
    Registry targets;
    targets.configure_prefix("pay/", of_limit(3));
    const auto message = support::message_of([&] { targets.configure_prefix("pay/", of_limit(4)); });
    CHECK(mentions(message, "prefix \"pay/\""));
    CHECK(mentions(message, ".max_concurrent = 3}"));
    CHECK(mentions(message, ".max_concurrent = 4}"));
    CHECK_NOTHROW(targets.configure_prefix("pay/", of_limit(3)));
    CHECK(limit_of(targets, "pay/visa") == 3);
    CHECK_NOTHROW(targets.configure_prefix("pay/", of_limit(3))); // nothing new for who is in use
}

TEST_CASE("configure: options that cannot be written are an error all the same", "[registry]") {
    dashpot::Registry<ManualClock, Lenient> targets;
    targets.configure("CORE", {.policy = {1}});
    targets.configure_prefix("CORE", {.policy = {1}});
    CHECK_NOTHROW(targets.configure("CORE", {.policy = {1}}));
    for (const auto& message :
         {support::message_of([&] { targets.configure("CORE", {.policy = {2}}); }),
          support::message_of([&] { targets.configure_prefix("CORE", {.policy = {2}}); })}) {
        CHECK(mentions(message, "\"CORE\" was given other options before"));
    }
}

TEST_CASE(
    "configure_prefix: after the first use of a name that it concerns, it is an error that names it",
    "[registry]") {
    Registry targets{of_limit(1)};
    (void)targets.get("pay/visa");
    CHECK_THROWS_AS(targets.configure_prefix("pay/", of_limit(2)), std::logic_error);
    const auto message = support::message_of([&] { targets.configure_prefix("pay/", of_limit(2)); });
    CHECK(mentions(message, "\"pay/\""));
    CHECK(mentions(message, "\"pay/visa\""));
    CHECK(limit_of(targets, "pay/visa") == 1);
    CHECK(limit_of(targets, "pay/other") == 1); // nothing of it remained

    targets.remove("pay/visa");
    targets.remove("pay/other");
    CHECK_NOTHROW(targets.configure_prefix("pay/", of_limit(2)));
    CHECK(limit_of(targets, "pay/visa") == 2);
}

TEST_CASE("configure_prefix: names in use that it does not concern do not stand in its way",
          "[registry]") {
    Registry targets{of_limit(1)};
    targets.configure("pay/own", of_limit(7));
    targets.configure_prefix("pay/longer/", of_limit(8));
    (void)targets.get("pay/own");
    (void)targets.get("pay/longer/x");
    (void)targets.get("pa");
    CHECK_NOTHROW(targets.configure_prefix("pay/", of_limit(2)));
    CHECK(limit_of(targets, "pay/x") == 2);
    CHECK(limit_of(targets, "pay/longer/y") == 8);
    CHECK_THROWS_AS(targets.configure_prefix("pay/longer/x", of_limit(3)), std::logic_error);
}

TEST_CASE("configure: an evicted name may be configured, for it is not in use", "[registry]") {
    Registry targets{of_limit(1)};
    (void)targets.get("CORE");
    CHECK(targets.evict_idle() == 1);
    CHECK_NOTHROW(targets.configure("CORE", of_limit(2)));
    CHECK(limit_of(targets, "CORE") == 2);
    CHECK(targets.evict_idle() == 1);
    CHECK_THROWS_AS(targets.configure("CORE", of_limit(3)), std::logic_error);
    CHECK_NOTHROW(targets.configure("CORE", of_limit(2)));
    CHECK(limit_of(targets, "CORE") == 2);
}

TEST_CASE("configure_prefix: refuses bad options, and keeps nothing of them", "[registry]") {
    Registry targets;
    CHECK_THROWS_AS(targets.configure_prefix("a", {.policy = {.threshold = 0}}), std::invalid_argument);
    CHECK_NOTHROW(targets.configure_prefix("a", of_limit(2)));
}

TEST_CASE("configure_prefix: prefixes have the same bound, and one of their own", "[registry]") {
    Registry targets{{}, {.max_targets = 2}, ManualClock{}};
    targets.configure("name 1", {});
    targets.configure("name 2", {});
    targets.configure_prefix("a", of_limit(1));
    targets.configure_prefix("b", of_limit(1));
    CHECK_THROWS_AS(targets.configure_prefix("c", of_limit(1)), std::length_error);
    CHECK_NOTHROW(targets.configure_prefix("a", of_limit(1)));
    const auto message = support::message_of([&] { targets.configure_prefix("c", of_limit(1)); });
    CHECK(mentions(message, "max_targets (2)"));
}

} // namespace tests::registry_registry_overrides
