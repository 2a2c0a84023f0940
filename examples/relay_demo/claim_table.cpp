// SPDX-License-Identifier: MIT
#include "claim_table.hpp"

#include <cstdio>

namespace relay_demo {

double to_ms(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>{time}.count();
}

void ClaimTable::print() const {
    std::puts("\nCLAIM in the meantime");
    std::printf("  %-32s %7s %9s %9s %10s %10s\n", "scene", "calls", "success", "calls/s", "p50",
                "p99");
    for (const Row& row : rows_) {
        std::printf("  %-32s %7zu %7.1f %% %9.0f %7.1f ms %7.1f ms\n", row.scene.c_str(),
                    row.sample.count(), 100 * row.sample.rate("0000"), row.per_second(),
                    to_ms(row.sample.percentile(0.5)), to_ms(row.sample.percentile(0.99)));
    }
}

} // namespace relay_demo
