// SPDX-License-Identifier: MIT
#include <dashpot/guard/detail/listener_list.hpp>

#include <dashpot/core/threading.hpp>

#include "catch.hpp"

#include <cstdint>
#include <memory>

namespace tests::guard_detail_listener_list {

using dashpot::detail::Listener;
using dashpot::detail::ListenerList;

namespace {

/// Opens up what a channel uses; one thread alone, so no lock is needed.
struct OpenList : ListenerList {
    std::shared_ptr<Listener> add(std::uint64_t first_event = 0) {
        auto listener = std::make_shared<Listener>();
        add_locked(listener, first_event);
        return listener;
    }
    std::shared_ptr<Listener> next(std::uint64_t number, std::uint64_t event) const {
        return next_locked(number, event);
    }
};

} // namespace

TEST_CASE("ListenerList: is empty at first", "[guard]") {
    const OpenList list;
    CHECK(list.next(0, 100) == nullptr);
}

TEST_CASE("ListenerList: goes through its listeners in the order of subscription", "[guard]") {
    OpenList list;
    const auto a = list.add();
    const auto b = list.add();
    const auto c = list.add();
    CHECK(list.next(0, 0) == a);
    CHECK(list.next(a->number, 0) == b);
    CHECK(list.next(b->number, 0) == c);
    CHECK(list.next(c->number, 0) == nullptr);
}

TEST_CASE("ListenerList: one that was removed is passed over, and the round goes on", "[guard]") {
    OpenList list;
    const auto a = list.add();
    const auto b = list.add();
    const auto c = list.add();
    list.remove(*a); // the one that was just called
    CHECK(list.next(a->number, 0) == b);
    list.remove(*b); // the one that would be next
    CHECK(list.next(a->number, 0) == c);
    list.remove(*b); // twice does no harm
    CHECK(list.next(0, 0) == c);
}

TEST_CASE("ListenerList: one that came later does not receive an earlier event", "[guard]") {
    OpenList list;
    const auto early = list.add(0);
    const auto later = list.add(5);
    CHECK(list.next(early->number, 4) == nullptr);
    CHECK(list.next(early->number, 5) == later);
    CHECK(list.next(early->number, 6) == later);
}

TEST_CASE("ListenerList: a number is never given twice", "[guard]") {
    OpenList list;
    const auto a = list.add();
    list.remove(*a);
    const auto b = list.add();
    CHECK(b->number > a->number);
}

TEST_CASE("ListenerList: a listener stays alive while its remover holds it", "[guard]") {
    OpenList list;
    const auto a = list.add();
    CHECK(a.use_count() == 2);
    list.remove(*a);
    CHECK(a.use_count() == 1);
}

TEST_CASE("ListenerList: removing the one that this very thread runs does not wait for it", "[guard]") {
    OpenList list;
    const auto a = list.add();
    a->runner = dashpot::threading::this_thread_id();
    list.remove(*a); // or this test never ends
    CHECK(list.next(0, 0) == nullptr);
}

} // namespace tests::guard_detail_listener_list
