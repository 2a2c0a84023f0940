# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# Before C++20 the preprocessor already ends at each header, with an error that names the cure.
#   cmake -DHEADERS=<list> -D COMPILER=<c++> -D INCLUDE=<folder> -P before_cxx20.cmake
list(FILTER HEADERS EXCLUDE REGEX "dashpot/version.hpp$|/detail/") # macros for any standard; no entry
foreach(header IN LISTS HEADERS)
    execute_process(COMMAND "${COMPILER}" -std=c++17 -E -I "${INCLUDE}" -x c++ "${header}"
        RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(REGEX MATCH "error: [^\n]*" first "${output}")
    if("${result}" STREQUAL "0" OR NOT "${first}" MATCHES "dashpot needs C\\+\\+20 or later: compile with -std=c\\+\\+20")
        message(SEND_ERROR "${header} says under C++17: ${first}")
    endif()
endforeach()
