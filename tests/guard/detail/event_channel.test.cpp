// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/event_channel.hpp>

#include "catch.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tests::guard_detail_event_channel {

using dashpot::Subscription;
using dashpot::detail::EventQueue;
using Channel = dashpot::detail::EventChannel<int>;

namespace {

struct Rig {
    Subscription listen(std::function<void(int)> function) {
        return Channel::subscribe(channel, std::move(function));
    }
    void cause(int event) {
        if (channel->push(event)) channel->deliver();
    }

    std::shared_ptr<Channel> channel = std::make_shared<Channel>();
    std::vector<int> heard;
};

} // namespace

TEST_CASE("EventQueue: gives back in the order of arrival", "[guard]") {
    EventQueue<int> queue;
    CHECK(queue.is_empty());
    for (int round = 0; round != 5; ++round) { // goes round its ring
        for (int i = 0; i != 10; ++i) queue.push(i);
        for (int i = 0; i != 10; ++i) CHECK(queue.pop() == i);
        CHECK(queue.is_empty());
    }
}

TEST_CASE("EventQueue: grows when its slots do not suffice, wherever its head is", "[guard]") {
    for (int head = 0; head != 17; ++head) {
        EventQueue<int> queue;
        for (int i = 0; i != head; ++i) {
            queue.push(-1);
            CHECK(queue.pop() == -1);
        }
        for (int i = 0; i != 100; ++i) queue.push(i);
        for (int i = 0; i != 100; ++i) CHECK(queue.pop() == i);
        CHECK(queue.is_empty());
    }
}

TEST_CASE("EventQueue: gives back the memory of a backlog once it is empty", "[guard]") {
    EventQueue<int> queue;
    const std::size_t at_first = queue.capacity();
    for (int i = 0; i != 100; ++i) queue.push(i);
    CHECK(queue.capacity() >= 100);
    for (int i = 0; i != 100; ++i) CHECK(queue.pop() == i);
    CHECK(queue.capacity() == at_first);
    for (int i = 0; i != 100; ++i) queue.push(i);
    for (int i = 0; i != 100; ++i) CHECK(queue.pop() == i);
}

TEST_CASE("EventQueue: holds on to nothing that it gave back", "[guard]") {
    EventQueue<std::shared_ptr<int>> queue;
    const auto held = std::make_shared<int>(42);
    queue.push(held);
    CHECK(held.use_count() == 2);
    CHECK(queue.pop() == held);
    CHECK(held.use_count() == 1);
}

TEST_CASE("EventChannel: takes each event to each listener, in order", "[guard]") {
    Rig rig;
    std::string order;
    const auto a = rig.listen([&](int event) { order += 'a' + std::to_string(event) + ' '; });
    const auto b = rig.listen([&](int event) { order += 'b' + std::to_string(event) + ' '; });
    rig.cause(1);
    rig.cause(2);
    CHECK(order == "a1 b1 a2 b2 ");
}

TEST_CASE("EventChannel: without listeners there is nothing to deliver", "[guard]") {
    Rig rig;
    CHECK_FALSE(rig.channel->push(1));
    rig.channel->deliver();
    auto subscription = rig.listen([&](int event) { rig.heard.push_back(event); });
    rig.channel->deliver();
    CHECK(rig.heard.empty());
    subscription.cancel();
    CHECK_FALSE(rig.channel->push(2));
}

TEST_CASE("EventChannel: the thread that delivers takes all that waits", "[guard]") {
    Rig rig;
    const auto subscription = rig.listen([&](int event) { rig.heard.push_back(event); });
    for (int i = 0; i != 40; ++i) CHECK(rig.channel->push(i));
    rig.channel->deliver();
    REQUIRE(rig.heard.size() == 40);
    for (int i = 0; i != 40; ++i) CHECK(rig.heard[static_cast<std::size_t>(i)] == i);
    rig.channel->deliver();
    CHECK(rig.heard.size() == 40);
}

TEST_CASE("EventChannel: a listener receives the events pushed after it subscribed", "[guard]") {
    Rig rig;
    std::vector<int> early;
    const auto first = rig.listen([&](int event) { early.push_back(event); });
    CHECK(rig.channel->push(1)); // not delivered yet
    const auto second = rig.listen([&](int event) { rig.heard.push_back(event); });
    CHECK(rig.channel->push(2));
    rig.channel->deliver();
    CHECK(early == std::vector{1, 2});
    CHECK(rig.heard == std::vector{2});
}

TEST_CASE("EventChannel: events that waited for a listener that left reach none that came later",
          "[guard]") {
    Rig rig;
    auto first = rig.listen([&](int event) { rig.heard.push_back(-event); });
    CHECK(rig.channel->push(1));
    first.cancel();
    const auto second = rig.listen([&](int event) { rig.heard.push_back(event); });
    CHECK(rig.channel->push(2));
    rig.channel->deliver();
    CHECK(rig.heard == std::vector{2});
}

TEST_CASE("EventChannel: an event caused within a call waits until the call is over", "[guard]") {
    Rig rig;
    const auto subscription = rig.listen([&](int event) {
        rig.heard.push_back(event);
        if (event < 3) rig.cause(event + 1);
        rig.heard.push_back(-event);
    });
    rig.cause(1);
    CHECK(rig.heard == std::vector{1, -1, 2, -2, 3, -3});
}

TEST_CASE("EventChannel: one that throws is contained", "[guard]") {
    Rig rig;
    const auto throwing = rig.listen([](int) { throw std::runtime_error{"full"}; });
    const auto other = rig.listen([&](int event) { rig.heard.push_back(event); });
    rig.cause(1);
    rig.cause(2);
    CHECK(rig.heard == std::vector{1, 2});
}

TEST_CASE("EventChannel: a listener's own data may use the channel while it is destroyed", "[guard]") {
    Rig rig;
    struct CausesAtItsEnd {
        explicit CausesAtItsEnd(Rig& r) : rig{r} {}
        CausesAtItsEnd(const CausesAtItsEnd&) = delete;
        CausesAtItsEnd& operator=(const CausesAtItsEnd&) = delete;
        ~CausesAtItsEnd() { rig.cause(99); }
        Rig& rig;
    };
    const auto other = rig.listen([&](int event) { rig.heard.push_back(event); });
    std::optional<Subscription> own;
    own.emplace(rig.listen(
        [&own, last = std::make_shared<CausesAtItsEnd>(rig)](int) { own.reset(); })); // and then itself
    rig.cause(1);
    CHECK(rig.heard == std::vector{1, 99});
    own.emplace(rig.listen([last = std::make_shared<CausesAtItsEnd>(rig)](int) {}));
    own.reset();
    CHECK(rig.heard == std::vector{1, 99, 99});
}

TEST_CASE("EventChannel: refuses an empty function", "[guard]") {
    Rig rig;
    CHECK_THROWS_WITH((void)Channel::subscribe(rig.channel, nullptr),
                      "on_transition: the listener must not be empty");
}

} // namespace tests::guard_detail_event_channel
