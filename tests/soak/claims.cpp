// SPDX-License-Identifier: MIT
#include "claims.hpp"

#include <algorithm>
#include <cstdio>

namespace soak {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Claim::count_)> texts{
    "requests in = answers out, per target and code, by the clients' count and the hub's",
    "GET /metrics has the same numbers",
    "in flight is 0 whenever nobody calls",
    "CLAIM was called exactly as often as the hub says",
    "CLAIM: every call succeeds, whatever happens to CORE",
    "no connection breaks but where the hub was killed or had no descriptors",
    "CORE's circuit opens under each kind of trouble that should, and closes again",
    "the log has the counted changes of state, well-formed, each from where the last led",
    "log on a full disk: the hub goes on and counts the lost lines",
    "descriptors exhausted: the hub lives, and serves again when they are back",
    "the wall clock steps: no wait is longer or shorter for it",
    "resident memory does not grow",
    "descriptors are closed again",
    "the hub ends with exit status 0 where it is asked to",
};

} // namespace

void Claims::expect(Claim claim, bool holds, const std::string& what) {
    Record& record = records_[static_cast<std::size_t>(claim)];
    ++record.checks;
    if (holds) return;
    if (record.failures++ == 0) record.first_failure = what;
    std::printf("   !! %s\n", what.c_str());
}

void Claims::print() const {
    std::puts("\nVerdicts");
    for (std::size_t i = 0; i < records_.size(); ++i) {
        const Record& record = records_[i];
        std::printf("  %s  %s (%zu checks)\n", record.holds() ? "PASS" : "FAIL", texts[i],
                    record.checks);
        if (record.failures > 0)
            std::printf("        %zu failed; the first: %s\n", record.failures,
                        record.first_failure.c_str());
    }
}

bool Claims::all_hold() const { return std::ranges::all_of(records_, &Record::holds); }

} // namespace soak
