# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/valgrind.cmake
# cmake -DSHORT=ON -P cmake/valgrind.cmake    without the tests marked [long]: a tenth of the time
# Runs the unit tests under valgrind's memcheck: reads of what nobody wrote, which no sanitizer here sees, and leaks.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("valgrind" compiler ninja catch2 json httplib cli11 valgrind)
dashpot_run("${CMAKE_COMMAND}" --preset ${DASHPOT_COMPILER})
dashpot_run("${CMAKE_COMMAND}" --build --preset ${DASHPOT_COMPILER} --target dashpot-unit-tests)
set(left_out "~Allocations: *") # it brings its own operator new
if(SHORT)
    string(PREPEND left_out "~[long]")
endif()
dashpot_run(valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --fair-sched=try
    build/${DASHPOT_COMPILER}/tests/dashpot-unit-tests "${left_out}")
