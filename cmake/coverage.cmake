# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/coverage.cmake
# Builds and runs the tests of the library with checked containers, and shows for each header how many of its lines ran.
# Fails below LEAST per cent (98). Why the rest does not run: CONTRIBUTING.md, "Coverage".
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")
if(NOT DEFINED LEAST)
    set(LEAST 98)
endif()

dashpot_set_up("coverage" compiler ninja catch2 gcovr)
dashpot_run("${CMAKE_COMMAND}" --workflow --preset checked)
dashpot_run(gcovr --root . --filter include/ --object-directory build/checked --exclude-throw-branches
    --merge-mode-functions=merge-use-line-0 --fail-under-line ${LEAST} build/checked)
