// SPDX-License-Identifier: MIT
// Shows what compartments are good for, with real processes and real traffic, in a minute.
#include "story.hpp"

#include "../common/option_check.hpp"
#include "../common/standard_streams.hpp"
#include "../common/version_text.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
    example::keep_standard_descriptors();
    CLI::App app{"Shows what compartments are good for, with real processes, in a minute.\n"
                 "Exit status: 0 if every claim holds, 1 if one does not, 2 for a bad option.",
                 "relay_demo"};
    app.set_version_flag("--version", example::version_text("relay_demo"));
    try {
        example::parse(app, argc, argv);
    } catch (const CLI::ParseError& error) {
        // Zero is --help and --version; CLI11's other numbers would be news to any caller.
        return app.exit(error) == 0 ? 0 : 2;
    }
    // Each line is seen when it is written, also through a pipe.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    try {
        relay_demo::Story story;
        story.normal();
        story.business_rejections();
        story.core_is_dead();
        story.recovery();
        story.core_is_slow();
        story.without_protection();
        story.contests();
        story.end();
        story.verdicts().print();
        return story.verdicts().all_hold() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "relay_demo: %s\n", error.what());
        return 1;
    }
}
