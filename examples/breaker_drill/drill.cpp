// SPDX-License-Identifier: MIT
#include "drill.hpp"

#include <algorithm>
#include <thread>

namespace breaker_drill {
namespace {

using std::chrono::steady_clock;

Calls make_calls(Breaker& breaker, Client& service, const Step& step) {
    // 5xx and no answer are failures; 4xx is the caller's fault, so the service is well.
    const auto judge = dashpot::http_status();
    const std::string path{step.path};
    Calls calls;
    for (std::uint32_t i = 0; i < step.calls; ++i) {
        const auto begin = steady_clock::now();
        const dashpot::Result<int> status = breaker.call([&] { return service.get(path); }, judge);
        if (status) {
            ++calls.answers[*status];
        } else {
            ++calls.refused;
            calls.slowest_refusal = std::max(calls.slowest_refusal, steady_clock::now() - begin);
        }
    }
    return calls;
}

std::string text_of(const std::map<int, std::uint32_t>& answers) {
    std::string text;
    for (const auto& [status, count] : answers)
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " x " +
                (status == 0 ? "no answer" : std::to_string(status));
    return text.empty() ? "none" : text;
}

std::vector<std::string> problems_of(const StepResult& result) {
    const Step& step = result.step;
    const std::uint32_t sent = step.calls - step.refused;
    std::map<int, std::uint32_t> answers;
    if (sent > 0) answers[step.status] = sent;

    std::vector<std::string> problems;
    const auto expect = [&](const std::string& what, const std::string& expected,
                            const std::string& seen) {
        if (seen != expected) problems.push_back(what + ": " + seen + ", expected " + expected);
    };
    expect("answers", text_of(answers), text_of(result.calls.answers));
    expect("calls refused", std::to_string(step.refused), std::to_string(result.calls.refused));
    expect("requests that the service counted", std::to_string(sent),
           std::to_string(result.received_after - result.received_before));
    expect("state", std::string{to_string(step.state)}, std::string{to_string(result.breaker.state)});
    expect("failures", std::to_string(step.failures), std::to_string(result.breaker.failures));
    return problems;
}

} // namespace

Drill::Drill(Client& service, const std::filesystem::path& transitions,
             std::chrono::nanoseconds open_wait)
    : service_{service}, options_{.reset_timeout = open_wait, .half_open = {.probes = probes}},
      log_{transitions.string()}, breaker_{window, options_},
      logging_{breaker_.on_transition([this](const dashpot::Transition& transition) {
          log_.append("flaky_service", transition);
      })} {}

StepResult Drill::play(const Step& step) {
    if (!step.is_fresh) return play_with(breaker_, step);
    Breaker fresh{window, options_};
    return play_with(fresh, step);
}

StepResult Drill::play_with(Breaker& breaker, const Step& step) {
    if (step.waits) std::this_thread::sleep_for(breaker.retry_after());
    const std::uint64_t lost = log_.lost();
    StepResult result;
    result.step = step;
    result.received_before = service_.requests_received();
    result.calls = make_calls(breaker, service_, step);
    result.received_after = service_.requests_received();
    result.breaker = breaker.snapshot();
    result.problems = problems_of(result);
    if (log_.lost() != lost)
        result.problems.emplace_back("transitions.log: a line could not be written");
    return result;
}

} // namespace breaker_drill
