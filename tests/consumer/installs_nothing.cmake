# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.25) # a -P script has no policies of its own

# Installs the project built in BUILD into the empty folder STAGE; no file may arrive.
file(REMOVE_RECURSE "${STAGE}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${STAGE}" COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE files "${STAGE}/*")
if(files)
    message(FATAL_ERROR "installed through a consumer: ${files}")
endif()
