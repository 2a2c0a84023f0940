# SPDX-License-Identifier: MIT

# Catch2, 2.13 (Debian 12) or 3.x, whichever is installed, as the target dashpot-catch: headers and a main().
option(DASHPOT_FETCH_CATCH2 "Download Catch2 when it is not installed" OFF)

find_package(Catch2 QUIET)
# A cross compiler that does not look into /usr/include must not be led there for one header: its libraries have
# headers of the same names.
if(CMAKE_CROSSCOMPILING AND Catch2_FOUND AND Catch2_VERSION VERSION_LESS 3)
    get_target_property(_catch_from Catch2::Catch2 INTERFACE_INCLUDE_DIRECTORIES)
    file(COPY "${_catch_from}/catch2" DESTINATION "${CMAKE_BINARY_DIR}/catch2-alone")
    set_target_properties(Catch2::Catch2 PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${CMAKE_BINARY_DIR}/catch2-alone")
endif()
if(NOT Catch2_FOUND)
    if(NOT DASHPOT_FETCH_CATCH2)
        message(FATAL_ERROR
            "The tests need Catch2, 2.13 or newer, and CMake does not find it.\n"
            "Debian, Ubuntu: apt-get install catch2. Fedora: dnf install catch2-devel. macOS: brew install catch2.\n"
            "Or say -DDASHPOT_FETCH_CATCH2=ON to download it, or -DDASHPOT_BUILD_TESTS=OFF to do without tests.")
    endif()
    include(FetchContent)
    FetchContent_Declare(Catch2 SYSTEM
        GIT_REPOSITORY https://github.com/catchorg/Catch2.git GIT_TAG v3.7.1 GIT_SHALLOW ON)
    FetchContent_MakeAvailable(Catch2)
    list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/extras")
    set(Catch2_VERSION 3.7.1)
elseif(Catch2_VERSION VERSION_LESS 2.13)
    message(FATAL_ERROR "The tests need Catch2, 2.13 or newer; ${Catch2_DIR} has ${Catch2_VERSION}.")
endif()
include(Catch)

string(REGEX MATCH "^[0-9]+" _catch_major "${Catch2_VERSION}")
cmake_path(SET _tests NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../tests")
add_library(dashpot-catch INTERFACE)
target_include_directories(dashpot-catch INTERFACE "${_tests}")
target_compile_definitions(dashpot-catch INTERFACE DASHPOT_CATCH2_MAJOR=${_catch_major})
if(_catch_major LESS 3)
    target_link_libraries(dashpot-catch INTERFACE Catch2::Catch2)
    add_library(dashpot-catch-main OBJECT "${_tests}/main.cpp")
    target_link_libraries(dashpot-catch-main PRIVATE Catch2::Catch2)
    target_compile_features(dashpot-catch-main PRIVATE cxx_std_20) # as the tests: it decides what Catch2 can print
    target_sources(dashpot-catch INTERFACE $<TARGET_OBJECTS:dashpot-catch-main>)
else()
    target_link_libraries(dashpot-catch INTERFACE Catch2::Catch2WithMain)
endif()
