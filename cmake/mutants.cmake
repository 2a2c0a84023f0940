# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# cmake [-DONLY=<name>] -P cmake/mutants.cmake
# Sets the machine up where needed, then puts each bug of tests/mutants into a copy of the library, and demands that the
# test which its patch names is green without it and red with it. tests/mutants/README.md says more.
include("${CMAKE_CURRENT_LIST_DIR}/setup.cmake")

dashpot_set_up("the mutants" compiler ninja catch2 patch)
set(patches "${DASHPOT_ROOT}/tests/mutants")
set(work "${DASHPOT_ROOT}/build/mutants")
set(PATIENCE 10)  # seconds until a test with a bug is said to hang; without one it has ten times as long
set(RACE_RUNS 10) # a race test may need some luck to meet the race

# Reads what a patch says before the diff begins: bug_NAME, like_NAME, source_NAME, case_NAME.
function(read_header name)
    file(READ "${patches}/${name}.patch" text)
    if(NOT "${text}" MATCHES
        "^([^\n]+)\n(Like: ([^\n]+)\n)?Killed-by: (tests/[^ \n]+\\.cpp): ([^\n]+)\n\n--- a/include/")
        message(FATAL_ERROR "tests/mutants/${name}.patch does not begin as tests/mutants/README.md says")
    endif()
    set(bug_${name} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    set(like_${name} "${CMAKE_MATCH_3}" PARENT_SCOPE)
    set(source_${name} "${CMAKE_MATCH_4}" PARENT_SCOPE)
    set(case_${name} "${CMAKE_MATCH_5}" PARENT_SCOPE)
endfunction()

# Puts copies of the headers that a patch touches, with the bug in them, where the compiler looks first. A patch must
# fit exactly, though it may have moved by some lines. What is there already is left alone: it is not built again.
function(make_copies name)
    set(fresh "${work}/fresh")
    file(REMOVE_RECURSE "${fresh}")
    file(STRINGS "${patches}/${name}.patch" touched REGEX "^[+][+][+] b/include/")
    list(TRANSFORM touched REPLACE "^[+][+][+] b/([^ \t]+).*" "\\1")
    foreach(header IN LISTS touched)
        cmake_path(GET header PARENT_PATH folder)
        file(MAKE_DIRECTORY "${fresh}/${folder}" "${work}/${name}/${folder}")
        file(COPY_FILE "${DASHPOT_ROOT}/${header}" "${fresh}/${header}")
    endforeach()
    execute_process(COMMAND patch -p1 -F0 -f -i "${patches}/${name}.patch" WORKING_DIRECTORY "${fresh}"
        OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
    if(NOT "${result}" STREQUAL "0")
        message(FATAL_ERROR "tests/mutants/${name}.patch does not apply:\n${output}")
    endif()

    file(GLOB_RECURSE there RELATIVE "${work}/${name}" "${work}/${name}/*")
    foreach(header IN LISTS there)
        if(NOT "${header}" IN_LIST touched)
            file(REMOVE "${work}/${name}/${header}")
        endif()
    endforeach()
    foreach(header IN LISTS touched)
        file(COPY_FILE "${fresh}/${header}" "${work}/${name}/${header}" ONLY_IF_DIFFERENT)
    endforeach()
endfunction()

# Runs the test case CASE of PROGRAM, or all that begin like it: a template's case has its type behind its name.
# Sets `verdict` to "green", "red", "crash" or "hang", the last after SECONDS, and `output`.
function(run_case program case seconds)
    string(REGEX REPLACE "[][\\,]" "\\\\\\0" filter "${case}")
    execute_process(COMMAND "${work}/build/${program}" "${filter}*" TIMEOUT ${seconds}
        OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
    set(verdict "crash")
    if("${result}" STREQUAL "0")
        set(verdict "green")
    elseif("${result}" MATCHES "^[0-9]+$")
        set(verdict "red")
    elseif("${result}" MATCHES "timeout")
        set(verdict "hang")
    endif()
    set(verdict "${verdict}" PARENT_SCOPE)
    set(output "${output}" PARENT_SCOPE)
endfunction()

# Builds TARGET, and whatever of it can be built. Sets `is_built`, and `log`.
function(build target)
    execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}/build" --target ${target} -- -k 0
        OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE result)
    set(is_built OFF PARENT_SCOPE)
    if("${result}" STREQUAL "0")
        set(is_built ON PARENT_SCOPE)
    endif()
    set(log "${log}" PARENT_SCOPE)
endfunction()

function(judge name)
    if(NOT is_built) # of this one, or of another? What lies there may be of an earlier run.
        build(${name})
        if(NOT is_built)
            set(verdict "DOES NOT COMPILE" PARENT_SCOPE)
            return()
        endif()
    endif()
    math(EXPR long "10 * ${PATIENCE}")
    run_case(control "${case_${name}}" ${long})
    if(NOT "${verdict}" STREQUAL "green" OR NOT "${output}" MATCHES "All tests passed")
        message(NOTICE "${output}")
        set(verdict "NOT GREEN WITHOUT THE BUG" PARENT_SCOPE)
        return()
    endif()
    set(runs 1)
    if("${source_${name}}" MATCHES "\\.race\\.cpp$")
        set(runs ${RACE_RUNS})
    endif()
    foreach(run RANGE 1 ${runs})
        run_case(${name} "${case_${name}}" ${PATIENCE})
        if(NOT "${verdict}" STREQUAL "green")
            set(verdict "${verdict}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(verdict "SURVIVES" PARENT_SCOPE)
endfunction()

# Sets NAME to TEXT, with blanks to WIDTH.
function(pad name width text)
    string(LENGTH "${text}" length)
    while(length LESS width)
        string(APPEND text " ")
        math(EXPR length "${length} + 1")
    endwhile()
    set(${name} "${text}" PARENT_SCOPE)
endfunction()

function(row name verdict seconds test)
    pad(name 44 "${name}")
    pad(verdict 7 "${verdict}")
    message(NOTICE "${name} ${verdict} ${seconds}  ${test}")
endfunction()

# --- Read, copy, build -----------------------------------------------------------------------------------------
file(GLOB names RELATIVE "${patches}" "${patches}/*.patch")
list(TRANSFORM names REPLACE "\\.patch$" "")
if(DEFINED ONLY)
    if(NOT "${ONLY}" IN_LIST names)
        message(FATAL_ERROR "there is no tests/mutants/${ONLY}.patch")
    endif()
    set(names "${ONLY}")
    set(work "${DASHPOT_ROOT}/build/one_mutant") # what was built of the others is not lost
endif()
list(LENGTH names how_many)
if(how_many EQUAL 0)
    message(FATAL_ERROR "there are no patches in tests/mutants")
endif()

string(TIMESTAMP start "%s")
set(list "")
foreach(name IN LISTS names)
    read_header(${name})
    make_copies(${name})
    string(APPEND list "mutant(${name} ${source_${name}})\n")
endforeach()
file(WRITE "${work}/list.cmake" "${list}")

set(program_gcc g++)
set(program_clang clang++)
message(NOTICE "Building ${how_many} mutants")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${patches}" -B "${work}/build" -G Ninja
        "-DLIST=${work}/list.cmake" -DCMAKE_CXX_COMPILER=${program_${DASHPOT_COMPILER}}
    OUTPUT_VARIABLE log ERROR_VARIABLE log RESULT_VARIABLE result)
if(NOT "${result}" STREQUAL "0")
    message(FATAL_ERROR "${log}")
endif()
build(all)
if(NOT is_built)
    message(NOTICE "${log}")
    build(control)
    if(NOT is_built)
        message(FATAL_ERROR "The tests do not build without any bug")
    endif()
    set(is_built OFF)
endif()

# --- Run, and say which test kills which -----------------------------------------------------------------------
set(deviations 0)
set(table "| bug | what is wrong | like | killed by |\n|---|---|---|---|\n")
message(NOTICE "")
row("mutant" "verdict" "seconds" "test")
foreach(name IN LISTS names)
    string(TIMESTAMP before "%s%f")
    judge(${name})
    string(TIMESTAMP after "%s%f")
    math(EXPR tenths "(${after} - ${before}) / 100000")
    math(EXPR whole "${tenths} / 10")
    math(EXPR tenth "${tenths} % 10")
    pad(seconds 7 "${whole}.${tenth}")
    row("${name}" "${verdict}" "${seconds}" "${source_${name}}: ${case_${name}}")
    if(NOT "${verdict}" MATCHES "^(red|crash|hang)$")
        math(EXPR deviations "${deviations} + 1")
    endif()

    string(REGEX REPLACE "^tests/" "" test "${source_${name}}")
    string(APPEND table "| [`${name}`](${name}.patch) | ${bug_${name}} | ${like_${name}} "
        "| [`${test}`](../${test}): ${case_${name}} |\n")
endforeach()
string(TIMESTAMP end "%s")
math(EXPR took "${end} - ${start}")
math(EXPR killed "${how_many} - ${deviations}")
message(NOTICE "\n${killed} of ${how_many} mutants killed; ${took} s in all")

if(NOT deviations EQUAL 0)
    message(FATAL_ERROR "${deviations} mutants survive, or cannot be tried")
endif()

# --- The table in README.md ------------------------------------------------------------------------------------
if(NOT DEFINED ONLY)
    file(READ "${patches}/README.md" text)
    string(REGEX REPLACE "\n\\| bug \\|.*$" "\n${table}" true_text "${text}")
    if(NOT "${text}" STREQUAL "${true_text}")
        file(WRITE "${work}/README.md" "${true_text}")
        message(FATAL_ERROR "The table in tests/mutants/README.md is not true any more. This one is:\n"
            "  cp build/mutants/README.md tests/mutants/README.md")
    endif()
endif()
