// SPDX-License-Identifier: MIT
// Many threads in the wait of one retry, each with a stop of its own.
#include <dashpot/pipeline/call_options.hpp>
#include <dashpot/pipeline/pipeline.hpp>
#include <dashpot/pipeline/retry.hpp>

#include "catch.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <latch>
#include <stop_token>
#include <thread>
#include <vector>

namespace tests::pipeline_stop_race {

using namespace std::chrono_literals;
using dashpot::Outcome;

constexpr std::size_t threads = 64;

/// Threads that each make one call, which fails and waits for an hour before its second attempt.
class Waiting {
  public:
    Waiting() {
        for (std::size_t i = 0; i != threads; ++i) {
            threads_.emplace_back([this](const std::stop_token& stop) {
                const auto failed = protect_.call(
                    {.stop = stop}, [this] { return ++calls_, begun_.count_down(), 7; },
                    [](int) { return Outcome::failure; });
                if (failed && *failed == 7) ++last_results_;
            });
        }
        begun_.wait();
    }

    void stop_all() {
        for (auto& thread : threads_) thread.request_stop();
    }
    void stop(std::size_t index) {
        threads_[index].request_stop();
        threads_[index].join();
    }
    /// Returns the number of calls that returned their last result.
    int join() {
        threads_.clear();
        return last_results_;
    }
    [[nodiscard]] int calls() const { return calls_; }
    [[nodiscard]] int finished() const { return last_results_; }

  private:
    decltype(dashpot::pipeline(dashpot::Retry{})) protect_ =
        dashpot::pipeline(dashpot::Retry{.wait = 1h});
    std::latch begun_{threads};
    std::atomic<int> calls_{0};
    std::atomic<int> last_results_{0};
    std::vector<std::jthread> threads_;
};

TEST_CASE("Retry: a stop ends the waits of all threads, each with its last result", "[race]") {
    for (int round = 0; round != 10; ++round) {
        Waiting waiting;
        waiting.stop_all();
        REQUIRE(waiting.join() == threads);
        REQUIRE(waiting.calls() == threads);
    }
}

TEST_CASE("Retry: a stop ends the wait of its own thread alone", "[race]") {
    Waiting waiting;
    for (std::size_t i = 0; i != threads; ++i) {
        REQUIRE(waiting.finished() == static_cast<int>(i));
        waiting.stop(i);
    }
    CHECK(waiting.finished() == threads);
    CHECK(waiting.calls() == threads);
}

} // namespace tests::pipeline_stop_race
