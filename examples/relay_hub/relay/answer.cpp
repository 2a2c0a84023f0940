// SPDX-License-Identifier: MIT
#include "answer.hpp"

#include "codes.hpp"
#include "envelope.hpp"

#include <string>
#include <utility>

namespace relay_hub {
namespace {

Reply to_answered_reply(CallResult& result, std::string_view target) {
    if (result.status >= 500 && result.status <= 599)
        return own_reply(code::target_error, target,
                         "the target answered " + std::to_string(result.status));
    if (result.status < 200 || result.status > 499)
        return own_reply(code::broken, target,
                         "the target answered with HTTP status " + std::to_string(result.status));
    Field answered = read_field(result.body, "code");
    if (!answered.value)
        return own_reply(code::broken, target, "the target's answer: " + answered.problem);
    return {std::move(*answered.value), result.status, std::move(result.body)};
}

} // namespace

Reply to_reply(CallResult&& result, std::string_view target) {
    switch (result.end) {
    case CallResult::End::timed_out: return own_reply(code::no_answer, target, result.detail);
    case CallResult::End::broken: return own_reply(code::broken, target, result.detail);
    case CallResult::End::answered: break;
    }
    Reply reply = to_answered_reply(result, target);
    reply.retry_after = std::move(result.retry_after);
    return reply;
}

} // namespace relay_hub
