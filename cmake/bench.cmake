# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/bench.cmake
# Sets the machine up where needed, builds the benchmarks, runs them and prints the table of bounds. Fails if a bound
# for one thread is missed by more than a tenth. Results and charts: build/bench/results.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the benchmarks" compiler ninja json benchmark)
dashpot_run("${CMAKE_COMMAND}" --preset bench)
dashpot_run("${CMAKE_COMMAND}" --build --preset bench)
dashpot_run(build/bench/bench/dashpot-bench --out=build/bench/results)
