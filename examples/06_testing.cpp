// SPDX-License-Identifier: MIT
// A test of your own code: the clock moves by hand, nothing sleeps, and each instant is exact.
#include <dashpot/dashpot.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

using namespace std::chrono_literals;

/// The code under test takes its clock as a type, as the guards do.
template <dashpot::Clock C = dashpot::SteadyClock>
class PriceService {
  public:
    explicit PriceService(C clock = {})
        : breaker_{{.threshold = 1}, {.reset_timeout = 10s}, std::move(clock)} {}

    /// Returns the price that `fetch` gives, or the last one while the circuit is open.
    template <class F>
    int price(F fetch) {
        const auto fetched = breaker_.call(fetch, [](int cents) {
            return cents > 0 ? dashpot::Outcome::success : dashpot::Outcome::failure;
        });
        if (fetched && *fetched > 0) last_ = *fetched;
        return last_;
    }
    auto& breaker() { return breaker_; }

  private:
    dashpot::CircuitBreaker<C> breaker_;
    int last_ = 0;
};

int main() {
    dashpot::testing::ManualClock clock;
    PriceService<dashpot::testing::ManualClock> service{clock};
    dashpot::testing::TransitionRecorder seen;
    const auto recording = service.breaker().on_transition(std::ref(seen));
    int fetched = 0;
    const auto gives = [&](int cents) { return [&fetched, cents] { return ++fetched, cents; }; };
    const auto expect = [](bool holds, const char* what) {
        std::cout << (holds ? "holds: " : "WRONG: ") << what << '\n';
        if (!holds) std::exit(1);
    };

    expect(service.price(gives(250)) == 250, "a fetched price is returned");
    expect(service.price(gives(-1)) == 250, "after a failure the last price is returned");
    clock.advance(10s - 1ns);
    expect(service.price(gives(300)) == 250 && fetched == 2,
           "one tick before the time-out nothing is fetched");
    clock.advance(1ns);
    expect(service.price(gives(300)) == 300, "at the time-out a probe fetches");
    expect(service.breaker().state() == dashpot::State::closed, "and its success closes the circuit");
    std::cout << seen.path() << '\n';
}
// Output:
// holds: a fetched price is returned
// holds: after a failure the last price is returned
// holds: one tick before the time-out nothing is fetched
// holds: at the time-out a probe fetches
// holds: and its success closes the circuit
// CLOSED->OPEN OPEN->HALF_OPEN HALF_OPEN->CLOSED
