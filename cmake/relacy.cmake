# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake [-D LONG=ON] -P cmake/relacy.cmake
# Sets the machine up where needed, then has Relacy run the real guards under all schedules: each case must hold, and
# each seeded mistake must be found. LONG searches deeper. tests/relacy/README.md says more.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the schedules" compiler ninja pkg_config catch2 relacy)
set(_cxx_gcc g++)
set(_cxx_clang clang++)
if(NOT LONG)
    set(LONG OFF)
endif()
dashpot_run("${CMAKE_COMMAND}" --preset schedules -DCMAKE_CXX_COMPILER=${_cxx_${DASHPOT_COMPILER}}
    -DDASHPOT_LONG_SCHEDULES=${LONG})
dashpot_run("${CMAKE_COMMAND}" --build --preset schedules)
dashpot_run("${CMAKE_CTEST_COMMAND}" --preset schedules)
