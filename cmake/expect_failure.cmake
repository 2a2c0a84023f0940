# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# Runs a command that must fail and must say why: a plain failure for another reason is a failure of the test.
#   cmake -D TEXT=<regex> [-D ABORTS=ON] -P expect_failure.cmake -- <command> [argument ...]
set(command "")
set(seen FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
    if(seen)
        list(APPEND command "${CMAKE_ARGV${i}}")
    elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
        set(seen TRUE)
    endif()
endforeach()
if("${TEXT}" STREQUAL "" OR NOT command)
    message(FATAL_ERROR "usage: cmake -D TEXT=<regex> -P expect_failure.cmake -- <command>")
endif()

execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
message(STATUS "it said:\n${output}\nand ended with: ${result}")
if("${result}" STREQUAL "0")
    message(FATAL_ERROR "it succeeded, but had to fail")
endif()
if(ABORTS AND NOT "${result}" MATCHES "[Aa]bort")
    message(FATAL_ERROR "it had to abort")
endif()
if(NOT "${output}" MATCHES "${TEXT}")
    message(FATAL_ERROR "it failed for another reason than: ${TEXT}")
endif()
