# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# Reads the headers under ROOT and fails when one
#   - includes a header of a higher floor, or one of ours in quotes (which would hide it from this check),
#   - takes part in an include cycle,
#   - is on disk but not in LISTED, the FILE_SET (it would be neither verified nor installed),
#   - has no test at the same path under TESTS,
#   - belongs to floors 0 to 4 and is missing from the umbrella, which may include nothing else,
#   - shares memory between threads by anything but core/threading.hpp, in guard/, registry/ or pipeline/, or
#   - is longer than MAX_LINES.
set(floors core policy guard registry pipeline adapter)
set(in_umbrella core policy guard registry pipeline)
set(on_the_seam guard registry pipeline)
set(past_the_seam "std::(atomic|[a-z_]*mutex|condition_variable|[a-z]+_semaphore|latch|barrier|call_once|once_flag)|thread_local")
set(MAX_LINES 400)

file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/*.hpp")
set(bad "")
set(lengths "")
foreach(header IN LISTS headers)
    string(REGEX MATCH "^[^/]+" mine "${header}")
    list(FIND floors "${mine}" my_floor) # -1: an umbrella header, version.hpp, or testing/
    if("${header}" MATCHES "/" AND my_floor EQUAL -1 AND NOT "${mine}" STREQUAL "testing")
        list(APPEND bad "${header} is on no floor: ${mine} is not among them")
    endif()

    set(includes_${header} "")
    file(STRINGS "${ROOT}/${header}" lines REGEX "^[ \t]*#[ \t]*include[ \t]*[<\"]")
    foreach(line IN LISTS lines)
        if("${line}" MATCHES "\"(.*)\"")
            list(APPEND bad "${header} includes \"${CMAKE_MATCH_1}\" in quotes: write <dashpot/...>")
        endif()
        if(NOT "${line}" MATCHES "<dashpot/([^>]+)>")
            continue()
        endif()
        set(target "${CMAKE_MATCH_1}")
        list(APPEND includes_${header} "${target}")
        string(REGEX MATCH "^[^/]+" theirs "${target}")
        list(FIND floors "${theirs}" their_floor)
        if(my_floor GREATER -1 AND NOT "${target}" STREQUAL "version.hpp"
            AND (their_floor EQUAL -1 OR their_floor GREATER my_floor))
            list(APPEND bad "${header} must not include ${target}: ${theirs} is above ${mine}")
        endif()
    endforeach()

    if(NOT "${ROOT}/${header}" IN_LIST LISTED)
        list(APPEND bad "${header} is not in the FILE_SET of CMakeLists.txt")
    endif()
    string(REGEX REPLACE "\\.hpp$" ".test.cpp" test "${header}")
    if("${header}" MATCHES "/" AND NOT EXISTS "${TESTS}/${test}")
        list(APPEND bad "${header} has no test: tests/${test} is missing")
    endif()

    file(READ "${ROOT}/${header}" text)
    if("${mine}" IN_LIST on_the_seam AND "${text}" MATCHES "${past_the_seam}")
        list(APPEND bad "${header} uses ${CMAKE_MATCH_0} and not what core/threading.hpp names: no checker would see it")
    endif()
    string(REGEX MATCHALL "\n" newlines "${text}")
    list(LENGTH newlines length)
    list(APPEND lengths ${length})
    if(length GREATER MAX_LINES)
        list(APPEND bad "${header} has ${length} lines, ${MAX_LINES} is the most: one concept, one header")
    endif()
endforeach()

# The umbrella offers floors 0 to 4, whole: no adapter, no test tool, and no inner detail by name.
foreach(target IN LISTS includes_dashpot.hpp)
    string(REGEX MATCH "^[^/]+" theirs "${target}")
    if(NOT "${theirs}" IN_LIST in_umbrella AND NOT "${target}" STREQUAL "version.hpp")
        list(APPEND bad "dashpot.hpp must not include ${target}: floors 0 to 4 only")
    endif()
endforeach()
foreach(header IN LISTS headers)
    string(REGEX MATCH "^[^/]+" mine "${header}")
    if("${mine}" IN_LIST in_umbrella AND NOT "${header}" MATCHES "/detail/"
        AND NOT "${header}" IN_LIST includes_dashpot.hpp)
        list(APPEND bad "${header} is not in the umbrella: dashpot.hpp does not include it")
    endif()
endforeach()

# Take away, again and again, every header that includes none of those left or that none of them includes; a cycle
# stays.
set(left ${headers})
set(before "none yet")
while(NOT "${left}" STREQUAL "${before}")
    set(before ${left})
    foreach(header IN LISTS before)
        set(includes FALSE)
        set(is_included FALSE)
        foreach(other IN LISTS left)
            if("${other}" IN_LIST includes_${header})
                set(includes TRUE)
            endif()
            if("${header}" IN_LIST includes_${other})
                set(is_included TRUE)
            endif()
        endforeach()
        if(NOT includes OR NOT is_included)
            list(REMOVE_ITEM left "${header}")
        endif()
    endforeach()
endwhile()
if(left)
    list(JOIN left ", " text)
    list(APPEND bad "include cycle: ${text}")
endif()

if(bad)
    list(JOIN bad "\n  " text)
    message(FATAL_ERROR "layout:\n  ${text}")
endif()
if(NOT headers)
    message(FATAL_ERROR "layout: no headers under ${ROOT}")
endif()

list(SORT lengths COMPARE NATURAL)
list(LENGTH headers count)
math(EXPR middle "${count} / 2")
list(GET lengths ${middle} median)
list(GET lengths -1 longest)
message(STATUS "${count} headers (median ${median} lines, longest ${longest}): "
    "floors, cycles, file set, umbrella, seam, tests and lengths hold")
