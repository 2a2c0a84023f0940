# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/bench.cmake
# Sets the machine up where needed, builds the benchmarks, runs them and prints the table of bounds, the time that the
# umbrella header takes to compile, and the instructions of an inlined allow(). Fails if a bound for one thread is
# missed by more than a tenth. Results and charts: build/bench/results. With -DSHORT=ON each benchmark runs for a moment
# only, and nothing is judged but that the paths of a call allocate nothing.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the benchmarks" compiler ninja json benchmark)
dashpot_run("${CMAKE_COMMAND}" --preset bench)
dashpot_run("${CMAKE_COMMAND}" --build --preset bench)

# --- What it costs to include ------------------------------------------------------------------------------------
set(compiler g++)
if("${DASHPOT_COMPILER}" STREQUAL "clang")
    set(compiler clang++)
endif()
set(directory "${DASHPOT_ROOT}/build/bench")
file(WRITE "${directory}/umbrella.cpp" "#include <dashpot/dashpot.hpp>\n")
set(times "")
foreach(turn RANGE 1 5) # the processor's time: other programs do not count
    execute_process(
        COMMAND bash -c "TIMEFORMAT='%U %S'; time ${compiler} -std=c++20 -O0 -I include -c ${directory}/umbrella.cpp -o ${directory}/umbrella.o"
        WORKING_DIRECTORY "${DASHPOT_ROOT}" ERROR_VARIABLE spent COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[0-9]+" digits "${spent}") # user s.ms, system s.ms
    list(GET digits 0 user)
    list(GET digits 1 user_ms)
    list(GET digits 2 system)
    list(GET digits 3 system_ms)
    math(EXPR milliseconds "1000 * (${user} + ${system}) + 1${user_ms} + 1${system_ms} - 2000")
    list(APPEND times ${milliseconds})
endforeach()
list(SORT times COMPARE NATURAL)
list(GET times 2 median)
message(NOTICE "\n#include <dashpot/dashpot.hpp>, ${compiler} -O0: ${median} ms (median of five; bound 1500 ms)")
if(median GREATER 1650)
    set(missed TRUE)
endif()

# --- What it becomes ---------------------------------------------------------------------------------------------
find_program(objdump NAMES objdump NO_CACHE)
if(objdump)
    execute_process(COMMAND ${compiler} -std=c++20 -O2 -DNDEBUG -I include -c bench/inlined.cpp -o "${directory}/inlined.o"
        WORKING_DIRECTORY "${DASHPOT_ROOT}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${objdump} -dC --no-show-raw-insn "${directory}/inlined.o" OUTPUT_VARIABLE listing)
    string(FIND "${listing}" "<inlined::allow" begin)
    string(SUBSTRING "${listing}" ${begin} -1 allow)
    string(REGEX REPLACE "\tret.*" "\tret" allow "${allow}") # the healthy way out comes first
    string(FIND "${allow}" "\n" end_of_name)
    string(SUBSTRING "${allow}" ${end_of_name} -1 allow)
    string(REGEX REPLACE " <inlined::allow[^\n]*" "" allow "${allow}")
    message(NOTICE "\nbool allow(CircuitBreaker<>& breaker) { return breaker.allow(); }  while it is CLOSED:${allow}")
endif()

if(SHORT)
    dashpot_run(build/bench/bench/dashpot-bench --allocations-only --out=build/bench/short
        --benchmark_min_time=0.001 --benchmark_repetitions=1)
else()
    dashpot_run(build/bench/bench/dashpot-bench --out=build/bench/results)
endif()
if(missed AND NOT SHORT)
    message(FATAL_ERROR "the umbrella header takes too long to compile")
endif()
