// SPDX-License-Identifier: MIT
// A half-open period against a list of its probes, on random strings of grants, answers and returns.
#include "policy/window_model.hpp"
#include "property.hpp"

#include <dashpot/policy/detail/probe_gate.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <vector>

namespace tests::policy_probe_gate_property {

using namespace std::chrono_literals;
using dashpot::detail::ProbeGate;
using model::Dice;
using model::Time;
using Verdict = ProbeGate::Verdict;

namespace {

enum class Kind : std::uint8_t { grant, record, give_back };

struct Operation {
    Kind kind;
    bool unnamed, failed, slow;
    Time time;
};

std::ostream& operator<<(std::ostream& out, const Operation& op) {
    out << "at " << op.time;
    if (op.kind == Kind::grant) return out << (op.unnamed ? " grant unnamed\n" : " grant\n");
    if (op.kind == Kind::give_back) return out << " give back\n";
    return out << (op.slow ? " slow" : "") << (op.failed ? " failure\n" : " success\n");
}

std::vector<Operation> some_operations(Dice& dice) {
    std::vector<Operation> operations(60);
    for (Time now = 0; Operation & op : operations) {
        const std::uint32_t kind = dice.below(4);
        op.kind = kind < 2 ? Kind::grant : kind == 2 ? Kind::record : Kind::give_back;
        op.unnamed = dice.below(2) == 0;
        op.failed = dice.below(2) == 0;
        op.slow = dice.below(4) == 0;
        op.time = now++;
    }
    return operations;
}

enum class Probe : std::uint8_t { out, succeeded, failed };

/// The rules as they are written down: each question counts the probes anew.
struct Model {
    std::uint32_t probes;
    std::uint32_t needed;
    std::vector<Probe> granted{};
    std::uint32_t unnamed = 0;
    std::uint32_t slow = 0;
    Time last_granted = 0;

    std::uint32_t count(Probe kind) const {
        return static_cast<std::uint32_t>(std::count(granted.begin(), granted.end(), kind));
    }
    bool all_out() const { return granted.size() == probes; }
    void answer(Probe how) { *std::find(granted.begin(), granted.end(), Probe::out) = how; }
    void give_back() { granted.erase(std::find(granted.begin(), granted.end(), Probe::out)); }

    Verdict verdict() const {
        if (count(Probe::succeeded) >= needed) return Verdict::close;
        const std::uint32_t still_possible = probes - count(Probe::failed);
        return still_possible < needed ? Verdict::reopen : Verdict::undecided;
    }
};

/// One period, until it is decided.
class Game {
  public:
    Game(std::uint32_t probes, std::uint32_t needed)
        : model_{probes, needed}, gate_{{.probes = probes, .successes_to_close = needed}} {
        gate_.restart(10s);
    }

    /// True if gate and model agree.
    bool play(const Operation& op) {
        if (model_.verdict() != Verdict::undecided) return true;
        const bool anybody_out = model_.count(Probe::out) != 0;
        switch (op.kind) {
        case Kind::grant:
            if (model_.all_out()) return true;
            gate_.grant(model::at(op.time), op.unnamed);
            model_.granted.push_back(Probe::out);
            model_.unnamed += op.unnamed ? 1U : 0U;
            model_.last_granted = op.time;
            break;
        case Kind::record:
            if (!anybody_out) return true;
            model_.answer(op.failed || op.slow ? Probe::failed : Probe::succeeded);
            model_.slow += op.slow ? 1U : 0U;
            if (gate_.record({.failed = op.failed, .slow = op.slow, .at = model::at(op.time)}) !=
                model_.verdict())
                return false;
            if (model_.verdict() != Verdict::undecided) return true;
            break;
        case Kind::give_back:
            if (gate_.claim_unnamed() != (model_.unnamed != 0)) return false;
            if (model_.unnamed != 0) --model_.unnamed;
            if (anybody_out) {
                gate_.give_back();
                model_.give_back();
            }
        }
        return shows_the_same(op.time);
    }

  private:
    bool shows_the_same(Time now) const {
        const dashpot::Counts counts = gate_.counts();
        return gate_.all_out() == model_.all_out() && gate_.in_flight() == model_.count(Probe::out) &&
               counts.calls == model_.count(Probe::succeeded) + model_.count(Probe::failed) &&
               counts.failures == model_.count(Probe::failed) && counts.slow == model_.slow &&
               gate_.wait().is_on(model::at(now)) == model_.all_out() &&
               (!model_.all_out() || gate_.wait().since == model::at(model_.last_granted));
    }

    Model model_;
    ProbeGate gate_;
};

} // namespace

TEST_CASE("ProbeGate: says what a list of its probes says, on any string of operations", "[policy]") {
    for (std::uint64_t seed = 1; seed != 10'001; ++seed) {
        Dice dice{seed};
        const std::uint32_t probes = 1 + dice.below(6);
        const std::uint32_t needed = 1 + dice.below(probes);
        const auto operations = some_operations(dice);
        const auto difference = [&](const auto& some) {
            return model::first_disagreement(Game{probes, needed}, some);
        };
        if (!difference(operations)) continue;
        CAPTURE(seed, probes, needed);
        FAIL("they differ at the end of\n" << model::counterexample(operations, difference));
    }
    SUCCEED("10 000 periods");
}

} // namespace tests::policy_probe_gate_property
