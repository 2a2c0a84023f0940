# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake [-DOUT=<folder>] -P cmake/single_header.cmake
# Writes the library as one file, <folder>/dashpot/dashpot.hpp: the umbrella header and the tools for tests, in the order
# in which they include each other. Beside it dashpot_with_adapters.hpp has also the adapters that need no other library;
# the logs among them need POSIX. Default folder: build/single_header.
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(NOT DEFINED OUT)
    set(OUT "${root}/build/single_header")
endif()

set(seen "")
set(whole "")

# Appends HEADER to `whole`, each header that it includes before what follows the include, and each of them once.
macro(append header)
    if(NOT "${header}" IN_LIST seen)
        list(APPEND seen "${header}")
        append_text("${header}")
    endif()
endmacro()

# A function, since each level of the recursion has a text of its own.
function(append_text header)
    file(READ "${root}/include/${header}" rest)
    string(REPLACE "// SPDX-License-Identifier: MIT\n" "" rest "${rest}")
    while(TRUE)
        string(FIND "${rest}" "#include <dashpot/" begin)
        if(begin EQUAL -1)
            break()
        endif()
        string(SUBSTRING "${rest}" 0 ${begin} before)
        string(SUBSTRING "${rest}" ${begin} -1 rest)
        string(REGEX MATCH "^#include <([^>]+)>\n" line "${rest}")
        set(included "${CMAKE_MATCH_1}")
        string(LENGTH "${line}" length)
        string(SUBSTRING "${rest}" ${length} -1 rest)
        string(APPEND whole "${before}")
        append("${included}")
    endwhile()
    set(whole "${whole}${rest}" PARENT_SCOPE)
    set(seen "${seen}" PARENT_SCOPE)
endfunction()

append("dashpot/dashpot.hpp")
file(GLOB tools RELATIVE "${root}/include" "${root}/include/dashpot/testing/*.hpp")
foreach(tool IN LISTS tools)
    append("${tool}")
endforeach()

function(write file)
    file(WRITE "${OUT}/dashpot/${file}"
        "// SPDX-License-Identifier: MIT\n// Written by cmake/single_header.cmake: ${ARGN}.\n${whole}")
    message(NOTICE "${OUT}/dashpot/${file}")
endfunction()
write(dashpot.hpp dashpot in one file)

file(GLOB adapters RELATIVE "${root}/include" "${root}/include/dashpot/adapter/*.hpp")
list(FILTER adapters EXCLUDE REGEX "prometheus_cpp|adapter/(boost_)?asio|detail/asio_")
foreach(adapter IN LISTS adapters)
    append("${adapter}")
endforeach()
write(dashpot_with_adapters.hpp dashpot in one file, with the adapters that need no other library)
