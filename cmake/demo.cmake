# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/demo.cmake
# Sets the machine up where needed, then builds the relay hub and runs its demonstration.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the demo" compiler ninja json httplib cli11)
set(_cxx_gcc g++)
set(_cxx_clang clang++)
dashpot_run("${CMAKE_COMMAND}" --preset demo -DCMAKE_CXX_COMPILER=${_cxx_${DASHPOT_COMPILER}})
dashpot_run("${CMAKE_COMMAND}" --build --preset demo)
dashpot_run("${DASHPOT_ROOT}/build/demo/examples/relay_demo")
