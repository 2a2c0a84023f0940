// SPDX-License-Identifier: MIT
// A half-open period against a list of its probes, on random strings of grants, answers and returns.
#include <dashpot/policy/detail/probe_gate.hpp>

#include "catch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace tests::policy_probe_gate_property {

using namespace std::chrono_literals;
using dashpot::Instant;
using dashpot::detail::ProbeGate;
using Verdict = ProbeGate::Verdict;

namespace {

enum class Probe : std::uint8_t { out, succeeded, failed };

/// The rules as they are written down: each question counts the probes anew.
struct Model {
    std::uint32_t probes;
    std::uint32_t needed;
    std::vector<Probe> granted{};
    std::uint32_t unnamed = 0;
    std::uint32_t slow = 0;

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

/// Plays one random period until it is decided; true if gate and model agree all the way.
bool agree(std::mt19937_64& chance) {
    const auto below = [&](std::uint64_t bound) { return chance() % bound; };
    const auto probes = static_cast<std::uint32_t>(1 + below(6));
    const auto needed = static_cast<std::uint32_t>(1 + below(probes));
    Model model{probes, needed};
    ProbeGate gate{{.probes = probes, .successes_to_close = needed}};
    gate.restart(10s);
    Instant last_granted{};
    for (Instant now{}; now != Instant{60ns}; now += 1ns) {
        const bool anybody_out = model.count(Probe::out) != 0;
        switch (below(4)) {
        case 0:
        case 1:
            if (!model.all_out()) {
                const bool unnamed = below(2) == 0;
                gate.grant(now, unnamed);
                model.granted.push_back(Probe::out);
                model.unnamed += unnamed ? 1U : 0U;
                last_granted = now;
            }
            break;
        case 2:
            if (anybody_out) {
                const bool failed = below(2) == 0;
                const bool slow = below(4) == 0;
                model.answer(failed || slow ? Probe::failed : Probe::succeeded);
                model.slow += slow ? 1U : 0U;
                const Verdict said = gate.record({.failed = failed, .slow = slow, .at = now});
                if (said != model.verdict()) return false;
                if (said != Verdict::undecided) return true;
            }
            break;
        default:
            if (gate.claim_unnamed() != (model.unnamed != 0)) return false;
            if (model.unnamed != 0) --model.unnamed;
            if (anybody_out) {
                gate.give_back();
                model.give_back();
            }
        }
        const dashpot::Counts counts = gate.counts();
        const bool is_same =
            gate.all_out() == model.all_out() && gate.in_flight() == model.count(Probe::out) &&
            counts.calls == model.count(Probe::succeeded) + model.count(Probe::failed) &&
            counts.failures == model.count(Probe::failed) && counts.slow == model.slow &&
            gate.wait().is_on(now) == model.all_out() &&
            (!model.all_out() || gate.wait().since == last_granted);
        if (!is_same) return false;
    }
    return true;
}

} // namespace

TEST_CASE("ProbeGate: says what a list of its probes says, on any string of operations", "[policy]") {
    for (std::uint64_t seed = 1; seed != 10'001; ++seed) {
        std::mt19937_64 chance{seed};
        if (!agree(chance)) FAIL("seed " << seed);
    }
    SUCCEED("10 000 periods");
}

} // namespace tests::policy_probe_gate_property
