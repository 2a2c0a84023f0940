// SPDX-License-Identifier: MIT
#include "log_check.hpp"

#include "../../examples/common/log_line.hpp"
#include "../../examples/common/text_file.hpp"

#include <string_view>

namespace soak {
namespace {

/// The text behind the n-th bar, up to the next or the end.
std::string_view field(std::string_view line, int n) {
    for (; n > 0; --n) {
        const auto bar = line.find('|');
        if (bar == std::string_view::npos) return {};
        line.remove_prefix(bar + 1);
    }
    return line.substr(0, line.find('|'));
}

} // namespace

LogContent read_log(const std::filesystem::path& path) {
    const std::string text = example::read_text_file(path);
    LogContent content;
    std::map<std::string, std::string> states;
    std::string_view rest = text;
    while (!rest.empty() && content.problem.empty()) {
        const auto end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        const std::string target{field(line, 1)};
        const std::string change{field(line, 2)};
        const auto arrow = change.find("->");
        std::string& state = states.try_emplace(target, "CLOSED").first->second;
        if (end == std::string_view::npos || arrow == std::string::npos ||
            !example::is_log_line(line, target, change) || change.substr(0, arrow) != state) {
            content.problem = "line " + std::to_string(content.lines + 1) + " of the log is '" +
                              std::string{line} + "' after " + state;
            break;
        }
        state = change.substr(arrow + 2);
        ++content.changes[{target, change}];
        ++content.lines;
        content.years.emplace(line.substr(0, 4));
        rest.remove_prefix(end + 1);
    }
    return content;
}

} // namespace soak
