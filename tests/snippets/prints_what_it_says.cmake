# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)

# Runs PROGRAM and compares what it prints with the comment "// Output:" at the end of SOURCE.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${SOURCE}" source)
if(NOT source MATCHES "\n// Output:\n(.*)$")
    message(FATAL_ERROR "${SOURCE} does not end in a comment with its output")
endif()
string(REGEX REPLACE "(^|\n)// " "\\1" expected "${CMAKE_MATCH_1}")
string(STRIP "${expected}" expected)
string(STRIP "${printed}" printed)
if(NOT "${printed}" STREQUAL "${expected}")
    message(FATAL_ERROR "${SOURCE} says\n${expected}\nand prints\n${printed}")
endif()
