// SPDX-License-Identifier: MIT
#include "ledger.hpp"

#include <algorithm>

namespace soak {

using std::chrono::steady_clock;

void Ledger::send(const std::string& target) {
    const std::lock_guard lock{mutex_};
    ++accounts_[target].sent;
}

void Ledger::answer(const std::string& target, const std::string& code, std::chrono::nanoseconds took) {
    const std::lock_guard lock{mutex_};
    const std::string& known = code.empty() ? "no code" : code;
    ++accounts_[target].answers[known];
    phase_locked().samples[target].add(known, took);
}

void Ledger::lose(const std::string& target, std::chrono::nanoseconds took) {
    const std::lock_guard lock{mutex_};
    ++accounts_[target].broken;
    phase_locked().samples[target].add("", took);
}

void Ledger::open_accounts() {
    const std::lock_guard lock{mutex_};
    accounts_.clear();
}

Accounts Ledger::accounts() const {
    const std::lock_guard lock{mutex_};
    return accounts_;
}

void Ledger::begin_phase(const std::string& name, bool is_exempt) {
    const std::lock_guard lock{mutex_};
    const auto found = std::ranges::find(phases_, name, &Phase::name);
    current_ = static_cast<std::size_t>(found - phases_.begin());
    if (found == phases_.end()) phases_.emplace_back().name = name;
    phase_locked().is_exempt = is_exempt;
    began_ = steady_clock::now();
}

void Ledger::end_phase(std::size_t resident) {
    const std::lock_guard lock{mutex_};
    Phase& phase = phase_locked();
    phase.length += steady_clock::now() - began_;
    phase.resident = std::max(phase.resident, resident);
    current_ = 0; // nameless: what comes between phases
}

std::vector<Phase> Ledger::phases() const {
    const std::lock_guard lock{mutex_};
    return phases_;
}

} // namespace soak
