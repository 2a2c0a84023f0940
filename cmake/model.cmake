# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake -P cmake/model.cmake
# Sets the machine up where needed, then has spin search every state of the models in tests/model: each setting must
# hold, and each seeded mistake must be found, by the property that is named for it. tests/model/README.md says more.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the model" compiler spin)
set(models "${DASHPOT_ROOT}/tests/model")
set(work "${DASHPOT_ROOT}/build/model")
find_program(cc NAMES cc gcc clang NO_CACHE REQUIRED)

set(deviations 0)
set(total_states 0)

# Sets NAME to TEXT, with blanks to WIDTH.
function(pad name width text)
    string(LENGTH "${text}" length)
    while(length LESS width)
        string(APPEND text " ")
        math(EXPR length "${length} + 1")
    endwhile()
    set(${name} "${text}" PARENT_SCOPE)
endfunction()

function(row first second third states seconds verdict)
    pad(first 32 "${first}")
    pad(second 27 "${second}")
    pad(third 12 "${third}")
    pad(states 10 "${states}")
    pad(seconds 9 "${seconds}")
    message(NOTICE "${first} ${second} ${third} ${states} ${seconds} ${verdict}")
endfunction()

# Searches MODEL with the given definitions; OPTIMISE says how to compile the search. Sets `found` to what was violated
# ("nothing", "assertion", "end state", or "?" when the search did not come to its end), `states` and `seconds`.
function(search model optimise)
    file(REMOVE_RECURSE "${work}")
    file(MAKE_DIRECTORY "${work}")
    foreach(command IN ITEMS
        "spin;${ARGN};-a;${models}/${model}.pml"
        "${cc};${optimise};-w;-DSAFETY;-DCOLLAPSE;-DNOFAIR;-DMEMLIM=4096;-o;pan;pan.c"
        "${work}/pan;-m100000;-w22")
        execute_process(COMMAND ${command} WORKING_DIRECTORY "${work}"
            OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
        if(NOT "${result}" STREQUAL "0")
            message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
        endif()
    endforeach()

    set(found "?")
    if("${output}" MATCHES "pan:1: assertion violated")
        set(found "assertion")
    elseif("${output}" MATCHES "pan:1: invalid end state")
        set(found "end state")
    elseif("${output}" MATCHES "errors: 0\n"
        AND NOT "${output}" MATCHES "not completed|too small|out of memory|error:")
        set(found "nothing")
    else()
        message(NOTICE "${output}")
    endif()
    string(REGEX MATCH "([0-9]+) states, stored" states "${output}")
    set(states "${CMAKE_MATCH_1}" PARENT_SCOPE)
    string(REGEX MATCH "elapsed time ([0-9.e+-]+)" seconds "${output}")
    set(seconds "${CMAKE_MATCH_1}" PARENT_SCOPE)
    set(found "${found}" PARENT_SCOPE)
endfunction()

# setting(NAME MODEL [-D...]): every property holds in every state.
macro(setting name model)
    set(model_of_${name} ${model})
    set(definitions_of_${name} ${ARGN})
    search(${model} -O1 ${ARGN})
    set(verdict holds)
    if(NOT "${found}" STREQUAL "nothing")
        set(verdict "VIOLATED (${found})")
        math(EXPR deviations "${deviations} + 1")
    else()
        math(EXPR total_states "${total_states} + ${states}")
    endif()
    row("-" "all of ${model}" ${name} "${states}" "${seconds}" "${verdict}")
endmacro()

# mistake(NAME PROPERTY SETTING): the same search, with NAME in the model, breaks that property.
macro(mistake name property setting)
    search(${model_of_${setting}} -O0 ${definitions_of_${setting}} -D${name} -DONLY=${property})
    set(expected "assertion")
    if("${property}" STREQUAL "nobody_is_stuck")
        set(expected "end state")
    endif()
    set(verdict found)
    if(NOT "${found}" STREQUAL "${expected}")
        set(verdict "MISSED (${found})")
        math(EXPR deviations "${deviations} + 1")
    endif()
    row(${name} ${property} ${setting} "${states}" "${seconds}" "${verdict}")
endmacro()

string(TIMESTAMP start "%s")
message(NOTICE "")
row("seeded mistake" "property" "setting" "states" "seconds" "verdict")
include("${models}/cases.cmake")
string(TIMESTAMP end "%s")
math(EXPR took "${end} - ${start}")

message(NOTICE "\n${total_states} states in which every property holds; ${took} s in all")
if(NOT deviations EQUAL 0)
    message(FATAL_ERROR "${deviations} deviations")
endif()
