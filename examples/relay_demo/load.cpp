// SPDX-License-Identifier: MIT
#include "load.hpp"

#include "../common/json_client.hpp"

#include <utility>

namespace relay_demo {

using namespace std::chrono_literals;

Load::Load(LoadOptions options) : options_{std::move(options)}, running_{options_.clients} {
    for (std::size_t i = 0; i < options_.clients; ++i) clients_.emplace_back([this] { run_client(); });
}

Load::~Load() {
    is_stopping_ = true;
    for (std::thread& client : clients_) client.join();
}

void Load::run_client() {
    example::JsonClient client{options_.port};
    const std::string request = nlohmann::json{{"target", options_.target}, {"amount", 100}}.dump();
    httplib::Headers headers;
    if (options_.patience) headers.emplace("X-Timeout-Ms", std::to_string(options_.patience->count()));
    for (std::size_t i = 0; i < options_.calls && !is_stopping_; ++i) {
        const example::HttpAnswer answer = client.post("/tx", request, headers);
        {
            const std::lock_guard lock{mutex_};
            sample_.add(answer.code(), answer.took);
        }
        if (options_.pause > 0ms) std::this_thread::sleep_for(options_.pause);
    }
    --running_;
}

Sample Load::take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(sample_, {});
}

Sample Load::finish(std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (running_ > 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(1ms);
    is_stopping_ = true;
    return take();
}

} // namespace relay_demo
