# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake [-D ROOT=<folder>] [-D ALLOWED=<file>] [-D UPDATE=ON] -P cmake/check_language.cmake
# Counts idioms that make a text hard to read, in the pages of ROOT and in the comments of its headers. Fails if a file has
# more of them than ALLOWED grants it: a line "<count> <path>" for each file that still has some. So the counts can only
# fall. UPDATE=ON writes the counts that fell into ALLOWED; it raises none.
if(NOT DEFINED ROOT)
    get_filename_component(ROOT "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
endif()
if(NOT DEFINED ALLOWED)
    set(ALLOWED "${ROOT}/tests/language/allowed.txt")
endif()

# Each with what to write instead. A space also matches the end of a line.
set(idioms
    "[Aa]new"                         # again, from the start
    "[Aa]fresh"                       # again
    "for ever"                        # forever
    "for one[.,:)]"                   # for example
    "[Ww]hoever" "Who"                # the caller, the thread, a program that
    "[Nn]obody" "[Ss]omebody"         # no thread, a caller
    "[Dd]ear(er|est)?"                # expensive
    ", else"                          # otherwise
    "[Hh]ears?" "[Hh]eard"            # is called with, receives
    "[Tt]ells?" "[Tt]old" "[Ss]peaks" # reports, is passed, names
    "lives? on" "living on"           # stays alive while
    "verdicts?"                       # decision, result; Verdict is a type
    "[Hh]e" "[Hh]is" "[Hh]imself"     # the noun
    "[Ss]o many"                      # the number
    "the rest of the wait"            # the remaining time
    "[Ll]est" "[Uu]pon" "[Tt]hereby" "[Hh]ence")
list(JOIN idioms "|" idioms)
string(REPLACE " " "[ \n]+" idioms "${idioms}")
set(idiom "[^A-Za-z_](${idioms})[^A-Za-z_]|\n/// Whether ") # the last: a doc comment says "Returns true if"

set(total 0)
set(written "")
set(bad "")
if(EXISTS "${ALLOWED}")
    file(STRINGS "${ALLOWED}" lines REGEX "^[0-9]+ ")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([0-9]+) (.+)$" line "${line}")
        set(allowed_${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
    endforeach()
endif()

file(GLOB pages RELATIVE "${ROOT}" "${ROOT}/*.md" "${ROOT}/docs/*.md" "${ROOT}/bench/*.md" "${ROOT}/examples/*/*.md"
    "${ROOT}/tests/*/*.md")
file(GLOB_RECURSE headers RELATIVE "${ROOT}" "${ROOT}/include/*.hpp")
foreach(path IN LISTS pages headers)
    file(READ "${ROOT}/${path}" text)
    string(REGEX REPLACE "[][;]" "." text "${text}") # what a CMake list takes for more than text
    if("${path}" MATCHES "\\.hpp$")
        # Comments only, each line of them behind "/// ", "// " or nothing but a line's end.
        string(REGEX MATCHALL "//[^\n]*" text "${text}")
        string(REPLACE ";" "\n" text "${text}")
        string(REGEX REPLACE "\n///? +([^W])" "\n\\1" text "\n${text}")
    endif()
    string(REGEX MATCHALL "${idiom}" found "\n${text}\n")
    list(LENGTH found count)
    if(NOT DEFINED "allowed_${path}")
        set(allowed_${path} 0)
        if(UPDATE AND NOT EXISTS "${ALLOWED}")
            set(allowed_${path} ${count}) # the first list takes the text as it is
        endif()
    endif()
    if(count GREATER "${allowed_${path}}")
        string(REGEX MATCHALL "[^\n]*(${idiom})[^\n]*" found "\n${text}\n")
        list(APPEND bad "${path} has ${count} idioms to avoid, ${allowed_${path}} are allowed. They are in these lines:")
        list(APPEND bad ${found})
    endif()
    math(EXPR total "${total} + ${count}")
    if(count GREATER "${allowed_${path}}")
        set(count "${allowed_${path}}")
    endif()
    if(count GREATER 0)
        string(APPEND written "${count} ${path}\n")
    endif()
endforeach()

if(NOT pages AND NOT headers)
    message(FATAL_ERROR "${ROOT} has neither pages nor headers")
endif()
if(UPDATE)
    file(WRITE "${ALLOWED}" "${written}")
endif()
if(bad)
    list(JOIN bad "\n" bad)
    string(REGEX REPLACE "\n+" "\n  " bad "\n${bad}") # CMake leaves lines that begin with spaces as they are
    message(FATAL_ERROR "cmake/check_language.cmake says what to write instead.${bad}")
endif()
message(STATUS "language: ${total} idioms are left, none of them new")
