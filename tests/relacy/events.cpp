// SPDX-License-Identifier: MIT
#include "schedules.hpp"

#include <dashpot/guard/circuit_breaker.hpp>
#include <dashpot/guard/detail/event_channel.hpp>
#include <dashpot/policy/consecutive_failures.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

using namespace schedules;
using dashpot::State;
using dashpot::Subscription;

namespace {

/// What is pushed: watched, so that a queue touched by two at once is found.
struct Event {
    plain<int> number{0};
};
using Channel = dashpot::detail::EventChannel<Event>;

/// The channel with causes that happen in an order, as a breaker's transitions do under its lock.
template <class Derived, int threads>
struct OnChannel : Program<Derived, threads> {
    std::shared_ptr<Channel> channel = std::make_shared<Channel>();
    dashpot::threading::mutex mutex;
    plain<int> caused{0}; // guarded by mutex

    void cause() {
        bool is_heard = false;
        {
            const std::lock_guard lock{mutex};
            caused = caused + 1;
            is_heard = channel->push({caused});
        }
        if (is_heard) channel->deliver();
    }
};

/// In order, exactly once, one at a time, and what one delivery did is seen by the next.
template <int threads, int events>
struct InOrderOnce : OnChannel<InOrderOnce<threads, events>, threads> {
    plain<bool> is_running{false};
    plain<int> heard{0};
    Subscription subscription = Channel::subscribe(this->channel, [this](const Event& event) {
        HOLDS(!is_running);
        is_running = true;
        HOLDS(event.number == heard + 1);
        heard = event.number;
        is_running = false;
    });

    void thread(unsigned) {
        for (int i = 0; i != events; ++i) this->cause();
    }
    void after() { HOLDS(heard == threads * events); }
};

/// A listener that causes an event itself: heard after the one under way, by whoever is delivering.
struct CausedByAListener : OnChannel<CausedByAListener, 2> {
    plain<int> heard{0};
    plain<bool> is_running{false};
    Subscription subscription = Channel::subscribe(channel, [this](const Event& event) {
        HOLDS(!is_running);
        is_running = true;
        HOLDS(event.number == heard + 1);
        heard = event.number;
        if (event.number == 1) cause();
        is_running = false;
    });

    void thread(unsigned) { cause(); }
    void after() { HOLDS(heard == 3); }
};

/// A subscription ends while an event is delivered: once it has ended no call runs or begins, and
/// what the listener did is seen; what it uses may go.
struct EndsForGood : OnChannel<EndsForGood, 2> {
    plain<bool> is_there{true};
    plain<int> heard{0};
    Subscription subscription = Channel::subscribe(channel, [this](const Event&) {
        HOLDS(is_there);
        heard = heard + 1;
        HOLDS(is_there);
    });

    void thread(unsigned i) {
        if (i == 0) {
            cause();
        } else {
            subscription.cancel();
            is_there = false;
            HOLDS(heard <= 1);
        }
    }
};

/// A listener ends its own subscription, while another thread would deliver to it too.
struct EndsItself : OnChannel<EndsItself, 2> {
    plain<int> heard{0};
    Subscription subscription = Channel::subscribe(channel, [this](const Event&) {
        heard = heard + 1;
        subscription.cancel();
    });

    void thread(unsigned) { cause(); }
    void after() { HOLDS(heard == 1); }
};

/// Listeners of several channels, each of which ends the next one's subscription: all return, however
/// the threads meet.
template <int threads>
struct EndEachOther : Program<EndEachOther<threads>, threads> {
    std::vector<std::shared_ptr<Channel>> channels;
    std::vector<Subscription> subscriptions;

    EndEachOther() {
        for (std::size_t i = 0; i != threads; ++i) {
            channels.push_back(std::make_shared<Channel>());
            subscriptions.push_back(Channel::subscribe(
                channels[i], [this, i](const Event&) { subscriptions[(i + 1) % threads].cancel(); }));
        }
    }

    void thread(unsigned i) {
        if (channels[i]->push({1})) channels[i]->deliver();
    }
    void after() {
        std::size_t ended = 0;
        for (const Subscription& each : subscriptions) ended += each ? 0U : 1U;
        HOLDS(ended != 0);
    }
};

/// Who subscribes while events come hears those that came after, without a gap.
struct NoGap : OnChannel<NoGap, 2> {
    plain<int> first{0};
    plain<int> last{0};
    Subscription early = Channel::subscribe(channel, [](const Event&) {});
    Subscription late;

    void thread(unsigned i) {
        if (i == 0) {
            cause();
            cause();
        } else {
            late = Channel::subscribe(channel, [this](const Event& event) {
                if (first == 0) first = static_cast<int>(event.number);
                HOLDS(last == 0 || event.number == last + 1);
                last = event.number;
            });
        }
    }
    void after() { HOLDS(last == 0 || last == 2); }
};

/// The same through a breaker: each transition is the next of the one before.
template <int threads>
struct Transitions : Program<Transitions<threads>, threads> {
    using Breaker = dashpot::CircuitBreaker<Clock, dashpot::ConsecutiveFailures>;
    std::unique_ptr<Breaker> breaker =
        std::make_unique<Breaker>(dashpot::ConsecutiveFailures{.threshold = 1});
    plain<State> state{State::closed};
    plain<std::uint64_t> generation{1};
    Subscription subscription = breaker->on_transition([this](const dashpot::Transition& moved) {
        HOLDS(moved.from == state);
        HOLDS(moved.generation == generation + 1);
        state = moved.to;
        generation = moved.generation;
    });

    void before() { Time::start(); }
    void thread(unsigned i) {
        if (i == 0) {
            breaker->trip();
            breaker->disable();
        } else {
            breaker->record_failure();
            breaker->force_open();
        }
    }
    void after() {
        HOLDS(breaker->state() == state);
        HOLDS(breaker->snapshot().generation == generation);
    }
};

} // namespace

int main(int argc, char** argv) {
    using enum Search::Kind;
    using enum Mistake::Kind;
    return run(
        argc, argv,
        {{"in order, once", holds<InOrderOnce<2, 2>>, {bound, 4}, {bound, 6}},
         {"in order, once, three", holds<InOrderOnce<3, 2>>, {random, 20'000}, {random, 1'000'000}},
         {"caused by a listener", holds<CausedByAListener>, {bound, 4}, {bound, 6}},
         {"ends for good", holds<EndsForGood>, {every}, {every}},
         {"ends for good, woken", holds<EndsForGood>, {random, 20'000}, {random, 1'000'000}},
         {"ends itself", holds<EndsItself>, {bound, 4}, {every}},
         {"end each other", holds<EndEachOther<2>>, {bound, 4}, {every}},
         {"end each other, three", holds<EndEachOther<3>>, {random, 10'000}, {random, 500'000}},
         {"no gap", holds<NoGap>, {bound, 4}, {bound, 6}},
         {"transitions", holds<Transitions<2>>, {bound, 3}, {bound, 4}},
         {"transitions of three", holds<Transitions<3>>, {random, 10'000}, {random, 500'000}}},
        {{"nobody_locks_the_queue", "in order, once", {left_out, "", "", "lock"}},
         {"end_is_not_told", "ends for good", {left_out, "event_channel.hpp", "deliver_one", "notify"}},
         {"two_deliver", "in order, once"},
         {"flag_is_cleared_too_late", "in order, once"}});
}
