// SPDX-License-Identifier: MIT
#ifndef DASHPOT_BENCH_CHART_HPP
#define DASHPOT_BENCH_CHART_HPP

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// One line of a chart.
struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points{}; // x, nanoseconds
};

/// A line chart with logarithmic axes, as the text of an SVG.
struct Chart {
    std::string title;
    std::string x_axis;
    std::vector<Series> series{};

    [[nodiscard]] std::string svg() const;
};

} // namespace bench

#endif
