// SPDX-License-Identifier: MIT
// Two services over HTTP, each a target of its own. One of them fails; the other is served as before.
#include <dashpot/dashpot.hpp>

#include <httplib.h>

#include <array>
#include <iostream>
#include <string>
#include <thread>

int main() {
    // A server with two endpoints stands for two services: accounts are healthy, claims are not.
    httplib::Server server;
    server.Get("/accounts", [](const httplib::Request&, httplib::Response& reply) {
        reply.set_content("balance 17.50", "text/plain");
    });
    server.Get("/claims",
               [](const httplib::Request&, httplib::Response& reply) { reply.status = 503; });
    const int port = server.bind_to_any_port("127.0.0.1");
    std::thread serving{[&] { server.listen_after_bind(); }};

    // One compartment for each service: a breaker that opens after 3 failures, and 10 calls in flight.
    dashpot::Registry<> targets{{.policy = {.threshold = 3}, .max_concurrent = 10}};

    // The client's own time-out bounds each call. A breaker counts how calls end; it does not end them.
    httplib::Client client{"127.0.0.1", port};
    client.set_read_timeout(std::chrono::seconds{1});

    // A 5xx and a missing answer are failures. Every other status is an answer of a healthy target.
    const auto status_of = [](const httplib::Result& reply) { return reply ? reply->status : 0; };
    const auto judge = dashpot::http_status(status_of);

    for (int i = 1; i <= 5; ++i) {
        for (const std::string name : {"accounts", "claims"}) {
            const auto target = targets.get(name);
            const auto reply = target->call([&] { return client.Get("/" + name); }, judge);
            std::cout << i << ' ' << name << ": ";
            if (!reply) {
                std::cout << "not called, " << to_string(reply.error().reason) << '\n';
            } else {
                std::cout << "status " << status_of(*reply) << '\n';
            }
        }
    }

    server.stop();
    serving.join();
}
// Output:
// 1 accounts: status 200
// 1 claims: status 503
// 2 accounts: status 200
// 2 claims: status 503
// 3 accounts: status 200
// 3 claims: status 503
// 4 accounts: status 200
// 4 claims: not called, circuit_open
// 5 accounts: status 200
// 5 claims: not called, circuit_open
