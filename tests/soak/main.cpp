// SPDX-License-Identifier: MIT
// Puts the relay hub under load and trouble for a given time and keeps the books. See README.md beside
// this file.
#include "report.hpp"
#include "run.hpp"

#include "../../examples/common/open_files.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <random>

#include <stdlib.h>

int main(int argc, char** argv) {
    // Each line is seen when it is written, also through a pipe.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    CLI::App app{"Puts the relay hub under load and trouble.", "relay_soak"};
    int seconds = 600;
    soak::RunOptions options;
    options.seed = std::random_device{}();
    app.add_option("--seconds", seconds, "About how long")
        ->check(CLI::Range(30, 86'400))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Orders the troubles; by chance if not given");
    app.add_option("--hub-option", options.hub_options, "One more word for the hub, repeatable");
    try {
        app.parse(argc, argv);
        options.length = std::chrono::seconds{seconds};
        std::printf("%d s of load and trouble, --seed %llu\n", seconds,
                    static_cast<unsigned long long>(options.seed));
        example::allow_open_files(2048);
        // For the programs that are started: what the allocator keeps varies by a few hundred KiB then.
        ::setenv("MALLOC_ARENA_MAX", "1", 1);
        soak::Run run{options};
        run.play();
        soak::print_table(run.phases());
        run.claims().print();
        return run.claims().all_hold() ? 0 : 1;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "relay_soak: %s\n", error.what());
        return 1;
    }
}
