# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# Reads the sources in the folders WINGS under ROOT, and fails if one includes a source of a later folder. WINGS is
# separated by commas and goes bottom up: a file may include its own folder and those before it.
string(REPLACE "," ";" WINGS "${WINGS}")
set(bad "")
set(above ${WINGS})
foreach(wing IN LISTS WINGS)
    list(POP_FRONT above)
    file(GLOB sources RELATIVE "${ROOT}" "${ROOT}/${wing}/*.hpp" "${ROOT}/${wing}/*.cpp")
    if(NOT sources)
        list(APPEND bad "${ROOT} has no folder ${wing} with sources")
    endif()
    foreach(source IN LISTS sources)
        file(STRINGS "${ROOT}/${source}" lines REGEX "^#include \"\\.\\./[a-z_]+[/.]")
        foreach(line IN LISTS lines)
            string(REGEX MATCH "\\.\\./([a-z_]+)([/.])" _ "${line}")
            if("${CMAKE_MATCH_1}" IN_LIST above OR "${CMAKE_MATCH_2}" STREQUAL ".")
                list(APPEND bad "${source} includes upwards: ${line}")
            endif()
        endforeach()
    endforeach()
endforeach()

if(bad)
    list(JOIN bad "\n" bad)
    message(FATAL_ERROR "${bad}")
endif()
message(STATUS "wings: arrows point downwards only")
