// SPDX-License-Identifier: MIT
#include "flicker.hpp"

#include "breaker.hpp"
#include "client.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <future>
#include <string>
#include <thread>

namespace breaker_drill {
namespace {

using namespace std::chrono_literals;

constexpr std::array failure_chances{0.3, 0.5, 0.7, 0.9};
constexpr std::uint32_t callers = 800;
constexpr auto pause = 500us;
constexpr auto open_wait = 4ms;

void count(Flicker& flicker, const dashpot::Transition& transition) {
    using dashpot::State;
    if (transition.to == State::half_open) ++flicker.half_opens;
    if (transition.from != State::half_open) return;
    ++(transition.to == State::closed ? flicker.closes : flicker.reopens);
}

Flicker watch(const example::Endpoint& service, double failure_chance, std::uint32_t probes) {
    Flicker result{.failure_chance = failure_chance, .probes = probes, .callers = callers};
    Client client{service};
    const std::string path = "/flaky?p=" + std::to_string(failure_chance);
    const auto judge = dashpot::http_status();
    Breaker breaker{window, {.reset_timeout = open_wait, .half_open = {.probes = probes}}};
    const auto counting = breaker.on_transition(
        [&result](const dashpot::Transition& transition) { count(result, transition); });
    for (std::uint32_t i = 0; i < callers; ++i) {
        const dashpot::Result<int> status = breaker.call([&] { return client.get(path); }, judge);
        if (!status)
            ++result.refused;
        else if (*status != 200)
            ++result.failed;
        // After the call, not by a timetable: callers who catch up would all fall into one wait.
        std::this_thread::sleep_for(pause);
    }
    return result;
}

} // namespace

double Flicker::close_rate() const noexcept {
    return half_opens == 0 ? 0.0 : static_cast<double>(closes) / half_opens;
}

double Flicker::expected_close_rate() const noexcept { return std::pow(1 - failure_chance, probes); }

std::vector<Flicker> measure_flicker(const example::Endpoint& service) {
    static_cast<void>(Client{service}.requests_received());
    std::vector<Flicker> measured;
    for (const double chance : failure_chances) {
        auto three = std::async(std::launch::async, [&] { return watch(service, chance, 3); });
        measured.push_back(watch(service, chance, 1));
        measured.push_back(three.get());
    }
    return measured;
}

} // namespace breaker_drill
