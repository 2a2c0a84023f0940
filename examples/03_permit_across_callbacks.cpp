// SPDX-License-Identifier: MIT
// A call that begins in one function and ends in a callback: the permit travels with it.
#include <dashpot/dashpot.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <queue>
#include <utility>

namespace {

/// A client in callback style. It answers when its event loop runs, long after send() has returned.
class EventLoopClient {
  public:
    using OnStatus = std::function<void(int status)>;

    void send(int status_to_come, OnStatus done) {
        pending_.emplace([status_to_come, done = std::move(done)] { done(status_to_come); });
    }
    /// Drops the callback of the oldest request, as a client does when its connection is closed.
    void lose_one() { pending_.pop(); }
    void run() {
        for (; !pending_.empty(); pending_.pop()) pending_.front()();
    }

  private:
    std::queue<std::function<void()>> pending_;
};

} // namespace

int main() {
    dashpot::Target<> core{"CORE", {.policy = {.threshold = 2}, .max_concurrent = 3}};
    EventLoopClient client;

    const auto send = [&](int status_to_come) {
        // std::function copies its callable, and an entry cannot be copied: share it.
        auto entry = std::make_shared<dashpot::Target<>::Entry>(core.try_enter());
        if (!*entry) {
            std::cout << "not sent, " << to_string(entry->refusal().reason) << '\n';
            return;
        }
        client.send(status_to_come, [entry](int status) {
            std::cout << "status " << status << '\n';
            entry->record(status >= 500 ? dashpot::Outcome::failure : dashpot::Outcome::success);
        });
    };

    send(200);
    send(200);
    send(200);
    send(200);         // the fourth at once: the bulkhead refuses it
    client.lose_one(); // the first callback never comes: its entry gives the slot back
    std::cout << core.bulkhead().in_flight() << " in flight\n";
    client.run(); // answers the two that are left
    send(503);
    send(503);
    client.run(); // two failures in a row: the circuit opens
    send(200);
}
// Output:
// not sent, bulkhead_full
// 2 in flight
// status 200
// status 200
// status 503
// status 503
// not sent, circuit_open
