# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25)

file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
string(REGEX REPLACE "^// SPDX[^\n]*\n" "" example "${example}")
if(NOT FENCE)
    set(FENCE cpp)
endif()
string(FIND "${readme}" "```${FENCE}\n${example}```" found)
if(found EQUAL -1)
    message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
