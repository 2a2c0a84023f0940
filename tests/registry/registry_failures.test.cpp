// SPDX-License-Identifier: MIT
// A target that cannot be made: out of memory, or its clock cannot be copied.
#include <dashpot/registry/registry.hpp>

#include "catch.hpp"

#include <chrono>
#include <memory>
#include <new>

namespace tests::registry_registry_failures {

namespace {

/// Fails to be copied for as long as it is told to.
class FragileClock {
  public:
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = dashpot::Instant;
    static constexpr bool is_steady = true;

    FragileClock() = default;
    FragileClock(FragileClock&&) noexcept = default;
    FragileClock(const FragileClock& other) : is_broken_{other.is_broken_} {
        if (*is_broken_) throw std::bad_alloc{};
    }
    FragileClock& operator=(FragileClock&&) noexcept = default;
    FragileClock& operator=(const FragileClock&) = default;

    [[nodiscard]] time_point now() const noexcept { return {}; }
    void set_broken(bool is_broken) const { *is_broken_ = is_broken; }

  private:
    std::shared_ptr<bool> is_broken_ = std::make_shared<bool>(false);
};

} // namespace

TEST_CASE("Registry: a get() that fails takes no place") {
    const FragileClock clock;
    dashpot::Registry<FragileClock> targets{{}, {.max_targets = 1}, clock};
    clock.set_broken(true);
    CHECK_THROWS_AS(targets.get("payments"), std::bad_alloc);
    CHECK(targets.size() == 0);
    CHECK(targets.find("payments") == nullptr);

    clock.set_broken(false);
    CHECK(targets.get("orders") != nullptr); // the one place there is
    CHECK(targets.size() == 1);
}

TEST_CASE("Registry: a get() that fails keeps the name's options for the next") {
    const FragileClock clock;
    dashpot::Registry<FragileClock> targets{{}, {}, clock};
    targets.configure("payments", {.max_concurrent = 3});
    clock.set_broken(true);
    CHECK_THROWS_AS(targets.get("payments"), std::bad_alloc);
    clock.set_broken(false);
    CHECK(targets.get("payments")->bulkhead().max_concurrent() == 3);
}

} // namespace tests::registry_registry_failures
