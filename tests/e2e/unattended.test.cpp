// SPDX-License-Identifier: MIT
// What the hub does with files that may hang: example::Unattended.
#include "../../examples/common/unattended.hpp"

#include "rig.hpp"

#include "catch.hpp"

#include <atomic>
#include <future>
#include <memory>

namespace tests::e2e_unattended {

using e2e::eventually;
using example::Unattended;
using namespace std::chrono_literals;

namespace {

/// Work that hangs until it is let go, and may outlive the test.
struct Hanging {
    std::promise<void> release;
    std::shared_future<void> released = release.get_future().share();
    std::atomic<int> runs = 0;
};

std::function<void()> work_of(const std::shared_ptr<Hanging>& hanging) {
    return [hanging] {
        ++hanging->runs;
        hanging->released.wait();
    };
}

} // namespace

TEST_CASE("Unattended: work has ended when run() returns, and runs one after the other") {
    Unattended unattended;
    const auto runs = std::make_shared<std::atomic<int>>(0);
    for (int i = 1; i <= 100; ++i) {
        CHECK(unattended.run([runs] { ++*runs; }, 30s));
        CHECK(*runs == i);
    }
}

TEST_CASE(
    "Unattended: work that hangs is given up, and of what comes meanwhile the last is done later") {
    Unattended unattended;
    const auto hanging = std::make_shared<Hanging>();
    const auto runs = std::make_shared<std::atomic<int>>(0);
    CHECK_FALSE(unattended.run(work_of(hanging), 1ms));
    REQUIRE(eventually([&] { return hanging->runs == 1; })); // else the next would take its place
    for (int i = 0; i < 5; ++i) CHECK_FALSE(unattended.run([runs] { ++*runs; }, 1ms));
    CHECK(*runs == 0);
    hanging->release.set_value();
    CHECK(eventually([&] { return *runs == 1; }));
    CHECK(unattended.run([runs] { ++*runs; }, 30s));
    CHECK(*runs == 2);
    CHECK(hanging->runs == 1);
}

TEST_CASE("Unattended: stop() ends all waiting at once, for good, and work that hangs outlives it") {
    const auto hanging = std::make_shared<Hanging>();
    {
        Unattended unattended;
        auto waiting =
            std::async(std::launch::async, [&] { return unattended.run(work_of(hanging), 10min); });
        REQUIRE(eventually([&] { return hanging->runs == 1; }));
        unattended.stop();
        CHECK_FALSE(waiting.get());
        CHECK_FALSE(unattended.run([] {}, 10min));
    }
    hanging->release.set_value();
    CHECK(eventually([&] { return hanging.use_count() == 1; }));
}

} // namespace tests::e2e_unattended
