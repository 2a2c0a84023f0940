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

/// Powers at equal distances, or percentages from 0 to 100.
enum class Scale { logarithmic, percent };

/// A line chart, its y axis logarithmic, as the text of an SVG.
struct Chart {
    std::string title;
    std::string x_axis;
    Scale x_scale = Scale::logarithmic;
    std::vector<Series> series{};

    [[nodiscard]] std::string svg() const;
};

} // namespace bench

#endif
