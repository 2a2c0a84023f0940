// SPDX-License-Identifier: MIT
#include "load.hpp"

#include "../../examples/common/json_client.hpp"

#include <array>
#include <random>

namespace soak {
namespace {

using namespace std::chrono_literals;
using Random = std::mt19937_64;

constexpr std::size_t core_clients = 12;
constexpr std::size_t claim_clients = 4;

std::string body_for(const std::string& target, Random& random) {
    if (target == "hub") {
        constexpr std::array bodies{"", "{", "[]", R"({"target":5})", R"({"target":"NOBODY"})"};
        return bodies[random() % bodies.size()];
    }
    nlohmann::json body{{"target", target}, {"amount", random() % 1000}};
    // Now and then more than a socket's buffers take at once.
    if (random() % 32 == 0) body["note"] = std::string(256 * 1024, 'x');
    return body.dump();
}

} // namespace

Load::Load(int port, Ledger& ledger, std::uint64_t seed) : port_{port}, ledger_{ledger} {
    const auto add = [&](const char* target, std::size_t count, std::chrono::milliseconds pause) {
        for (std::size_t i = 0; i < count; ++i)
            clients_.emplace_back(&Load::run, this, std::string{target}, pause, ++seed);
    };
    add("CORE", core_clients, 20ms);
    add("CLAIM", claim_clients, 10ms);
    add("hub", 1, 50ms);
}

Load::~Load() {
    {
        const std::lock_guard lock{mutex_};
        is_over_ = true;
    }
    changed_.notify_all();
    for (std::thread& client : clients_) client.join();
}

void Load::resume() {
    {
        const std::lock_guard lock{mutex_};
        is_paused_ = false;
    }
    changed_.notify_all();
}

void Load::pause() {
    std::unique_lock lock{mutex_};
    is_paused_ = true;
    changed_.wait(lock, [this] { return under_way_ == 0; });
}

bool Load::begin_call() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return is_over_ || !is_paused_; });
    if (is_over_) return false;
    ++under_way_;
    return true;
}

void Load::end_call() {
    {
        const std::lock_guard lock{mutex_};
        --under_way_;
    }
    changed_.notify_all();
}

void Load::run(const std::string& target, std::chrono::milliseconds pause_between, std::uint64_t seed) {
    example::JsonClient client{port_};
    Random random{seed};
    while (begin_call()) {
        ledger_.send(target);
        const example::HttpAnswer answer = client.post("/tx", body_for(target, random));
        if (answer.status == 0)
            ledger_.lose(target, answer.took);
        else
            ledger_.answer(target, answer.code(), answer.took);
        end_call();
        std::this_thread::sleep_for(pause_between);
    }
}

} // namespace soak
