// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_SIMULATED_SERVICE_HPP
#define DASHPOT_BENCH_SIMULATED_SERVICE_HPP

#include <dashpot/guard/adaptive_limiter.hpp>
#include <dashpot/testing/manual_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <queue>
#include <random>
#include <utility>
#include <vector>

/// A service with a number of servers and one queue, called through an AdaptiveLimiter, in simulated
/// time.
namespace simulation {

/// What the service is.
struct Service {
    std::uint32_t servers = 40;
    double service_time = 0.050; ///< The mean, in seconds.
    bool is_exponential = true;  ///< Otherwise each call takes the mean.
    /// Calls that it takes beyond one per server; it drops those above.
    std::uint32_t queue = (std::numeric_limits<std::uint32_t>::max)();
};

/// What was seen in a span of time.
struct Measured {
    double seconds = 0;
    std::uint64_t offered = 0;
    std::uint64_t refused = 0;
    std::uint64_t dropped = 0;
    std::uint64_t served = 0;
    double latency_sum = 0; ///< Seconds, of the calls that were served.
    std::uint32_t lowest_limit = (std::numeric_limits<std::uint32_t>::max)();
    std::uint32_t highest_limit = 0;

    [[nodiscard]] double goodput() const { return static_cast<double>(served) / seconds; }
    [[nodiscard]] double latency() const { return latency_sum / static_cast<double>(served); }
};

/// Calls arrive at random, at a rate that does not depend on the answers.
template <class P>
class Simulation {
  public:
    using Clock = dashpot::testing::ManualClock;
    using Limiter = dashpot::AdaptiveLimiter<Clock, P>;

    Simulation(P policy, const Service& service, std::uint64_t seed)
        : limiter_{policy, clock_}, service_{service}, random_{seed} {}

    [[nodiscard]] Service& service() { return service_; }
    [[nodiscard]] const Limiter& limiter() const { return limiter_; }

    /// Lets `seconds` pass, with `rate` calls a second.
    Measured run(double seconds, double rate) {
        Measured measured;
        measured.seconds = seconds;
        const double end = now_ + seconds;
        double arrival = now_ + next(1 / rate);
        start_waiting(); // there may be more servers than before
        while (true) {
            const bool is_done = !busy_.empty() && busy_.top().at <= arrival;
            const double at = is_done ? busy_.top().at : arrival;
            if (at > end) break;
            move_to(at);
            if (is_done) {
                finish(measured);
            } else {
                arrive(measured);
                arrival = now_ + next(1 / rate);
            }
            const std::uint32_t limit = limiter_.limit();
            measured.lowest_limit = (std::min)(measured.lowest_limit, limit);
            measured.highest_limit = (std::max)(measured.highest_limit, limit);
        }
        move_to(end);
        return measured;
    }

  private:
    struct Call {
        typename Limiter::Permit permit;
        double began;
    };
    struct Done {
        double at;
        std::size_t call;
        friend bool operator<(const Done& a, const Done& b) {
            return a.at > b.at;
        } // the earliest first
    };

    void move_to(double at) {
        now_ = at;
        clock_.set(dashpot::Instant{std::chrono::nanoseconds{std::llround(at * 1e9)}});
    }

    double next(double mean) { return std::exponential_distribution<double>{1 / mean}(random_); }

    void arrive(Measured& measured) {
        ++measured.offered;
        auto permit = limiter_.try_acquire();
        if (!permit) {
            ++measured.refused;
            return;
        }
        if (busy_.size() >= service_.servers &&
            waiting_.size() + busy_.size() - service_.servers >= service_.queue) {
            ++measured.dropped;
            permit.failure();
            return;
        }
        waiting_.push_back({std::move(permit), now_});
        start_waiting();
    }

    void start_waiting() {
        while (busy_.size() < service_.servers && !waiting_.empty()) {
            std::size_t place = calls_.size();
            if (free_.empty()) {
                calls_.push_back(std::move(waiting_.front()));
            } else {
                place = free_.back();
                free_.pop_back();
                calls_[place] = std::move(waiting_.front());
            }
            waiting_.pop_front();
            const double takes =
                service_.is_exponential ? next(service_.service_time) : service_.service_time;
            busy_.push({now_ + takes, place});
        }
    }

    void finish(Measured& measured) {
        Call& call = calls_[busy_.top().call];
        free_.push_back(busy_.top().call);
        busy_.pop();
        ++measured.served;
        measured.latency_sum += now_ - call.began;
        call.permit.success();
        start_waiting();
    }

    Clock clock_;
    Limiter limiter_;
    Service service_;
    std::mt19937_64 random_;
    double now_ = 0;
    std::deque<Call> waiting_;
    std::vector<Call> calls_; // in service
    std::vector<std::size_t> free_;
    std::priority_queue<Done> busy_;
};

} // namespace simulation

#endif
