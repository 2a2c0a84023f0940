# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/coverage.cmake
# Runs the unit and property tests with clang's counters and prints how much of each header was run. Fails when a line
# never was, and tests/coverage/README.md does not say why.
#
# Not by gcovr: its version 5.2 gives up on inline functions that several programs have at different lines.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("coverage" clang clang_rt llvm ninja catch2)
dashpot_run("${CMAKE_COMMAND}" --preset coverage)
dashpot_run("${CMAKE_COMMAND}" --build --preset coverage --target dashpot-unit-tests dashpot-property-tests)

# The tools read what their own compiler wrote, and no other version's.
execute_process(COMMAND clang++ -dumpversion OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^[0-9]+" version "${version}")
find_program(profdata NAMES llvm-profdata-${version} llvm-profdata REQUIRED)
find_program(cov NAMES llvm-cov-${version} llvm-cov REQUIRED)

set(build "${DASHPOT_ROOT}/build/coverage")
set(reports "")
foreach(kind IN ITEMS unit property)
    set(program "${build}/tests/dashpot-${kind}-tests")
    set(ENV{LLVM_PROFILE_FILE} "${build}/${kind}.profraw")
    dashpot_run("${program}")
    dashpot_run("${profdata}" merge -o "${build}/${kind}.profdata" "${build}/${kind}.profraw")
    set(report "${build}/${kind}.lcov")
    execute_process(COMMAND "${cov}" export -format=lcov "${program}" "-instr-profile=${build}/${kind}.profdata"
            "${DASHPOT_ROOT}/include"
        OUTPUT_FILE "${report}" RESULT_VARIABLE result)
    if(NOT "${result}" STREQUAL "0")
        message(FATAL_ERROR "llvm-cov failed (${result})")
    endif()
    list(APPEND reports "${report}")
endforeach()

message(NOTICE "")
execute_process(COMMAND awk -v "root=${DASHPOT_ROOT}/include/dashpot" -v "reasons=${DASHPOT_ROOT}/tests/coverage/README.md"
        -f "${DASHPOT_ROOT}/tests/coverage/report.awk" ${reports}
    RESULT_VARIABLE result)
if(NOT "${result}" STREQUAL "0")
    message(FATAL_ERROR "coverage: what is listed above is never run, or is explained in vain")
endif()
