// SPDX-License-Identifier: MIT
#include "chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <sstream>

namespace bench {

namespace {

constexpr double left = 70, top = 50, width = 520, height = 300, legend = 230;
constexpr std::array colours{"#0b6bcb", "#c9302c", "#2e8540", "#8a4fbf", "#b3700a", "#4a5568"};

/// Where percentages lie.
struct PercentAxis {
    double from, to;

    [[nodiscard]] double at(double value) const { return from + (to - from) * value / 100; }
    [[nodiscard]] std::vector<double> ticks() const { return {0, 20, 40, 60, 80, 100}; }
};

/// Where values of an axis lie, between the powers of ten (or two) around them.
class PowerAxis {
  public:
    PowerAxis(double least, double most, double base, double from, double to)
        : base_{base}, low_{std::floor(log(least))}, high_{std::max(std::ceil(log(most)), low_ + 1)},
          from_{from}, to_{to} {}

    [[nodiscard]] double at(double value) const {
        return from_ + (to_ - from_) * (log(value) - low_) / (high_ - low_);
    }
    [[nodiscard]] std::vector<double> ticks() const {
        std::vector<double> all;
        for (double power = low_; power <= high_; ++power) all.push_back(std::pow(base_, power));
        return all;
    }

  private:
    [[nodiscard]] double log(double value) const { return std::log(value) / std::log(base_) + 1e-9; }

    double base_, low_, high_, from_, to_;
};

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", value);
    return text.data();
}

} // namespace

std::string Chart::svg() const {
    const PercentAxis percent{left, left + width};
    double x_least = std::numeric_limits<double>::infinity(), y_least = x_least;
    double x_most = 0, y_most = 0;
    for (const Series& line : series) {
        for (const auto& [x, y] : line.points) {
            x_least = std::min(x_least, x);
            x_most = std::max(x_most, x);
            y_least = std::min(y_least, y);
            y_most = std::max(y_most, y);
        }
    }
    if (x_scale == Scale::percent) x_least = x_most = 1;
    const PowerAxis power{x_least, x_most, x_most > 100 * x_least ? 10.0 : 2.0, left, left + width};
    const auto x_at = [&](double x) { return x_scale == Scale::percent ? percent.at(x) : power.at(x); };
    const PowerAxis y_axis_at{y_least, y_most, 10.0, top + height, top};

    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << left + width + legend << ' '
        << top + height + 60 << "\" font-family=\"sans-serif\" font-size=\"13\">\n"
        << "<title>" << title << "</title>\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        << "<text x=\"" << left << "\" y=\"28\" font-size=\"16\" fill=\"#111\">" << title
        << "</text>\n";
    for (const double tick : y_axis_at.ticks()) {
        const double y = y_axis_at.at(tick);
        out << "<line x1=\"" << left << "\" x2=\"" << left + width << "\" y1=\"" << y << "\" y2=\"" << y
            << "\" stroke=\"#ddd\"/><text x=\"" << left - 8 << "\" y=\"" << y + 4
            << "\" text-anchor=\"end\" fill=\"#333\">" << number(tick) << "</text>\n";
    }
    for (const double tick : x_scale == Scale::percent ? percent.ticks() : power.ticks()) {
        const double x = x_at(tick);
        out << "<line x1=\"" << x << "\" x2=\"" << x << "\" y1=\"" << top << "\" y2=\"" << top + height
            << "\" stroke=\"#eee\"/><text x=\"" << x << "\" y=\"" << top + height + 20
            << "\" text-anchor=\"middle\" fill=\"#333\">" << number(tick) << "</text>\n";
    }
    out << "<text x=\"" << left + width / 2 << "\" y=\"" << top + height + 44
        << "\" text-anchor=\"middle\" fill=\"#111\">" << x_axis << "</text>\n"
        << "<text x=\"18\" y=\"" << top + height / 2
        << "\" text-anchor=\"middle\" fill=\"#111\" transform=\"rotate(-90 18 " << top + height / 2
        << ")\">ns per call</text>\n";
    for (std::size_t i = 0; i != series.size(); ++i) {
        const char* const colour = colours[i % colours.size()];
        out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
        for (const auto& [x, y] : series[i].points) out << x_at(x) << ',' << y_axis_at.at(y) << ' ';
        out << "\"/>\n";
        for (const auto& [x, y] : series[i].points) {
            out << "<circle r=\"3\" fill=\"" << colour << "\" cx=\"" << x_at(x) << "\" cy=\""
                << y_axis_at.at(y) << "\"/>";
        }
        const double y = top + 16 + 22 * static_cast<double>(i);
        out << "\n<line stroke-width=\"3\" stroke=\"" << colour << "\" x1=\"" << left + width + 16
            << "\" x2=\"" << left + width + 40 << "\" y1=\"" << y - 4 << "\" y2=\"" << y - 4
            << "\"/><text fill=\"#111\" x=\"" << left + width + 46 << "\" y=\"" << y << "\">"
            << series[i].name << "</text>\n";
    }
    out << "</svg>\n";
    return out.str();
}

} // namespace bench
