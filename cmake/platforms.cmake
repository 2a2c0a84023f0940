# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake [-D "PLATFORMS=s390x;mingw"] -P cmake/platforms.cmake
# cmake -D SHORT=ON -P cmake/platforms.cmake    the unit tests on one platform, another each day, without those marked [long]
# Sets the machine up where needed, cross-compiles the unit, property and race tests for each platform, and runs them
# under its emulator. Without PLATFORMS it takes all of them. A platform is a preset and a file in cmake/toolchains.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

set(all aarch64 s390x armhf i686 mingw)
if(NOT PLATFORMS)
    set(PLATFORMS ${all})
    if(SHORT)
        string(TIMESTAMP day "%j")
        string(REGEX REPLACE "^0+" "" day "${day}")
        list(LENGTH all how_many)
        math(EXPR turn "${day} % ${how_many}")
        list(GET all ${turn} PLATFORMS)
    endif()
endif()

foreach(platform IN LISTS PLATFORMS)
    if(NOT "${platform}" IN_LIST all)
        message(FATAL_ERROR "PLATFORMS has \"${platform}\", which is none of: ${all}")
    endif()
    set(emulator qemu)
    if("${platform}" STREQUAL "mingw")
        set(emulator wine)
    endif()
    dashpot_set_up("${platform}" compiler ninja catch2 g++_${platform} ${emulator})
    if(SHORT)
        set(short ON)
    else()
        set(short OFF)
    endif()
    dashpot_run("${CMAKE_COMMAND}" --preset ${platform} -D DASHPOT_SHORT_TESTS=${short})
    if(SHORT)
        dashpot_run("${CMAKE_COMMAND}" --build --preset ${platform} --target dashpot-unit-tests)
        dashpot_run("${CMAKE_CTEST_COMMAND}" --preset ${platform} -L unit)
    else()
        dashpot_run("${CMAKE_COMMAND}" --build --preset ${platform})
        dashpot_run("${CMAKE_CTEST_COMMAND}" --preset ${platform})
    endif()
endforeach()
