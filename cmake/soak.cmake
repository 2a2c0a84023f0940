# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/soak.cmake                     ten minutes
# cmake -DSECONDS=60 -P cmake/soak.cmake        the short form
# cmake -DSEED=17 -P cmake/soak.cmake           the order of an earlier run
# Sets the machine up where needed, then puts the relay hub under load and trouble; see tests/soak/README.md.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

if(NOT DEFINED SECONDS)
    set(SECONDS 600)
endif()
set(options --seconds ${SECONDS})
if(DEFINED SEED)
    list(APPEND options --seed ${SEED})
endif()

dashpot_set_up("the soak test" compiler ninja json httplib cli11)
set(_cxx_gcc g++)
set(_cxx_clang clang++)
dashpot_run("${CMAKE_COMMAND}" --preset soak -DCMAKE_CXX_COMPILER=${_cxx_${DASHPOT_COMPILER}})
dashpot_run("${CMAKE_COMMAND}" --build --preset soak)
dashpot_run("${DASHPOT_ROOT}/build/demo/examples/relay_soak" ${options})
