// SPDX-License-Identifier: MIT
// dashpot-limits [DIRECTORY]: runs a simulated service behind each limit policy, prints what came of
// it, and draws limit, latency and goodput over time into DIRECTORY.
#include "simulated_service.hpp"

#include <dashpot/policy/aimd.hpp>
#include <dashpot/policy/gradient.hpp>
#include <dashpot/policy/vegas.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using simulation::Measured;
using simulation::Service;
using simulation::Simulation;

struct Phase {
    const char* name;
    double seconds;
    double load;  // of the whole capacity
    double share; // of the servers that work
};
constexpr Phase phases[] = {{"60 % load", 25, 0.6, 1},
                            {"5 x overload", 90, 5, 1},
                            {"half the capacity", 90, 5, 0.5},
                            {"all of it again", 90, 5, 1}};

struct Point {
    double seconds;
    double value;
};

/// One diagram of the picture: a line, the scale of its axis, and the range that is asked for.
struct Panel {
    const char* title;
    double top;
    std::vector<Point> line{};
    std::vector<Point> wanted{}; // steps
};

constexpr double width = 760;
constexpr double height = 130;
constexpr double left = 60;

void draw(std::ostream& out, const Panel& panel, double y, double all_seconds) {
    const auto x_of = [&](double seconds) {
        return left + seconds / all_seconds * (width - left - 20);
    };
    const auto y_of = [&](double value) {
        return y + height - std::min(value / panel.top, 1.0) * (height - 30);
    };
    const auto path = [&](const std::vector<Point>& line, const char* style) {
        out << "<polyline fill='none' " << style << " points='";
        for (const Point& point : line) out << x_of(point.seconds) << ',' << y_of(point.value) << ' ';
        out << "'/>\n";
    };
    out << "<text x='" << left << "' y='" << y + 16 << "' font-weight='bold'>" << panel.title
        << "</text>\n";
    for (const double part : {0.0, 0.5, 1.0}) {
        const double value = part * panel.top;
        out << "<line x1='" << left << "' x2='" << width - 20 << "' y1='" << y_of(value) << "' y2='"
            << y_of(value) << "' stroke='#ccc'/><text x='" << left - 6 << "' y='" << y_of(value) + 4
            << "' text-anchor='end'>" << value << "</text>\n";
    }
    path(panel.wanted, "stroke='#d33' stroke-dasharray='5 4'");
    path(panel.line, "stroke='#06c' stroke-width='1.5'");
}

void write_picture(const std::filesystem::path& file, const std::string& name,
                   const std::vector<Panel>& panels) {
    double all = 0;
    for (const Phase& phase : phases) all += phase.seconds;
    std::ostringstream out;
    const double bottom = 40 + static_cast<double>(panels.size()) * (height + 10);
    out << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << ' ' << bottom + 30
        << "' font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' "
           "fill='white'/>\n"
        << "<text x='" << left << "' y='20' font-size='15'>" << name << "</text>\n";
    double begins = 0;
    for (const Phase& phase : phases) {
        const double x = left + begins / all * (width - left - 20);
        out << "<line x1='" << x << "' x2='" << x << "' y1='30' y2='" << bottom
            << "' stroke='#999'/><text x='" << x + 4 << "' y='" << bottom + 14 << "'>" << phase.name
            << "</text>\n";
        begins += phase.seconds;
    }
    double y = 30;
    for (const Panel& panel : panels) {
        draw(out, panel, y, all);
        y += height + 10;
    }
    out << "</svg>\n";
    std::ofstream{file} << out.str();
}

template <class P>
void show(const char* name, const P& policy, const Service& service,
          const std::filesystem::path& directory) {
    Simulation<P> simulation{policy, service, 1};
    const double capacity = service.servers / service.service_time;
    std::vector<Panel> panels{{"limit", 120}, {"latency, ms", 200}, {"goodput, calls/s", 1000}};
    double now = 0;
    std::printf("%s\n", name);
    for (const Phase& phase : phases) {
        simulation.service().servers = static_cast<std::uint32_t>(service.servers * phase.share);
        const double good = std::min(phase.load, phase.share) * capacity;
        const double most[] = {2 * phase.share * service.servers, 2e3 * service.service_time, good};
        for (std::size_t i = 0; i != panels.size(); ++i) {
            panels[i].wanted.push_back({now, most[i]});
            panels[i].wanted.push_back({now + phase.seconds, most[i]});
        }
        Measured last{};
        for (double at = 0; at < phase.seconds; ++at) {
            const Measured second = simulation.run(1, phase.load * capacity);
            ++now;
            panels[0].line.push_back({now, double(simulation.limiter().limit())});
            panels[1].line.push_back({now, 1e3 * second.latency()});
            panels[2].line.push_back({now, second.goodput()});
            if (at < phase.seconds - 30) continue;
            last.seconds += 1;
            last.served += second.served;
            last.refused += second.refused;
            last.latency_sum += second.latency_sum;
        }
        std::printf("  %-18s limit %4u  goodput %5.1f %%  latency %4.2f x  refused %llu\n", phase.name,
                    simulation.limiter().limit(), 100 * last.goodput() / good,
                    last.latency() / service.service_time,
                    static_cast<unsigned long long>(last.refused));
    }
    write_picture(directory / (std::string{name} + ".svg"), std::string{name} + ": 40 servers of 50 ms",
                  panels);
}

} // namespace

int main(int argc, char** argv) {
    const std::filesystem::path directory = argc > 1 ? argv[1] : ".";
    std::filesystem::create_directories(directory);
    const Service service;
    Service dropping = service;
    dropping.queue = 10;
    std::printf(
        "The last 30 s of each phase; goodput of what the service can do, latency of an unloaded "
        "call\n");
    show("gradient", dashpot::Gradient{.initial = 60}, service, directory);
    show("vegas", dashpot::Vegas{.initial = 60}, service, directory);
    show("aimd", dashpot::Aimd{.initial = 60}, dropping, directory);
}
