// SPDX-License-Identifier: MIT
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/timeout.hpp>

#include "catch.hpp"
#include "pipeline/script.hpp"

#include <memory>
#include <sstream>

namespace tests::pipeline_timeout {

using namespace support;
using dashpot::Attempt;
using dashpot::Deadline;
using dashpot::Error;
using dashpot::Instant;
using dashpot::pipeline;
using dashpot::Result;
using dashpot::Retry;
using dashpot::Timeout;

namespace {

/// Counts how often it is read.
struct CountingClock {
    using time_point = Instant;
    static constexpr bool is_steady = true;
    int* readings;
    [[nodiscard]] Instant now() const noexcept {
        ++*readings;
        return {};
    }
};

/// What is left of the time inside a pipeline.
template <class Protect>
std::chrono::nanoseconds left_in(const Protect& protect, const dashpot::CallOptions& options = {}) {
    return protect.call(options, [](const Attempt& attempt) { return attempt.remaining(); }).value();
}

} // namespace

TEST_CASE("Timeout: gives what is inside a deadline", "[pipeline]") {
    const ManualClock clock{Instant{1h}};
    CHECK(left_in(pipeline(Timeout{2s}).with(clock)) == 2s);
    CHECK(left_in(pipeline(Timeout{1ns}).with(clock)) == 1ns);
}

TEST_CASE("Timeout: nested ones only shorten", "[pipeline]") {
    const ManualClock clock;
    CHECK(left_in(pipeline(Timeout{100ms}, Timeout{200ms}).with(clock)) == 100ms);
    CHECK(left_in(pipeline(Timeout{200ms}, Timeout{100ms}).with(clock)) == 100ms);
    CHECK(left_in(pipeline(Timeout{200ms}).with(clock), {.timeout = 50ms}) == 50ms);
    CHECK(left_in(pipeline(Timeout{200ms}).with(clock), {.timeout = 1h}) == 200ms);
}

TEST_CASE("Timeout: the longest limit is no deadline, at any time", "[pipeline]") {
    for (const Instant start : {Instant{}, Instant{1ns}, (Instant::max)() - 1ns}) {
        const ManualClock clock{start};
        CHECK(left_in(pipeline(Timeout{std::chrono::hours::max()}).with(clock)) ==
              (std::chrono::nanoseconds::max)());
    }
}

TEST_CASE("Timeout: counts from where it stands, so each attempt has its own inside a Retry",
          "[pipeline]") {
    const ManualClock clock;
    Script script{clock, {fails(1, 40ms), fails(1, 40ms), gives(1)}};
    CHECK(pipeline(Timeout{1s}, Retry{.wait = 10ms}, Timeout{100ms}).with(clock).call(script));
    CHECK(script.remaining == Times{100ms, 100ms, 100ms});
    Script total{clock, {fails(1, 40ms), gives(1)}};
    CHECK(pipeline(Timeout{100ms}, Retry{.wait = 10ms}).with(clock).call(total));
    CHECK(total.remaining == Times{100ms, 50ms});
}

TEST_CASE("Timeout: if the deadline has passed on entry, nothing inside is asked", "[pipeline]") {
    const ManualClock clock;
    std::string journal;
    Journal slow{'s', journal};
    Journal inside{'i', journal};
    struct Late {
        ManualClock clock;
        Journal* journal;
        Journal::Permit try_acquire() const {
            ManualClock{clock}.advance(100ms);
            return journal->try_acquire();
        }
    };
    Late late{clock, &slow};
    Script script{clock, {gives(1)}};
    CHECK(pipeline(Timeout{100ms}, late, Timeout{1s}, inside).with(clock).call(script).error() ==
          Refusal{Error::deadline_exceeded});
    CHECK(journal == "srs");
    CHECK(script.calls() == 0);
    CHECK(pipeline(Timeout{100ms + 1ns}, late, Timeout{1s}, inside).with(clock).call(script));
    CHECK(script.remaining == Times{1ns});
}

TEST_CASE("Timeout: a value that comes late is returned, and an exception stays what it is",
          "[pipeline]") {
    const ManualClock clock;
    Script script{clock, {gives(7, 150ms), fails(8, 150ms)}};
    const auto protect = pipeline(Timeout{100ms}).with(clock);
    CHECK(ending_of([&] { return protect.call(script); }) == "value 7");
    CHECK(ending_of([&] { return protect.call(script); }) == "threw 8");
}

TEST_CASE("Timeout: reads the clock once", "[pipeline]") {
    int readings = 0;
    const CountingClock clock{&readings};
    CHECK(pipeline(Timeout{1s}).with(clock).call([] { return 1; }));
    CHECK(readings == 1);
    CHECK(pipeline(Timeout{1s}, Timeout{1s}).with(clock).call([] { return 1; }));
    CHECK(readings == 3);
    CHECK(
        pipeline(Retry{}).with(clock).call([](const Attempt& attempt) { return attempt.remaining(); }));
    CHECK(readings == 3);
}

TEST_CASE("Timeout: names the limit out of range", "[pipeline]") {
    CHECK_THROWS_WITH(Timeout{0s}.validate(), "Timeout::limit is 0s, must be longer than 0s");
    CHECK_THROWS_WITH(Timeout{-1ms}.validate(), "Timeout::limit is -1ms, must be longer than 0s");
    STATIC_REQUIRE((Timeout{1ns}.validate(), true));
}

TEST_CASE("Timeout: prints itself", "[pipeline]") {
    std::ostringstream text;
    text << Timeout{1500ms};
    CHECK(text.str() == "Timeout{.limit = 1500ms}");
}

} // namespace tests::pipeline_timeout
