// SPDX-License-Identifier: MIT
#ifndef DASHPOT_TESTS_SNIPPETS_PRELUDE_HPP
#define DASHPOT_TESTS_SNIPPETS_PRELUDE_HPP

// What the snippets of the documentation take for granted: a target to call, and a breaker for it.

#include <dashpot/adapter/json_transition_log.hpp>
#include <dashpot/adapter/prometheus_text.hpp>
#include <dashpot/adapter/traffic_log.hpp>
#include <dashpot/adapter/transition_counter.hpp>
#include <dashpot/adapter/transition_log.hpp>
#include <dashpot/dashpot.hpp>
#include <dashpot/testing/manual_clock.hpp>
#include <dashpot/testing/transition_recorder.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>

using namespace std::chrono_literals;

struct Reply {};
inline Reply busy(std::optional<std::chrono::nanoseconds> = {}) { return {}; }

struct Answer {
    int status = 200;
    std::string code = "0000";
};
struct Client {
    double balance(int) { return 0; }
    Answer send(int) { return {}; }
    bool ping() { return true; }
};

inline Client core;
inline int account = 1;
inline int request = 1;
inline dashpot::CircuitBreaker<> breaker;

#endif
