// SPDX-License-Identifier: MIT
#include "simulator.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace target_simulator {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, Mode>, 5> names{{{"normal", Mode::normal},
                                                                  {"fail", Mode::fail},
                                                                  {"slow", Mode::slow},
                                                                  {"reject", Mode::reject},
                                                                  {"hang", Mode::hang}}};

} // namespace

std::string_view to_string(Mode mode) noexcept {
    return std::ranges::find(names, mode, &decltype(names)::value_type::second)->first;
}

std::optional<Mode> to_mode(std::string_view text) noexcept {
    const auto* const found = std::ranges::find(names, text, &decltype(names)::value_type::first);
    if (found == names.end()) return {};
    return found->second;
}

/// One call in flight. Leaves before the answer is written, so that a caller who has its answer can
/// call again without ever being counted twice.
class Simulator::Counted {
  public:
    explicit Counted(Simulator& simulator) : simulator_{simulator} {
        Stats& stats = simulator_.stats_;
        ++stats.calls;
        ++stats.in_flight;
        stats.max_inflight = std::max(stats.max_inflight, stats.in_flight);
    }
    ~Counted() { --simulator_.stats_.in_flight; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

  private:
    Simulator& simulator_;
};

std::optional<Answer> Simulator::handle(const std::function<bool()>& caller_is_gone) {
    std::unique_lock lock{mutex_};
    const Counted counted{*this}; // inside the lock: it goes before the lock does
    const Behaviour now = behaviour_;
    const std::uint64_t changes = changes_;
    switch (now.mode) {
    case Mode::fail:
        if (std::generate_canonical<double, 32>(chance_) >= now.fail_rate) break;
        return Answer{500, R"({"error":"the target is broken"})"};
    case Mode::reject: return Answer{200, R"({"code":"B201","message":"insufficient balance"})"};
    case Mode::slow:
        if (!serve_slowly(lock, now)) return {};
        break;
    case Mode::hang:
        while (!is_stopping_ && changes == changes_ && !caller_is_gone()) changed_.wait_for(lock, 20ms);
        return {};
    case Mode::normal: break;
    }
    return Answer{200, R"({"code":"0000"})"};
}

bool Simulator::serve_slowly(std::unique_lock<std::mutex>& lock, const Behaviour& behaviour) {
    has_room_.wait(lock, [this] {
        return is_stopping_ || !behaviour_.capacity || served_ < *behaviour_.capacity;
    });
    if (is_stopping_) return false;
    ++served_;
    changed_.wait_for(lock, behaviour.delay, [this] { return is_stopping_; });
    --served_;
    has_room_.notify_one();
    return !is_stopping_;
}

void Simulator::set(Behaviour behaviour) {
    {
        const std::lock_guard lock{mutex_};
        behaviour_ = behaviour;
        ++changes_;
    }
    changed_.notify_all();
    has_room_.notify_all();
}

Behaviour Simulator::behaviour() const {
    const std::lock_guard lock{mutex_};
    return behaviour_;
}

Stats Simulator::stats() const {
    const std::lock_guard lock{mutex_};
    return stats_;
}

void Simulator::reset() {
    const std::lock_guard lock{mutex_};
    stats_ = {0, stats_.in_flight, stats_.in_flight};
}

void Simulator::stop() {
    {
        const std::lock_guard lock{mutex_};
        is_stopping_ = true;
    }
    changed_.notify_all();
    has_room_.notify_all();
}

} // namespace target_simulator
