// SPDX-License-Identifier: MIT
#ifndef DASHPOT_EXAMPLES_RELAY_DEMO_ANSWERS_HPP
#define DASHPOT_EXAMPLES_RELAY_DEMO_ANSWERS_HPP

#include "../common/json_client.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace relay_demo {

/// How long a program of the demo may take to end.
inline constexpr std::chrono::seconds patience{15};

/// The JSON of an answer.
/// @throws std::runtime_error if it is no 200
inline nlohmann::json checked(example::HttpAnswer answer) {
    if (answer.status != 200) throw std::runtime_error{"a program of the demo does not answer"};
    return std::move(answer.body);
}

} // namespace relay_demo

#endif
