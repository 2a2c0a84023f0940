// SPDX-License-Identifier: MIT
#include <dashpot/guard/queue_options.hpp>

#include "catch.hpp"

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tests::guard_queue_options {

using namespace std::chrono_literals;
using dashpot::ControlledDelay;
using dashpot::QueueOptions;
using dashpot::QueueOrder;

namespace {

std::string refusal_of(const QueueOptions& options) {
    try {
        options.validate();
        return "";
    } catch (const std::invalid_argument& refused) {
        return refused.what();
    }
}

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

} // namespace

TEST_CASE("QueueOptions: ten calls, ten waiters and one second unless given otherwise", "[guard]") {
    STATIC_REQUIRE(QueueOptions{} == QueueOptions{10, 10, 1s, QueueOrder::fifo, {}});
    STATIC_REQUIRE(ControlledDelay{} == ControlledDelay{5ms, 100ms});
    STATIC_REQUIRE(QueueOptions{} != QueueOptions{.max_queued = 11});
    STATIC_REQUIRE(QueueOptions{} != QueueOptions{.controlled_delay = ControlledDelay{}});
}

TEST_CASE("QueueOptions: no slot and no place to wait are legal, a wait of nothing is not", "[guard]") {
    CHECK(refusal_of({.max_concurrent = 0, .max_queued = 0}).empty());
    CHECK(refusal_of({.max_wait = 1ns}).empty());
    CHECK(refusal_of({.max_wait = std::chrono::hours::max()}).empty());
    CHECK(refusal_of({.max_wait = 0s}) ==
          "QueueOptions::max_wait is 0s, must be longer than 0s; to let no "
          "caller wait write .max_queued = 0");
    CHECK(refusal_of({.max_wait = -1ns}).find("QueueOptions::max_wait is -1ns") == 0);
    CHECK(refusal_of({.order = static_cast<QueueOrder>(7)}) ==
          "QueueOptions::order is 7, must be QueueOrder::fifo or QueueOrder::lifo");
}

TEST_CASE("ControlledDelay: a target or an interval of nothing is refused by name", "[guard]") {
    CHECK(refusal_of({.controlled_delay = ControlledDelay{1ns, 1ns}}).empty());
    CHECK(refusal_of({.controlled_delay = ControlledDelay{0ms, 1ms}}) ==
          "ControlledDelay::target is 0s, must be longer than 0s");
    CHECK(refusal_of({.controlled_delay = ControlledDelay{1ms, 0ms}}) ==
          "ControlledDelay::interval is 0s, must be longer than 0s");
}

TEST_CASE("QueueOptions: print every field", "[guard]") {
    CHECK(printed(QueueOptions{}) ==
          "QueueOptions{.max_concurrent = 10, .max_queued = 10, .max_wait = 1s, "
          ".order = QueueOrder::fifo}");
    CHECK(printed(QueueOptions{.order = QueueOrder::lifo, .controlled_delay = ControlledDelay{}}) ==
          "QueueOptions{.max_concurrent = 10, .max_queued = 10, .max_wait = 1s, .order = "
          "QueueOrder::lifo, "
          ".controlled_delay = ControlledDelay{.target = 5ms, .interval = 100ms}}");
    CHECK(printed(QueueOrder::fifo) == "fifo");
    CHECK(printed(QueueOrder::lifo) == "lifo");
    CHECK(printed(static_cast<QueueOrder>(7)) == "unknown");
}

} // namespace tests::guard_queue_options
