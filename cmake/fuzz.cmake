# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/fuzz.cmake                 15 seconds of each fuzzer
# cmake -DSECONDS=600 -P cmake/fuzz.cmake   ten minutes
# cmake -DONLY=hub_body -P cmake/fuzz.cmake
# cmake -DPRESET=asan -P cmake/fuzz.cmake   as preset asan built them: slower than what preset fuzz builds, but there
# Sets the machine up where needed, builds the fuzzers of tests/fuzz and runs each from its corpus. What one finds on
# the way stays in build/fuzz/corpus for the next time, the input that broke it in build/fuzz/found; with PRESET in
# build/PRESET.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

if(NOT DEFINED SECONDS)
    set(SECONDS 15)
endif()
if(NOT "${SECONDS}" MATCHES "^[1-9][0-9]*$")
    message(FATAL_ERROR "SECONDS is a whole number from 1, not '${SECONDS}'")
endif()
if(NOT DEFINED PRESET)
    set(PRESET fuzz)
endif()
set(fuzzers operations hub_config hub_answer hub_body http_request)
if(DEFINED ONLY)
    if(NOT "${ONLY}" IN_LIST fuzzers)
        message(FATAL_ERROR "ONLY is one of ${fuzzers}, not '${ONLY}'")
    endif()
    set(fuzzers ${ONLY})
endif()

dashpot_set_up("the fuzzers" clang clang_rt ninja catch2 json httplib cli11)
dashpot_run("${CMAKE_COMMAND}" --preset ${PRESET})
dashpot_run("${CMAKE_COMMAND}" --build --preset ${PRESET} --target fuzzers)

set(work "${DASHPOT_ROOT}/build/${PRESET}")
foreach(fuzzer IN LISTS fuzzers)
    file(MAKE_DIRECTORY "${work}/corpus/${fuzzer}" "${work}/found")
    # New inputs go to the first corpus; the one in the repository is only read.
    dashpot_run("${work}/tests/fuzz/fuzz-${fuzzer}" "${work}/corpus/${fuzzer}"
        "${DASHPOT_ROOT}/tests/fuzz/corpus/${fuzzer}"
        -max_total_time=${SECONDS} -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0
        "-artifact_prefix=${work}/found/${fuzzer}-")
endforeach()
